package hookline

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// Contract 9.4.

// sized gives a message that has so many bytes as JSON.
func sized(i, bytes int) *Track {
	m := track(i)
	m.Timestamp = "2012-12-02T00:30:08.276Z"
	m.Properties = map[string]any{"pad": ""}
	empty, _ := written(realHost(), m)
	m.Properties["pad"] = strings.Repeat("x", bytes-len(empty))
	return m
}

func TestAMessageHasAtMost32768Bytes(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		c := w.client(Config{})
		must(t, c.Track(sized(0, 32_768)))
		if err := c.Track(sized(1, 32_769)); !errors.Is(err, ErrMessageTooLarge) {
			t.Errorf("32,769 bytes: %v", err)
		}
		if err := c.Track(sized(2, 10<<20)); !errors.Is(err, ErrMessageTooLarge) {
			t.Errorf("10 MB: %v", err)
		}
		must(t, c.Close())
		equal(t, "requests", w.sizes(), []int{1})
	})
}

func TestARequestHasAtMost512000Bytes(t *testing.T) {
	for _, over := range []int{0, 1} {
		inWorld(t, func(t *testing.T, w *world) {
			c := w.client(Config{FlushAt: 100})
			tail, err := tailOf(Config{})
			must(t, err)
			left := 512_000 - len(batchHead) - len(tail)
			for i := range 15 {
				must(t, c.Track(sized(i, 32_768)))
				left -= 32_768 + len(",")
			}
			must(t, c.Track(sized(15, left+over)))
			equal(t, "before", len(w.sizes()), over)
			must(t, c.Close())
			want := []int{16}
			if over > 0 {
				want = []int{15, 1}
			}
			equal(t, "requests", w.sizes(), want)
			equal(t, "bytes", len(w.requests[0].body) == 512_000, over == 0)
		})
	}
}

func TestTheQueueRefusesWhatItHasNoRoomFor(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.answer(hang)
		c := w.client(Config{FlushAt: 1, QueueBytes: 512_000})
		for i := range 15 {
			must(t, c.Track(sized(i, 32_768)))
		}
		if err := c.Track(sized(15, 32_768)); !errors.Is(err, ErrQueueFull) {
			t.Errorf("without room: %v", err)
		}
		// Each batch takes room, too.
		must(t, c.Track(sized(16, 512_000-15*32_768-16*roomOfBatch(c.queue.tail))))
		if err := c.Track(sized(17, 200)); !errors.Is(err, ErrQueueFull) {
			t.Errorf("without room for another batch: %v", err)
		}
		time.Sleep(11 * time.Second)
		must(t, c.Track(sized(18, 32_768)))
		must(t, c.Close())
		equal(t, "delivered", len(w.sizes()), 18)
	})
}

func TestTheQueueBlocksUntilThereIsRoom(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.answer(status(503, "Retry-After", "10"))
		c := w.client(Config{FlushAt: 20, QueueBytes: 512_000, WhenFull: BlockWhenFull})
		for i := range 40 {
			must(t, c.Track(sized(i, 32_768)))
		}
		equal(t, "the caller has waited", time.Since(w.startedAt) > 10*time.Second, true)
		must(t, c.Close())
		equal(t, "requests", w.sizes(), []int{15, 15, 15, 10})
	})
}

func TestWhoWaitsForRoomIsToldOfTheClose(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.answer(hang)
		c := w.client(Config{FlushAt: 1, QueueBytes: 512_000, WhenFull: BlockWhenFull})
		for i := range 15 {
			must(t, c.Track(sized(i, 32_768)))
		}
		refused := make(chan error)
		go func() { refused <- c.Track(sized(15, 32_768)) }()
		w.sizes() // everything waits
		go c.Close()
		if err := <-refused; !errors.Is(err, ErrClosed) {
			t.Errorf("Track: %v", err)
		}
		must(t, c.Close())
	})
}
