package hookline

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// In a world the clock is virtual (testing/synctest) and the network is made of pipes: net/http's own server and
// transport work on them, nothing sleeps, and a goroutine that is left at the end fails the test.
type world struct {
	t         *testing.T
	transport *http.Transport
	requests  []received
	answers   []func(w http.ResponseWriter, r *http.Request)
	startedAt time.Time

	mu         sync.Mutex
	handedBack []Failure
}

type received struct {
	at     time.Duration // since the world's beginning
	path   string
	header http.Header
	body   string
	// batch are the calls of the body.
	batch []map[string]any
}

// inWorld runs a test in a world of its own.
func inWorld(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, startedAt: time.Now()}
		pipes := make(pipeListener)
		server := &http.Server{Handler: http.HandlerFunc(w.handle)}
		w.transport = &http.Transport{DialContext: pipes.dial, MaxIdleConnsPerHost: 10}
		go server.Serve(pipes)
		test(t, w)
		w.transport.CloseIdleConnections()
		server.Close()
	})
}

// answer gives the next requests these answers in turn; 200 after them.
func (w *world) answer(answers ...func(http.ResponseWriter, *http.Request)) {
	w.answers = append(w.answers, answers...)
}

func status(code int, headers ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
	}
}

func body(code int, text string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		io.WriteString(w, text)
	}
}

// reset breaks the connection off.
func reset(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// hang answers when the caller is gone.
func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func (w *world) handle(response http.ResponseWriter, r *http.Request) {
	one := received{at: time.Since(w.startedAt), path: r.URL.Path, header: r.Header, body: readBody(r)}
	var parsed struct{ Batch []map[string]any }
	if err := json.Unmarshal([]byte(one.body), &parsed); err != nil {
		w.t.Errorf("the body is no JSON: %v: %s", err, one.body)
	}
	one.batch = parsed.Batch
	w.mu.Lock()
	w.requests = append(w.requests, one)
	answer := body(200, `{"success":true}`)
	if len(w.answers) > 0 {
		answer, w.answers = w.answers[0], w.answers[1:]
	}
	w.mu.Unlock()
	answer(response, r)
}

func readBody(r *http.Request) string {
	var reader io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		unzipped, err := gzip.NewReader(r.Body)
		if err != nil {
			return err.Error()
		}
		reader = unzipped
	}
	bytes, _ := io.ReadAll(reader)
	return string(bytes)
}

// client gives a client of this world that keeps its failures.
func (w *world) client(config Config) *Client {
	config.Endpoint = orDefault(config.Endpoint, "http://ingest")
	config.Transport = w.transport
	config.OnError = func(f Failure) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.handedBack = append(w.handedBack, f)
	}
	c, err := NewWithConfig("write-key", config)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// sizes are the numbers of messages of the requests so far, once nothing moves any more.
func (w *world) sizes() []int {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	sizes := []int{}
	for _, request := range w.requests {
		sizes = append(sizes, len(request.batch))
	}
	return sizes
}

// failures are those so far, once nothing moves any more.
func (w *world) failures() []Failure {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.handedBack)
}

// pipeListener is a network of one address.
type pipeListener chan net.Conn

func (l pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l <- theirs:
		return ours, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l pipeListener) Accept() (net.Conn, error) {
	conn, isOpen := <-l
	if !isOpen {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (l pipeListener) Close() error   { close(l); return nil }
func (l pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipes"} }

// track makes a message that is told from others by its number.
func track(i int) *Track {
	return &Track{UserId: "u1", Event: "E", MessageId: fmt.Sprintf("m%d", i)}
}

func equal[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if g, w := fmt.Sprintf("%v", got), fmt.Sprintf("%v", want); g != w {
		t.Errorf("%s: got %s, want %s", what, g, w)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
