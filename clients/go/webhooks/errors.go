package webhooks

import "errors"

// Why a request is not to be believed.
var (
	// ErrNoSecret means that none of the secrets has a character: a mistake in the receiver's configuration.
	ErrNoSecret = errors.New("webhooks: no secret is given")
	// ErrSignatureMissing means that X-Signature is not there.
	ErrSignatureMissing = errors.New("webhooks: the signature is missing")
	// ErrSignatureMalformed means that no signature of the known form is there.
	ErrSignatureMalformed = errors.New("webhooks: the signature is malformed")
	// ErrSignatureWrong means that the body was not signed with one of the secrets.
	ErrSignatureWrong = errors.New("webhooks: the signature is wrong")
	// ErrHeaderMissing means that webhook-id, webhook-timestamp or webhook-signature is not there exactly once.
	ErrHeaderMissing = errors.New("webhooks: a Standard Webhooks header is missing")
	// ErrTimestampMalformed means that webhook-timestamp is no time.
	ErrTimestampMalformed = errors.New("webhooks: the timestamp is malformed")
	// ErrTooOld means that the request was signed long ago: perhaps an old one that somebody sends again.
	ErrTooOld = errors.New("webhooks: the request is too old")
	// ErrTooNew means that the request was signed in the future.
	ErrTooNew = errors.New("webhooks: the request is too new")
	// ErrBodyTooLarge means that the body has more bytes than are read.
	ErrBodyTooLarge = errors.New("webhooks: the body is too large")
	// ErrBodyUnreadable means that the body did not arrive whole, or not in time.
	ErrBodyUnreadable = errors.New("webhooks: the body could not be read")
	// ErrNotACall means that the body is signed but is no call.
	ErrNotACall = errors.New("webhooks: the body is no call")
)
