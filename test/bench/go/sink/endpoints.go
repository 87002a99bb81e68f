package main

import (
	"time"

	"hookline/test/bench/go/loop"
	"hookline/test/bench/go/program"
)

// slowMicros is just within the time that a webhook has, awayMicros the way to another country and back.
const (
	slowMicros = 4_900_000
	awayMicros = 50_000
)

const answerHead = "\r\nConnection: keep-alive\r\nKeep-Alive: timeout=60\r\nContent-Length: 0\r\n\r\n"

var (
	isMode = map[string]bool{"ok": true, "hang": true, "slow": true, "away": true, "error": true, "reset": true, "half-open": true, "stumble": true}

	answerOK          = []byte("HTTP/1.1 200 OK" + answerHead)
	answerError       = []byte("HTTP/1.1 500 Internal Server Error" + answerHead)
	answerUnavailable = []byte("HTTP/1.1 503 Service Unavailable" + answerHead)
)

// A connection of somebody who delivers.
type connection struct {
	socket   int
	messages loop.Messages
	// When the first byte of the request that is being read came.
	firstMicros int64
	// Nothing is answered any more.
	isSilent bool
	isClosed bool
}

type slowAnswer struct {
	connection *connection
	dueMicros  int64
}

// All endpoints of this process: one mode, one count.
type endpoints struct {
	loop        *loop.Loop
	mode        string
	arrivals    *arrivals
	requests    int64
	listeners   map[int]bool
	connections map[int]*connection
	// Connections that nobody reads any more.
	halfOpen []int
	// In the order in which they are due.
	slow []slowAnswer
}

func newEndpoints() *endpoints {
	return &endpoints{
		loop: loop.New(), mode: "ok", arrivals: newArrivals(), listeners: map[int]bool{}, connections: map[int]*connection{},
	}
}

func (e *endpoints) listen() (port int) {
	listener, port := loop.Listen()
	e.listeners[listener] = true
	e.loop.Watch(listener)
	return port
}

// become is the mode of every request from then on. What hung before goes on hanging.
func (e *endpoints) become(mode string) {
	e.mode = mode
	for _, socket := range e.halfOpen {
		loop.Close(socket)
	}
	e.halfOpen = nil
}

// Due sends the slow answers whose time has come.
func (e *endpoints) Due() time.Duration {
	nowMicros := program.NowMicros()
	for len(e.slow) > 0 && e.slow[0].dueMicros <= nowMicros {
		if late := e.slow[0].connection; !late.isClosed {
			e.write(late, answerOK)
		}
		e.slow = e.slow[1:]
	}
	if len(e.slow) == 0 {
		return time.Hour
	}
	return time.Duration(e.slow[0].dueMicros-nowMicros) * time.Microsecond
}

// Ready reads what a connection brings.
func (e *endpoints) Ready(socket int) {
	if e.listeners[socket] {
		e.accept(socket)
		return
	}
	c := e.connections[socket]
	if c == nil {
		return
	}
	if e.mode == "half-open" && !c.isSilent && c.messages.IsEmpty() {
		e.leaveHalfOpen(c)
		return
	}
	isFirst := c.messages.IsEmpty()
	if err := c.messages.Fill(socket); err != nil {
		if err != loop.ErrAgain {
			e.close(c)
		}
		return
	}
	if isFirst {
		c.firstMicros = program.NowMicros()
	}
	e.readRequests(c)
}

func (e *endpoints) accept(listener int) {
	for {
		socket, err := loop.Accept(listener)
		if err != nil {
			return
		}
		e.connections[socket] = &connection{socket: socket}
		e.loop.Watch(socket)
	}
}

// The connection is there, and nobody behind it.
func (e *endpoints) leaveHalfOpen(c *connection) {
	e.requests++
	e.loop.Forget(c.socket)
	delete(e.connections, c.socket)
	c.isClosed = true
	e.halfOpen = append(e.halfOpen, c.socket)
}

func (e *endpoints) readRequests(c *connection) {
	for !c.isClosed {
		head, body, err := c.messages.Next()
		program.Must(err)
		if head == nil {
			return
		}
		if !c.isSilent {
			e.requests++
			e.answer(c, body)
		}
	}
}

func (e *endpoints) answer(c *connection, body []byte) {
	switch e.mode {
	case "ok":
		e.arrivals.note(body, c.firstMicros)
		e.write(c, answerOK)
	case "slow":
		e.answerAfter(slowMicros, c, body)
	case "away":
		e.answerAfter(awayMicros, c, body)
	case "stumble":
		if e.arrivals.stumbles(body, c.firstMicros) {
			e.write(c, answerUnavailable)
			return
		}
		e.arrivals.note(body, c.firstMicros)
		e.write(c, answerOK)
	case "error":
		e.write(c, answerError)
	case "reset":
		e.forget(c)
		loop.Reset(c.socket)
	default:
		c.isSilent = true
	}
}

func (e *endpoints) answerAfter(micros int64, c *connection, body []byte) {
	e.arrivals.note(body, c.firstMicros)
	e.slow = append(e.slow, slowAnswer{c, program.NowMicros() + micros})
}

// An answer of a hundred bytes always fits.
func (e *endpoints) write(c *connection, answer []byte) {
	if _, err := loop.Write(c.socket, answer); err != nil {
		e.close(c)
	}
}

func (e *endpoints) forget(c *connection) {
	c.isClosed = true
	delete(e.connections, c.socket)
}

func (e *endpoints) close(c *connection) {
	e.forget(c)
	loop.Close(c.socket)
}
