package webhooks

import (
	"encoding/json"
	"net/http"
	"os"
	"testing"
	"time"
)

// reasons are the vectors' names for the errors.
var reasons = map[string]error{
	"":                    nil,
	"no_secret":           ErrNoSecret,
	"signature_missing":   ErrSignatureMissing,
	"signature_malformed": ErrSignatureMalformed,
	"signature_wrong":     ErrSignatureWrong,
	"header_missing":      ErrHeaderMissing,
	"timestamp_malformed": ErrTimestampMalformed,
	"too_old":             ErrTooOld,
	"too_new":             ErrTooNew,
}

func readVectors(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile("../../vectors/" + name)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func expectReason(t *testing.T, name, reason string, err error) {
	t.Helper()
	if want, isKnown := reasons[reason]; !isKnown || err != want {
		t.Errorf("%s: %v instead of %q", name, err, reason)
	}
}

// Contract 2.3.
func TestXSignatureIsTheSharedVectors(t *testing.T) {
	var vectors struct {
		Cases []struct {
			Name, Body, Header, Reason string
			Secrets                    []string
		}
	}
	readVectors(t, "signatures.json", &vectors)
	for _, one := range vectors.Cases {
		expectReason(t, one.Name, one.Reason, VerifySignature([]byte(one.Body), one.Header, one.Secrets...))
	}
}

func TestStandardWebhooksIsTheSharedVectors(t *testing.T) {
	var vectors struct {
		Cases []struct {
			Name, Body, MessageId, Reason string
			Secrets                       []string
			Headers                       map[string]string
			NowSeconds, ToleranceSeconds  int64
		}
	}
	readVectors(t, "standard-webhooks.json", &vectors)
	for _, one := range vectors.Cases {
		header := http.Header{}
		for name, value := range one.Headers {
			header.Set(name, value)
		}
		verifier := StandardVerifier{
			Secrets:   one.Secrets,
			Tolerance: time.Duration(one.ToleranceSeconds) * time.Second,
			Now:       func() time.Time { return time.Unix(one.NowSeconds, 0) },
		}
		delivery, err := verifier.Verify([]byte(one.Body), header)
		expectReason(t, one.Name, one.Reason, err)
		if delivery.MessageId != one.MessageId {
			t.Errorf("%s: the id is %q, not %q", one.Name, delivery.MessageId, one.MessageId)
		}
	}
}
