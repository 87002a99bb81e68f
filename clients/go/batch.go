package hookline

import (
	"encoding/json"
	"sync"
	"time"
)

const (
	batchHead = `{"batch":[`
	// sentAtEnd closes the body after the time of the request.
	sentAtEnd = `"}`
	// batchOwnBytes is about what a batch takes beside its body: itself, its channel, its ends.
	batchOwnBytes = 512
	// maxPooledBytes keeps a buffer of the largest batch, not one that a queue of many has grown.
	maxPooledBytes = MaxBatchBytes + MaxMessageBytes
)

// A batch is the body of a request that grows by its messages, and what must be known of each.
type batch struct {
	body []byte
	// ends is where each message ends in the body.
	ends []int
	// room is what it takes of the queue's.
	room int
	// sealedAt is when it was ready to be sent; retries end by it.
	sealedAt time.Time
	// settled is closed when each message is delivered or handed to OnError.
	settled chan struct{}
}

var batches = sync.Pool{New: func() any { return new(batch) }}

// roomOfBatch is what a batch takes of the queue's room before its first message: many small ones would otherwise be held for nothing.
func roomOfBatch(tail []byte) int { return len(batchHead) + len(tail) + batchOwnBytes }

// newBatch gives an empty batch; room is what it takes without messages.
func newBatch(room int) *batch {
	b := batches.Get().(*batch)
	b.body = append(b.body[:0], batchHead...)
	b.ends = b.ends[:0]
	b.room = room
	b.settled = make(chan struct{})
	return b
}

// recycle gives the batch's memory to a later one. Nothing may read the body any more.
func (b *batch) recycle() {
	if cap(b.body) <= maxPooledBytes {
		batches.Put(b)
	}
}

func (b *batch) count() int { return len(b.ends) }

// sizeWith is the size of the body with one more message and its tail.
func (b *batch) sizeWith(messageBytes, tailBytes int) int {
	size := len(b.body) + messageBytes + tailBytes
	if len(b.ends) > 0 {
		size++
	}
	return size
}

func (b *batch) add(message []byte) {
	if len(b.ends) > 0 {
		b.body = append(b.body, ',')
	}
	b.body = append(b.body, message...)
	b.ends = append(b.ends, len(b.body))
	b.room += len(message)
}

// seal ends the body; stamp writes the time.
func (b *batch) seal(tail []byte, now time.Time) {
	b.body = append(b.body, tail...)
	b.sealedAt = now
}

// stamp writes the time of the request over the one that is there; both have the same length.
func stamp(body []byte, now time.Time) {
	end := len(body) - len(sentAtEnd)
	// Not in place: what formats a time writes more than it keeps.
	var text [2 * len(timestampLayout)]byte
	copy(body[end-len(timestampLayout):end], appendTimestamp(text[:0], now))
}

// message gives the JSON of one message.
func (b *batch) message(i int) []byte {
	start := len(batchHead)
	if i > 0 {
		start = b.ends[i-1] + len(",")
	}
	return b.body[start:b.ends[i]]
}

// tailOf makes what follows a batch's messages: its context, and room for the time of the request.
func tailOf(c Config) ([]byte, error) {
	var e encoder
	e.depth = 1
	context := map[string]any{"library": map[string]any{"name": libraryName, "version": Version}}
	for key, value := range c.Context {
		context[key] = value
	}
	e.anyMap(context)
	if e.err != nil {
		return nil, &ConfigError{"Context", "cannot be written as JSON: " + e.err.Error()}
	}
	if len(e.buf) > MaxContextBytes {
		return nil, &ConfigError{"Context", "has more than 4,096 bytes"}
	}
	tail := append([]byte(`],"context":`), e.buf...)
	tail = append(append(tail, `,"sentAt":"`...), timestampLayout...)
	return append(tail, sentAtEnd...), nil
}

// A Failure is an accepted message that was not delivered.
type Failure struct {
	// Type is the type of the call: "track", "identify", …
	Type string
	// MessageId is the message's id.
	MessageId string
	// JSON is the message as it was queued, for keeping: json.Unmarshal into the struct of its type gives it back,
	// and sending it again under its id is safe. The caller owns it.
	JSON []byte
	// Err is the reason: a [StatusError], a [RejectedError], an error of the network, or a context's at Close.
	Err error
}

func (b *batch) failure(i int, err error) Failure {
	message := append([]byte(nil), b.message(i)...)
	var known struct{ Type, MessageId string }
	// The client has written it, so it can be read.
	_ = json.Unmarshal(message, &known)
	return Failure{Type: known.Type, MessageId: known.MessageId, JSON: message, Err: err}
}
