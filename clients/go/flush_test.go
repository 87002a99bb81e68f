package hookline

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// Contract 9.1, 9.2.

func TestNothingIsSentBeforeAFlush(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		c := w.client(Config{})
		for i := range 19 {
			must(t, c.Track(track(i)))
		}
		equal(t, "before FlushAt and FlushAfter", w.sizes(), []int{})
		must(t, c.Track(track(19)))
		equal(t, "with the 20th message", w.sizes(), []int{20})
		must(t, c.Close())
	})
}

func TestThresholds(t *testing.T) {
	cases := []struct {
		name          string
		size, flushAt int
		messages      int
		want          []int
	}{
		{"Size", 3, 0, 7, []int{3, 3}},
		{"FlushAt", 0, 3, 7, []int{3, 3}},
		{"the smaller one, Size", 2, 5, 5, []int{2, 2}},
		{"the smaller one, FlushAt", 5, 2, 5, []int{2, 2}},
		{"Size 1 sends each at once", 1, 0, 3, []int{1, 1, 1}},
		{"FlushAt 1 sends each at once", 0, 1, 3, []int{1, 1, 1}},
		{"no more than the server takes", 5_000, 0, 2_600, []int{2_500}},
	}
	for _, one := range cases {
		t.Run(one.name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				c := w.client(Config{})
				c.Size, c.FlushAt = one.size, one.flushAt
				for i := range one.messages {
					must(t, c.Track(track(i)))
				}
				equal(t, "requests", w.sizes(), one.want)
				must(t, c.Close())
			})
		})
	}
}

func TestFlushAfterCountsFromTheLastFlush(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		c := w.client(Config{})
		must(t, c.Track(track(0)))
		time.Sleep(5*time.Second - 1)
		equal(t, "just before", w.sizes(), []int{})
		time.Sleep(time.Nanosecond)
		equal(t, "after 5 s", w.sizes(), []int{1})
		time.Sleep(3 * time.Second)
		must(t, c.Track(track(1)))
		time.Sleep(2 * time.Second)
		equal(t, "5 s after the last flush", w.sizes(), []int{1, 1})
		must(t, c.Close())
	})
}

func TestAFullBatchMovesTheNextFlush(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		c := w.client(Config{FlushAt: 2, FlushAfter: 10 * time.Second})
		must(t, c.Track(track(0)))
		time.Sleep(9 * time.Second)
		must(t, c.Track(track(1)))
		must(t, c.Track(track(2)))
		time.Sleep(9 * time.Second)
		equal(t, "9 s after the flush", w.sizes(), []int{2})
		time.Sleep(time.Second)
		equal(t, "10 s after the flush", w.sizes(), []int{2, 1})
		must(t, c.Close())
	})
}

func TestFlushWaitsForWhatWasAcceptedBefore(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.answer(status(503), status(200))
		c := w.client(Config{FlushAt: 2})
		for i := range 5 {
			must(t, c.Track(track(i)))
		}
		must(t, c.Flush(context.Background()))
		equal(t, "requests with one try again", w.sizes(), []int{2, 2, 2, 1})
		must(t, c.Flush(context.Background()))
		must(t, c.Close())
	})
}

func TestFlushEndsWithItsContext(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.answer(hang)
		c := w.client(Config{})
		must(t, c.Track(track(0)))
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := c.Flush(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Flush: %v", err)
		}
		must(t, c.Close())
		equal(t, "the message is not given up", w.sizes(), []int{1, 1})
	})
}

func TestOrderIsKept(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.answer(reset, status(500), status(200), status(429), status(408))
		c := w.client(Config{FlushAt: 3})
		for i := range 30 {
			must(t, c.Track(track(i)))
		}
		must(t, c.Close())
		seen := map[any]bool{}
		last := 0
		for _, request := range w.requests {
			for _, call := range request.batch {
				if id := call["messageId"]; !seen[id] {
					equal(t, "next", id, any(track(last).MessageId))
					seen[id] = true
					last++
				}
			}
		}
		equal(t, "messages", last, 30)
	})
}

func TestConcurrencySendsSideBySide(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.answer(hang, hang)
		c := w.client(Config{FlushAt: 1, Concurrency: 3})
		for i := range 6 {
			must(t, c.Track(track(i)))
		}
		equal(t, "two hang, the third goes on", len(w.sizes()), 6)
		must(t, c.Close())
		synctest.Wait()
		equal(t, "failures", len(w.failures()), 0)
	})
}
