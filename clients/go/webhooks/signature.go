package webhooks

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/hex"
	"hash"
)

// VerifySignature verifies X-Signature: HMAC-SHA1 over the exact bytes of the body, in hex, keyed with the destination's shared
// secret. Several secrets may be given while it is being changed. It compares in constant time.
func VerifySignature(body []byte, header string, secrets ...string) error {
	keys := make([][]byte, 0, len(secrets))
	for _, secret := range secrets {
		if secret != "" {
			keys = append(keys, []byte(secret))
		}
	}
	if len(keys) == 0 {
		return ErrNoSecret
	}
	if header == "" {
		return ErrSignatureMissing
	}
	given, err := hex.DecodeString(header)
	if err != nil || len(given) != sha1.Size {
		return ErrSignatureMalformed
	}
	if !isSigned(sha1.New, keys, [][]byte{given}, body) {
		return ErrSignatureWrong
	}
	return nil
}

// isSigned tells whether one of the given signatures was made with one of the keys. Every pair is compared, each in constant
// time, so the time taken tells nothing about how close a forged signature came.
func isSigned(algorithm func() hash.Hash, keys, given [][]byte, parts ...[]byte) bool {
	isValid := false
	for _, key := range keys {
		mac := hmac.New(algorithm, key)
		for _, part := range parts {
			mac.Write(part)
		}
		expected := mac.Sum(nil)
		for _, signature := range given {
			if hmac.Equal(signature, expected) {
				isValid = true
			}
		}
	}
	return isValid
}
