package hookline

import (
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestTheRequest(t *testing.T) {
	for _, isGzip := range []bool{false, true} {
		inWorld(t, func(t *testing.T, w *world) {
			c := w.client(Config{Gzip: isGzip, Context: map[string]any{"app": map[string]any{"name": "Shop"}}})
			must(t, c.Track(track(0)))
			must(t, c.Close())
			r := w.requests[0]
			equal(t, "path", r.path, "/v1/batch")
			equal(t, "Authorization", r.header.Get("Authorization"), "Basic d3JpdGUta2V5Og==")
			equal(t, "Content-Type", r.header.Get("Content-Type"), "application/json")
			equal(t, "User-Agent", r.header.Get("User-Agent"), "hookline-go/0.1.0")
			equal(t, "Content-Encoding", r.header.Get("Content-Encoding") == "gzip", isGzip)
			equal(t, "body", r.body, `{"batch":[{"type":"track","messageId":"m0","timestamp":"2000-01-01T00:00:00.000Z","userId":"u1","event":"E"}],`+
				`"context":{"app":{"name":"Shop"},"library":{"name":"hookline-go","version":"0.1.0"}},"sentAt":"2000-01-01T00:00:00.000Z"}`)
		})
	}
}

func TestEndpoints(t *testing.T) {
	cases := map[string]string{
		"":                                "http://127.0.0.1:8080/v1/batch",
		"https://calls.example.com":       "https://calls.example.com/v1/batch",
		"https://calls.example.com/":      "https://calls.example.com/v1/batch",
		"http://host:8080/hookline":       "http://host:8080/hookline/v1/batch",
		"http://host:8080/v1/batch":       "http://host:8080/v1/batch",
		"http://host:8080/v1/import/?a=b": "http://host:8080/v1/import?a=b",
		"calls.example.com":               "",
		"ftp://host":                      "",
		"https://":                        "",
		"https://user:password@host":      "",
		"http://host:port":                "",
	}
	for given, want := range cases {
		config, err := Config{Endpoint: given}.withDefaults()
		if want == "" {
			if err == nil || strings.Contains(err.Error(), "password@") {
				t.Errorf("%s: %v", given, err)
			}
			continue
		}
		must(t, err)
		equal(t, given, config.Endpoint, want)
	}
}

func TestWrongSettingsAreNamed(t *testing.T) {
	cases := map[string]Config{
		"Size":        {Size: -1},
		"FlushAt":     {FlushAt: -1},
		"FlushAfter":  {FlushAfter: -1},
		"QueueBytes":  {QueueBytes: 1},
		"WhenFull":    {WhenFull: 7},
		"Timeout":     {Timeout: -1},
		"Concurrency": {Concurrency: -1},
		"Context":     {Context: map[string]any{"pad": strings.Repeat("x", 5_000)}},
		"Endpoint":    {Endpoint: "host"},
	}
	for field, config := range cases {
		c, err := NewWithConfig("key", config)
		if c != nil || err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := NewWithConfig("", Config{}); err == nil {
		t.Error("an empty write key is taken")
	}
	// Fields that are set later are checked by the first call, and every call says so.
	c := New("key")
	c.Endpoint = "host"
	for range 2 {
		if err := c.Track(track(0)); err == nil || !strings.Contains(err.Error(), "Endpoint") {
			t.Errorf("Track: %v", err)
		}
	}
	must(t, c.Close())
}

// The client's own transport: its connections are closed with the client.
func TestCloseLeavesNoConnection(t *testing.T) {
	closed := make(chan bool, 10)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) }))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			closed <- true
		}
	}
	server.Start()
	defer server.Close()
	c := New("key")
	c.Endpoint = server.URL
	must(t, c.Track(track(0)))
	must(t, c.Close())
	<-closed
}

func TestDebugLogging(t *testing.T) {
	for value, want := range map[string]bool{"analytics": true, "http,analytics": true, "*": true, "": false, "analytic": false} {
		t.Setenv("DEBUG", value)
		var lines strings.Builder
		inWorld(t, func(t *testing.T, w *world) {
			w.answer(status(503))
			c := w.client(Config{Logger: log.New(&lines, "", 0)})
			must(t, c.Track(track(0)))
			must(t, c.Close())
		})
		equal(t, "DEBUG="+value+" logs", lines.Len() > 0, want)
		if strings.Contains(lines.String(), "write-key") {
			t.Error("the write key is in the log")
		}
	}
}

func TestLostMessagesAreLoggedWhenNobodyIsTold(t *testing.T) {
	var lines strings.Builder
	inWorld(t, func(t *testing.T, w *world) {
		w.answer(body(400, `{"code":"unknown_source"}`))
		c, err := NewWithConfig("key", Config{Endpoint: "http://ingest", Transport: w.transport, Logger: log.New(&lines, "", 0)})
		must(t, err)
		must(t, c.Track(track(0)))
		must(t, c.Close())
	})
	equal(t, "log", lines.String(), "1 messages lost: hookline: the endpoint answered 400: unknown_source\n")
}

// slow is a transport that answers before it has read the body, and reads it later.
type slow struct{ left []io.ReadCloser }

func (s *slow) RoundTrip(r *http.Request) (*http.Response, error) {
	s.left = append(s.left, r.Body)
	code := 200
	if len(s.left) == 1 {
		code = 503
	}
	return &http.Response{StatusCode: code, Body: http.NoBody}, nil
}

func TestABodyThatIsStillReadIsNotChanged(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		late := &slow{}
		c, err := NewWithConfig("key", Config{FlushAt: 1, Transport: late})
		must(t, err)
		for i := range 20 {
			must(t, c.Track(track(i)))
		}
		time.Sleep(time.Second)
		must(t, c.Close())
		seen := map[string]bool{}
		for _, each := range late.left {
			text, err := io.ReadAll(each)
			must(t, err)
			var parsed struct {
				SentAt string
				Batch  []struct{ MessageId string }
			}
			must(t, json.Unmarshal(text, &parsed))
			seen[parsed.SentAt[:20]+parsed.Batch[0].MessageId] = true
		}
		equal(t, "bodies", len(late.left), 21)
		equal(t, "messages", len(seen), 20)
	})
}
