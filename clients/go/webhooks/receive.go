package webhooks

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// DefaultMaxBytes is how many bytes of a body are read.
const DefaultMaxBytes = 1 << 20

// Scheme says which signature a request must carry.
type Scheme int

const (
	// XSignature is what every destination with a shared secret sends. It is the default.
	XSignature Scheme = iota
	// Standard is for destinations that have the option standardWebhooks; it refuses old requests.
	Standard
	// Both wants both.
	Both
)

// A Receiver verifies requests and reads their calls.
type Receiver struct {
	// Secrets are the destination's shared secret; several while it is being changed.
	Secrets []string
	// Scheme says which signature a request must carry.
	Scheme Scheme
	// MaxBytes bounds the body. Default 1 MiB.
	MaxBytes int64
	// Tolerance and Now are as in [StandardVerifier].
	Tolerance time.Duration
	Now       func() time.Time
}

// Receive reads and verifies one request. Its error is one of this package; [StatusOf] gives a fitting answer for it.
func (r *Receiver) Receive(request *http.Request) (*Call, error) {
	body, err := r.read(request)
	if err != nil {
		return nil, err
	}
	if r.Scheme != Standard {
		if err := VerifySignature(body, single(request.Header, "X-Signature"), r.Secrets...); err != nil {
			return nil, err
		}
	}
	if r.Scheme != XSignature {
		verifier := StandardVerifier{Secrets: r.Secrets, Tolerance: r.Tolerance, Now: r.Now}
		if _, err := verifier.Verify(body, request.Header); err != nil {
			return nil, err
		}
	}
	return readCall(body)
}

func (r *Receiver) read(request *http.Request) ([]byte, error) {
	maxBytes := r.MaxBytes
	if maxBytes == 0 {
		maxBytes = DefaultMaxBytes
	}
	body, err := io.ReadAll(io.LimitReader(request.Body, maxBytes+1))
	var beyondLimit *http.MaxBytesError
	switch {
	case errors.As(err, &beyondLimit):
		return nil, ErrBodyTooLarge
	case err != nil:
		return nil, ErrBodyUnreadable
	case int64(len(body)) > maxBytes:
		return nil, ErrBodyTooLarge
	default:
		return body, nil
	}
}

// StatusOf gives the status to answer an error of Receive with. Hookline tries again after 408, which is for a body that
// did not arrive whole, and not after the others.
func StatusOf(err error) int {
	switch {
	case errors.Is(err, ErrBodyTooLarge):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, ErrBodyUnreadable):
		return http.StatusRequestTimeout
	case errors.Is(err, ErrNotACall):
		return http.StatusBadRequest
	default:
		return http.StatusUnauthorized
	}
}
