package webhooks

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const secret = "s3cr3t"

const trackBody = `{"version":1,"type":"track","userId":"u1","event":"E","properties":{"total":12.5},"timestamp":"2012-12-02T00:30:08.276Z",` +
	`"context":{"ip":"::1"},"messageId":"m1","USERID":"other","Type":"x","name":{"first":"A"},"category":5,"traits":[]}`

func sum(algorithm func() hash.Hash, text string) []byte {
	mac := hmac.New(algorithm, []byte(secret))
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// signed makes a request as Hookline does, with both signatures.
func signed(body string, at time.Time) *http.Request {
	request := httptest.NewRequest(http.MethodPost, "/hook", strings.NewReader(body))
	request.Header.Set("X-Signature", hex.EncodeToString(sum(sha1.New, body)))
	timestamp := fmt.Sprint(at.Unix())
	request.Header.Set("webhook-id", "m1")
	request.Header.Set("webhook-timestamp", timestamp)
	request.Header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(sum(sha256.New, "m1."+timestamp+"."+body)))
	return request
}

func serve(h *Handler, request *http.Request) int {
	recorder := httptest.NewRecorder()
	h.ServeHTTP(recorder, request)
	return recorder.Code
}

func TestAVerifiedCallIsHandled(t *testing.T) {
	for _, scheme := range []Scheme{XSignature, Standard, Both} {
		var got *Call
		h := &Handler{Secrets: []string{"new", secret}, Scheme: scheme, Handle: func(_ context.Context, call *Call) error {
			got = call
			return nil
		}}
		if code := serve(h, signed(trackBody, time.Now())); code != http.StatusNoContent {
			t.Fatalf("scheme %d: %d", scheme, code)
		}
		if got.Type != "track" || got.UserId != "u1" || got.MessageId != "m1" || got.Event != "E" || got.Properties["total"] != 12.5 ||
			got.Context["ip"] != "::1" || got.Timestamp.Year() != 2012 || got.Name+got.Category != "" || got.Traits != nil || string(got.Body) != trackBody {
			t.Errorf("call: %+v", got)
		}
	}
}

func TestWhatIsNotToBeBelievedIsRefused(t *testing.T) {
	now := time.Now()
	without := func(name string) *http.Request {
		request := signed(trackBody, now)
		request.Header.Del(name)
		return request
	}
	twice := signed(trackBody, now)
	twice.Header.Add("X-Signature", "x")
	broken := signed(trackBody, now)
	broken.Body = io.NopCloser(io.MultiReader(strings.NewReader("{"), brokenReader{}))
	limited := signed(trackBody, now)
	limited.Body = http.MaxBytesReader(nil, limited.Body, 10)
	cases := []struct {
		name    string
		request *http.Request
		err     error
		status  int
	}{
		{"no X-Signature", without("X-Signature"), ErrSignatureMissing, 401},
		{"two of them", twice, ErrSignatureMissing, 401},
		{"no webhook-signature", without("Webhook-Signature"), ErrHeaderMissing, 401},
		{"an old one", signed(trackBody, now.Add(-time.Hour)), ErrTooOld, 401},
		{"too long", signed(`{"type":"`+strings.Repeat("x", 1_000)+`"}`, now), ErrBodyTooLarge, 413},
		{"broken off", broken, ErrBodyUnreadable, 408},
		{"too long for the server", limited, ErrBodyTooLarge, 413},
		{"no JSON", signed("hello", now), ErrNotACall, 400},
		{"no object", signed("[]", now), ErrNotACall, 400},
		{"no type", signed(`{"Type":"track"}`, now), ErrNotACall, 400},
		{"a type that is no text", signed(`{"type":7}`, now), ErrNotACall, 400},
	}
	for _, one := range cases {
		var refused error
		h := &Handler{
			Secrets: []string{secret}, Scheme: Both, MaxBytes: 500,
			Handle:  func(context.Context, *Call) error { t.Errorf("%s: handled", one.name); return nil },
			Refused: func(_ *http.Request, err error) { refused = err },
		}
		code := serve(h, one.request)
		if code != one.status || refused != one.err {
			t.Errorf("%s: %d, %v", one.name, code, refused)
		}
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestHandlersErrorsAreAnswered500SoThatHooklineTriesAgain(t *testing.T) {
	h := &Handler{Secrets: []string{secret}, Handle: func(context.Context, *Call) error { return errors.New("database away") }}
	if code := serve(h, signed(trackBody, time.Now())); code != http.StatusInternalServerError {
		t.Error(code)
	}
	if code := serve(h, httptest.NewRequest(http.MethodGet, "/hook", nil)); code != http.StatusMethodNotAllowed {
		t.Error(code)
	}
}

// FuzzReceive: whatever arrives, nothing that is not signed is believed, and nothing panics.
func FuzzReceive(f *testing.F) {
	f.Add([]byte(trackBody), "ce8a59eb51054286f0df3eb0c27b1a1be7a96e59", "m1", "1614265330", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
	f.Add([]byte("{}"), "", "%", "0", "v1, v1,x")
	f.Fuzz(func(t *testing.T, body []byte, signature, id, timestamp, standard string) {
		for _, scheme := range []Scheme{XSignature, Standard, Both} {
			request := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(string(body)))
			request.Header["X-Signature"] = []string{signature}
			request.Header["Webhook-Id"] = []string{id}
			request.Header["Webhook-Timestamp"] = []string{timestamp}
			request.Header["Webhook-Signature"] = []string{standard}
			if call, err := (&Receiver{Secrets: []string{"a secret that no seed knows"}, Scheme: scheme}).Receive(request); err == nil {
				t.Errorf("believed: %+v", call)
			}
		}
	})
}

func ExampleVerifySignature() {
	body := []byte(`{"type":"delete","userId":"019mr8mf4r","timestamp":"2012-12-02T00:30:08.276Z"}`)
	fmt.Println(VerifySignature(body, "ce8a59eb51054286f0df3eb0c27b1a1be7a96e59", "s3cr3t"))
	fmt.Println(VerifySignature(body, "ce8a59eb51054286f0df3eb0c27b1a1be7a96e59", "another secret"))
	// Output:
	// <nil>
	// webhooks: the signature is wrong
}
