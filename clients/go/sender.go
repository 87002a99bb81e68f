package hookline

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

type senderParts struct {
	config    Config
	queue     *queue
	host      host
	writeKey  string
	isVerbose bool
}

// A sender takes batches from the queue and settles each: delivered, or handed to OnError.
type sender struct {
	senderParts
	endpoint *endpoint
	// ctx ends when Close has waited long enough.
	ctx     context.Context
	giveUp  context.CancelCauseFunc
	workers atomic.Int32
	stopped chan struct{}
	unsent  atomic.Int64
}

func newSender(parts senderParts) *sender {
	s := &sender{senderParts: parts, endpoint: newEndpoint(parts), stopped: make(chan struct{})}
	s.ctx, s.giveUp = context.WithCancelCause(context.Background())
	s.workers.Store(int32(parts.config.Concurrency))
	for range parts.config.Concurrency {
		go s.work()
	}
	return s
}

func (s *sender) work() {
	for b := s.queue.next(); b != nil; b = s.queue.next() {
		s.deliver(b)
	}
	if s.workers.Add(-1) == 0 {
		close(s.stopped)
	}
}

// close waits for the workers, until the context ends. The queue is closed already.
func (s *sender) close(ctx context.Context) error {
	select {
	case <-s.stopped:
	case <-ctx.Done():
		s.giveUp(ctx.Err())
		<-s.stopped
	}
	// Of several causes the first one stays.
	s.giveUp(nil)
	s.endpoint.close()
	if count := int(s.unsent.Load()); count > 0 {
		return &UnsentError{Count: count, Err: context.Cause(s.ctx)}
	}
	return nil
}

// deliver tries a batch until it is delivered, refused for good, too old, or Close does not wait any longer.
func (s *sender) deliver(b *batch) {
	p := &payload{bytes: b.body}
	for tries := 0; ; tries++ {
		answer := s.try(p)
		wait := s.backOff(tries, answer.retryAfter)
		switch {
		case answer.err == nil, !answer.canRetry:
			s.settle(b, p, answer)
			return
		case s.ctx.Err() != nil:
			s.unsent.Add(int64(b.count()))
			answer.err = fmt.Errorf("hookline: closed before it was delivered: %w", context.Cause(s.ctx))
			s.settle(b, p, answer)
			return
		case s.host.now().Add(wait).Sub(b.sealedAt) > s.config.RetryFor:
			s.settle(b, p, answer)
			return
		}
		s.debugf("%d messages wait %v after try %d: %v", b.count(), wait, tries+1, answer.err)
		s.pause(wait)
	}
}

// try makes one request, unless Close does not wait any longer.
func (s *sender) try(p *payload) answer {
	if s.ctx.Err() != nil {
		return answer{err: s.ctx.Err(), canRetry: true}
	}
	ctx, cancel := context.WithTimeout(s.ctx, s.config.Timeout)
	defer cancel()
	p.own()
	stamp(p.bytes, s.host.now())
	return s.endpoint.post(ctx, p)
}

func (s *sender) pause(wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.ctx.Done():
	}
}

// settle tells of each message that was not delivered, and lets go of the batch.
func (s *sender) settle(b *batch, p *payload, a answer) {
	switch {
	case a.err != nil:
		s.lost(b.count(), a.err)
		for i := range b.count() {
			s.report(b, i, a.err)
		}
	default:
		s.debugf("%d messages delivered", b.count()-len(a.rejected))
		s.settleRejected(b, a.rejected)
	}
	s.queue.settle(b)
	if p.isIdle() {
		b.recycle()
	}
}

// settleRejected tells of single messages, of each once, whatever the answer repeats.
func (s *sender) settleRejected(b *batch, rejected []rejection) {
	told := map[int]bool{}
	for _, each := range rejected {
		if each.Index < 0 || each.Index >= b.count() || told[each.Index] {
			continue
		}
		told[each.Index] = true
		err := &RejectedError{Code: each.Code, Message: each.Message}
		s.lost(1, err)
		s.report(b, each.Index, err)
	}
}

func (s *sender) report(b *batch, i int, err error) {
	if s.config.OnError != nil {
		s.config.OnError(b.failure(i, err))
	}
}

func (s *sender) lost(count int, err error) {
	if s.config.OnError == nil || s.isVerbose {
		s.config.Logger.Printf("%d messages lost: %v", count, err)
	}
}

func (s *sender) debugf(format string, args ...any) {
	if s.isVerbose {
		s.config.Logger.Printf(format, args...)
	}
}
