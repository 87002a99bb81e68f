package hookline

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func readTrack(t *testing.T, text []byte) *Track {
	t.Helper()
	var m Track
	must(t, json.Unmarshal(text, &m))
	return &m
}

func TestCloseSendsWhatIsQueued(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.answer(status(503), reset)
		c := w.client(Config{})
		for i := range 25 {
			must(t, c.Track(track(i)))
		}
		must(t, c.Close())
		equal(t, "requests", w.sizes(), []int{20, 20, 20, 5})
	})
}

func TestAfterCloseCallsGiveAnError(t *testing.T) {
	calls := map[string]func(c *Client) error{
		"Track":    func(c *Client) error { return c.Track(track(0)) },
		"Identify": func(c *Client) error { return c.Identify(&Identify{UserId: "u"}) },
		"Page":     func(c *Client) error { return c.Page(&Page{UserId: "u"}) },
		"Screen":   func(c *Client) error { return c.Screen(&Screen{UserId: "u"}) },
		"Group":    func(c *Client) error { return c.Group(&Group{UserId: "u", GroupId: "g"}) },
		"Alias":    func(c *Client) error { return c.Alias(&Alias{UserId: "u", PreviousId: "p"}) },
	}
	for name, call := range calls {
		inWorld(t, func(t *testing.T, w *world) {
			used, unused := w.client(Config{}), w.client(Config{})
			must(t, call(used))
			for _, c := range []*Client{used, unused} {
				must(t, c.Close())
				must(t, c.Close())
				if err := call(c); !errors.Is(err, ErrClosed) {
					t.Errorf("%s: %v", name, err)
				}
			}
			equal(t, "requests", w.sizes(), []int{1})
		})
	}
}

func TestCloseGivesUpWithItsContextAndHandsTheRestBack(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.answer(status(200), hang)
		c := w.client(Config{FlushAt: 2})
		for i := range 7 {
			must(t, c.Track(track(i)))
		}
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		err := c.CloseContext(ctx)
		var unsent *UnsentError
		if !errors.As(err, &unsent) || unsent.Count != 5 || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Close: %v", err)
		}
		equal(t, "at", time.Since(w.startedAt), 3*time.Second)
		equal(t, "handed back", len(w.failures()), 5)
		for _, f := range w.failures() {
			if !errors.Is(f.Err, context.DeadlineExceeded) {
				t.Errorf("reason: %v", f.Err)
			}
		}
		equal(t, "a further Close", c.Close().Error(), err.Error())
	})
}

func TestCloseEndsABackOffWhenItsContextEnds(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.answer(status(503, "Retry-After", "120"))
		c := w.client(Config{FlushAt: 1, CloseTimeout: 30 * time.Second})
		must(t, c.Track(track(0)))
		synctest.Wait()
		if err := c.Close(); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Close: %v", err)
		}
		equal(t, "at", time.Since(w.startedAt), 30*time.Second)
		equal(t, "handed back", len(w.failures()), 1)
	})
}

func TestEveryCloseWaits(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.answer(status(503, "Retry-After", "10"))
		c := w.client(Config{})
		must(t, c.Track(track(0)))
		var closing sync.WaitGroup
		for range 3 {
			closing.Go(func() {
				must(t, c.Close())
				equal(t, "at", time.Since(w.startedAt) > 10*time.Second, true)
			})
		}
		closing.Wait()
		equal(t, "requests", w.sizes(), []int{1, 1})
	})
}

// A stub of a transport that counts what it has accepted, without any network.
type counting struct {
	mu       sync.Mutex
	requests atomic.Int64
	ids      map[string]int
	// fails says which requests break off after they have been read.
	fails func(n int64) bool
}

func (s *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	text := readBody(r)
	r.Body.Close()
	if s.fails != nil && s.fails(s.requests.Add(1)) {
		return nil, errors.New("broken off")
	}
	var parsed struct{ Batch []struct{ MessageId string } }
	if err := json.Unmarshal([]byte(text), &parsed); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, call := range parsed.Batch {
		s.ids[call.MessageId]++
	}
	return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
}

// Real goroutines: what Track accepted is delivered or handed back, each exactly once, wherever Close comes.
func TestNothingAcceptedIsLostWhenCloseRacesWithTrack(t *testing.T) {
	for round := range 24 {
		synctest.Test(t, func(t *testing.T) { raceCloseWithTrack(t, round) })
	}
}

func raceCloseWithTrack(t *testing.T, round int) {
	endpoint := &counting{ids: map[string]int{}, fails: func(n int64) bool { return n%5 == 0 }}
	handedBack := map[string]int{}
	var hook sync.Mutex
	c, err := NewWithConfig("key", Config{
		FlushAt:     1 + round%7,
		Concurrency: 1 + round%3,
		Gzip:        round%4 == 0,
		Transport:   endpoint,
		// Half of the rounds give up at the first failure.
		RetryFor: time.Duration(1 + (round%2)*int(time.Hour)),
		OnError: func(f Failure) {
			hook.Lock()
			defer hook.Unlock()
			handedBack[f.MessageId]++
		},
	})
	must(t, err)
	var accepted sync.Map
	var callers sync.WaitGroup
	for caller := range 4 {
		callers.Go(func() {
			for i := range 50 {
				m := track(caller*1_000 + i)
				switch err := c.Track(m); {
				case err == nil:
					accepted.Store(m.MessageId, true)
				case errors.Is(err, ErrClosed):
					return
				default:
					t.Errorf("Track: %v", err)
					return
				}
				if caller == 0 && i == round {
					callers.Go(func() { must(t, c.CloseContext(context.Background())) })
				}
			}
		})
	}
	callers.Wait()
	must(t, c.CloseContext(context.Background()))
	accepted.Range(func(id, _ any) bool {
		if n := endpoint.ids[id.(string)] + handedBack[id.(string)]; n != 1 {
			t.Errorf("round %d: %v came to an end %d times", round, id, n)
		}
		return true
	})
}

func TestClosingBeforeTheFirstCallRacesWithIt(t *testing.T) {
	for range 50 {
		endpoint := &counting{ids: map[string]int{}}
		c, err := NewWithConfig("key", Config{Transport: endpoint})
		must(t, err)
		var both sync.WaitGroup
		var refused error
		both.Go(func() { refused = c.Track(track(0)) })
		both.Go(func() { must(t, c.Close()) })
		both.Wait()
		must(t, c.Close())
		if delivered := len(endpoint.ids); (refused == nil) != (delivered == 1) {
			t.Fatalf("%v, %d delivered", refused, delivered)
		}
		if refused != nil && !strings.Contains(refused.Error(), "closed") {
			t.Fatal(refused)
		}
	}
}
