package webhooks

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// DefaultTolerance is how far the time of a request may lie from ours.
const DefaultTolerance = 5 * time.Minute

const secretPrefix = "whsec_"

var (
	unixSeconds = regexp.MustCompile(`^[0-9]{1,12}$`)
	v1Signature = regexp.MustCompile(`^v1,[0-9A-Za-z+/]{43}=$`)
)

// A StandardVerifier verifies the headers of Standard Webhooks 1.0.0 with symmetric signatures
// (https://www.standardwebhooks.com): HMAC-SHA256 over id, time and body.
type StandardVerifier struct {
	// Secrets are the destination's shared secret; several while it is being changed. One that begins with
	// "whsec_" is base64, any other is used as it is written.
	Secrets []string
	// Tolerance is how far the time of a request may lie from ours, into the past and the future. Default 5 min.
	Tolerance time.Duration
	// Now gives our time. Default [time.Now].
	Now func() time.Time
}

// A Delivery is what the headers of an authentic request say.
type Delivery struct {
	// MessageId is the call's, the same over all attempts. Several users' calls may have one.
	MessageId string
	// Timestamp is when the attempt was made.
	Timestamp time.Time
}

// Verify gives what the headers say, or why the request is not to be believed. It compares in constant time.
func (v *StandardVerifier) Verify(body []byte, header http.Header) (Delivery, error) {
	keys := v.keys()
	if len(keys) == 0 {
		return Delivery{}, ErrNoSecret
	}
	id, timestamp, signatures := single(header, "Webhook-Id"), single(header, "Webhook-Timestamp"), single(header, "Webhook-Signature")
	if id == "" || timestamp == "" || signatures == "" {
		return Delivery{}, ErrHeaderMissing
	}
	if !unixSeconds.MatchString(timestamp) {
		return Delivery{}, ErrTimestampMalformed
	}
	given := signaturesOf(signatures)
	if len(given) == 0 {
		return Delivery{}, ErrSignatureMalformed
	}
	if !isSigned(sha256.New, keys, given, []byte(id+"."+timestamp+"."), body) {
		return Delivery{}, ErrSignatureWrong
	}
	// Twelve digits always fit.
	seconds, _ := strconv.ParseInt(timestamp, 10, 64)
	if err := v.checkAge(seconds); err != nil {
		return Delivery{}, err
	}
	return Delivery{MessageId: messageIdOf(id), Timestamp: time.Unix(seconds, 0)}, nil
}

func (v *StandardVerifier) keys() [][]byte {
	var keys [][]byte
	for _, secret := range v.Secrets {
		key := []byte(secret)
		if encoded, isEncoded := strings.CutPrefix(secret, secretPrefix); isEncoded {
			key = decoded(encoded)
		}
		if len(key) > 0 {
			keys = append(keys, key)
		}
	}
	return keys
}

// decoded reads base64 with and without padding, in both alphabets; nothing when it is none.
func decoded(text string) []byte {
	standard := strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
	key, err := base64.RawStdEncoding.DecodeString(standard)
	if err != nil {
		return nil
	}
	return key
}

func (v *StandardVerifier) checkAge(seconds int64) error {
	now, tolerance := time.Now, v.Tolerance
	if v.Now != nil {
		now = v.Now
	}
	if tolerance == 0 {
		tolerance = DefaultTolerance
	}
	toleranceSeconds := int64(tolerance / time.Second)
	switch age := now().Unix() - seconds; {
	case age > toleranceSeconds:
		return ErrTooOld
	case age < -toleranceSeconds:
		return ErrTooNew
	default:
		return nil
	}
}

func signaturesOf(header string) [][]byte {
	var given [][]byte
	for _, each := range strings.Split(header, " ") {
		if !v1Signature.MatchString(each) {
			continue
		}
		// 43 characters and one of padding are 32 bytes.
		if signature, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(each, "v1,")); err == nil {
			given = append(given, signature)
		}
	}
	return given
}

// single gives the header that is there exactly once.
func single(header http.Header, name string) string {
	if values := header.Values(name); len(values) == 1 {
		return values[0]
	}
	return ""
}

// messageIdOf undoes the escapes by which the sender writes what a header cannot carry.
func messageIdOf(id string) string {
	if messageId, err := url.PathUnescape(id); err == nil && utf8.ValidString(messageId) {
		return messageId
	}
	// Not escaped, so from another sender: the id as it is.
	return id
}
