package hookline

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Contract 9.5.

func TestWhatIsTriedAgain(t *testing.T) {
	cases := []struct {
		name   string
		answer func(http.ResponseWriter, *http.Request)
		again  bool
	}{
		{"connection broken off", reset, true},
		{"no answer within the timeout", hang, true},
		{"408", status(408), true},
		{"429", status(429), true},
		{"500", status(500), true},
		{"503", status(503), true},
		{"599", status(599), true},
		{"400", status(400), false},
		{"401", status(401), false},
		{"404", status(404), false},
		{"413", status(413), false},
		{"301 is not followed", status(301, "Location", "http://ingest/elsewhere"), false},
		{"307 is not followed", status(307, "Location", "http://ingest/elsewhere"), false},
		{"200", status(200), false},
		{"204", status(204), false},
	}
	for _, one := range cases {
		t.Run(one.name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.answer(one.answer)
				c := w.client(Config{})
				must(t, c.Track(track(0)))
				must(t, c.Close())
				tries, isSuccess := 1, strings.HasPrefix(one.name, "20")
				if one.again {
					tries = 2
				}
				equal(t, "tries", len(w.sizes()), tries)
				equal(t, "is lost", len(w.failures()) == 1, !one.again && !isSuccess)
			})
		})
	}
}

func TestATryAgainHasTheSameMessagesAndANewSentAt(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.answer(hang)
		c := w.client(Config{})
		must(t, c.Track(&Track{UserId: "u1", Event: "E"}))
		must(t, c.Close())
		first, second := w.requests[0], w.requests[1]
		equal(t, "message", second.batch[0], first.batch[0])
		if first.body == second.body {
			t.Error("sentAt is the old one")
		}
	})
}

func TestBackOffDoublesUpToTenSecondsAndHalfOfItIsChance(t *testing.T) {
	for _, chance := range []float64{0, 0.5, 1} {
		s := &sender{senderParts: senderParts{host: host{chance: func() float64 { return chance }}}}
		want := 100 * time.Millisecond
		for tries := range 100 {
			equal(t, "wait", s.backOff(tries, 0), want/2+time.Duration(chance*float64(want/2)))
			want = min(2*want, 10*time.Second)
		}
		equal(t, "on top of Retry-After", s.backOff(0, time.Minute) > time.Minute, true)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	cases := map[string]time.Duration{
		"":                              0,
		"0":                             0,
		"7":                             7 * time.Second,
		"300":                           300 * time.Second,
		"301":                           300 * time.Second,
		"99999999999999999999":          0,
		"-1":                            0,
		"1.5":                           0,
		"soon":                          0,
		"Sat, 31 Jan 2026 12:00:30 GMT": 30 * time.Second,
		"Sat, 31 Jan 2026 11:00:00 GMT": 0,
		"Sat, 31 Jan 2027 12:00:00 GMT": 300 * time.Second,
	}
	for value, want := range cases {
		header := http.Header{}
		header.Set("Retry-After", value)
		equal(t, value, retryAfterOf(header, now), want)
	}
}

func TestRetryAfterIsWaitedFor(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.answer(status(503, "Retry-After", "20"), status(429, "Retry-After", "5"))
		c := w.client(Config{FlushAt: 1})
		must(t, c.Track(track(0)))
		time.Sleep(20 * time.Second)
		equal(t, "after 20 s", len(w.sizes()), 1)
		time.Sleep(100 * time.Millisecond)
		equal(t, "a little later", len(w.sizes()), 2)
		time.Sleep(5 * time.Second)
		equal(t, "5 s later", len(w.sizes()), 2)
		time.Sleep(200 * time.Millisecond)
		equal(t, "a little later", len(w.sizes()), 3)
		must(t, c.Close())
	})
}

func TestAMessageIsTriedForRetryForAndThenHandedBack(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		for range 1_000 {
			w.answer(body(503, `{"code":"unavailable","message":"Kafka is not there"}`))
		}
		c := w.client(Config{FlushAt: 1, RetryFor: time.Minute})
		must(t, c.Track(track(0)))
		time.Sleep(50 * time.Second)
		equal(t, "after 50 s", len(w.failures()), 0)
		time.Sleep(10 * time.Second)
		equal(t, "after a minute", len(w.failures()), 1)
		var answered *StatusError
		if err := w.failures()[0].Err; !errors.As(err, &answered) || answered.Status != 503 || answered.Code != "unavailable" {
			t.Errorf("reason: %v", err)
		}
		w.mu.Lock()
		w.answers = nil
		w.mu.Unlock()
		must(t, c.Track(track(1)))
		must(t, c.Close())
		equal(t, "the next one is delivered", len(w.failures()), 1)
	})
}

func TestAnOutageOfThirtySecondsLosesNothing(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		isAway := func(at time.Duration) bool { return at > 5*time.Second && at < 35*time.Second }
		for range 100 {
			w.answer(func(response http.ResponseWriter, r *http.Request) {
				if isAway(time.Since(w.startedAt)) {
					reset(response, r)
				}
				response.WriteHeader(200)
			})
		}
		c := w.client(Config{})
		for i := range 1_200 {
			must(t, c.Track(track(i)))
			time.Sleep(50 * time.Millisecond)
		}
		must(t, c.Close())
		delivered := map[any]bool{}
		for _, request := range w.requests {
			for _, call := range request.batch {
				if !isAway(request.at) {
					delivered[call["messageId"]] = true
				}
			}
		}
		equal(t, "delivered", len(delivered), 1_200)
		equal(t, "lost", len(w.failures()), 0)
	})
}

func TestSingleMessagesThatWereRefusedAreHandedBack(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.answer(body(200, `{"success":true,"rejected":[{"index":1,"code":"invalid_type","message":"why"},{"index":1,"code":"again"},{"index":7,"code":"x"},{"index":-1}]}`))
		c := w.client(Config{FlushAt: 3})
		for i := range 3 {
			must(t, c.Track(track(i)))
		}
		must(t, c.Close())
		equal(t, "failures", len(w.failures()), 1)
		f := w.failures()[0]
		equal(t, "of", f.Type+" "+f.MessageId, "track m1")
		equal(t, "because", f.Err.Error(), "hookline: the message was refused: invalid_type (why)")
	})
}

func TestAFailureGivesTheMessageBack(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.answer(body(400, `{"code":"unknown_source","message":"no such key"}`))
		c := w.client(Config{FlushAt: 1})
		must(t, c.Track(&Track{UserId: "u1", Event: "E", Properties: map[string]any{"a": "b"}, MessageId: `"quoted"`}))
		must(t, c.Flush(context.Background()))
		f := w.failures()[0]
		equal(t, "id", f.MessageId, `"quoted"`)
		equal(t, "because", f.Err.Error(), "hookline: the endpoint answered 400: unknown_source (no such key)")
		again := readTrack(t, f.JSON)
		must(t, c.Track(again))
		must(t, c.Close())
		equal(t, "sent again", w.requests[1].batch[0], w.requests[0].batch[0])
	})
}
