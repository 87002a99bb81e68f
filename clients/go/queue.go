package hookline

import (
	"slices"
	"sync"
	"time"
)

// A queue holds the batch that grows, and those that are ready, in order.
type queue struct {
	config Config
	tail   []byte
	now    func() time.Time

	mu      sync.Mutex
	changed sync.Cond // for workers and for calls that wait for room
	open    *batch    // nil when it would be empty
	ready   []*batch
	// unsettled are all batches with accepted messages, in order: ready ones and those under way.
	unsettled []*batch
	room      int // that is taken
	closed    bool
	flushedAt time.Time
	timer     *time.Timer
	dueAt     time.Time
}

func newQueue(c Config, tail []byte, now func() time.Time) *queue {
	q := &queue{config: c, tail: tail, now: now, flushedAt: now()}
	q.changed.L = &q.mu
	q.timer = time.AfterFunc(c.FlushAfter, q.flushWhenDue)
	q.timer.Stop()
	return q
}

// add accepts a message, or says why not.
func (q *queue) add(message []byte) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	batchRoom := roomOfBatch(q.tail)
	// It may be the first one of another batch.
	if err := q.awaitRoom(len(message) + batchRoom); err != nil {
		return err
	}
	if q.open != nil && q.open.sizeWith(len(message), len(q.tail)) > MaxBatchBytes {
		q.flush()
	}
	if q.open == nil {
		q.open = newBatch(batchRoom)
		q.room += batchRoom
		q.startTimer()
	}
	q.open.add(message)
	q.room += len(message)
	if q.open.count() >= q.config.FlushAt {
		q.flush()
	}
	return nil
}

func (q *queue) awaitRoom(bytes int) error {
	for !q.closed && q.room+bytes > q.config.QueueBytes {
		if q.config.WhenFull == RejectWhenFull {
			return ErrQueueFull
		}
		// What waits in the growing batch takes room, too, and nothing else may come to make it full.
		q.flush()
		q.changed.Wait()
	}
	if q.closed {
		return ErrClosed
	}
	return nil
}

// startTimer sets the end of the time since the last flush; times in which there was nothing to flush count as flushed.
func (q *queue) startTimer() {
	now := q.now()
	wait := q.config.FlushAfter - now.Sub(q.flushedAt)%q.config.FlushAfter
	q.dueAt = now.Add(wait)
	q.timer.Reset(wait)
}

func (q *queue) flushWhenDue() {
	q.mu.Lock()
	defer q.mu.Unlock()
	// A timer that was stopped too late is for a batch that is gone.
	if q.open != nil && !q.now().Before(q.dueAt) {
		q.flush()
	}
}

// flush makes the growing batch ready.
func (q *queue) flush() {
	if q.open == nil {
		return
	}
	q.timer.Stop()
	q.flushedAt = q.now()
	q.open.seal(q.tail, q.flushedAt)
	q.ready = append(q.ready, q.open)
	q.unsettled = append(q.unsettled, q.open)
	q.open = nil
	q.changed.Broadcast()
}

// flushAll makes everything ready and gives the batches that are not settled yet.
func (q *queue) flushAll() []<-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.flush()
	settled := make([]<-chan struct{}, len(q.unsettled))
	for i, b := range q.unsettled {
		settled[i] = b.settled
	}
	return settled
}

// next waits for a batch that is ready; nil when the queue is closed and empty.
func (q *queue) next() *batch {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.ready) == 0 {
		if q.closed {
			return nil
		}
		q.changed.Wait()
	}
	b := q.ready[0]
	q.ready[0] = nil
	q.ready = q.ready[1:]
	return b
}

// settle says that nothing is left to do for a batch.
func (q *queue) settle(b *batch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.room -= b.room
	// Nearly always the first one.
	i := slices.Index(q.unsettled, b)
	copy(q.unsettled[1:i+1], q.unsettled[:i])
	q.unsettled[0] = nil
	q.unsettled = q.unsettled[1:]
	close(b.settled)
	q.changed.Broadcast()
}

// close refuses further messages and makes what is there ready.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.flush()
	q.changed.Broadcast()
}
