package hookline

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

// A payload is the bytes of a request's body. A transport may go on reading them after it has given the answer, in a
// goroutine of its own; so they are not changed or used again before it has closed each of its readers.
type payload struct {
	bytes []byte

	mu      sync.Mutex
	readers int
}

// reader gives the body of one request.
func (p *payload) reader(content []byte) io.ReadCloser {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.readers++
	return &payloadReader{payload: p, left: content}
}

func (p *payload) isIdle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.readers == 0
}

// own makes the bytes safe to change: when somebody may still read them, they become a copy.
func (p *payload) own() {
	if !p.isIdle() {
		p.bytes = bytes.Clone(p.bytes)
	}
}

var errBodyClosed = errors.New("hookline: the body is closed")

type payloadReader struct {
	payload *payload
	mu      sync.Mutex
	left    []byte
	closed  bool
}

// Read gives what is left.
func (r *payloadReader) Read(to []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return 0, errBodyClosed
	}
	if len(r.left) == 0 {
		return 0, io.EOF
	}
	n := copy(to, r.left)
	r.left = r.left[n:]
	return n, nil
}

// Close ends the reading: nothing touches the bytes after it.
func (r *payloadReader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	r.closed, r.left = true, nil
	r.payload.mu.Lock()
	defer r.payload.mu.Unlock()
	r.payload.readers--
	return nil
}
