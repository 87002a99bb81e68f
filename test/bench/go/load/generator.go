package main

import (
	"net/netip"
	"strconv"
	"time"

	"hookline/test/bench/go/latency"
	"hookline/test/bench/go/loop"
	"hookline/test/bench/go/program"
)

// How long a connection rests after an error or a refusal, so that a server that is away or full is not asked without end.
const restMicros = 10_000

// One keep-alive connection with one request at a time.
type connection struct {
	// 0: not connected.
	socket int
	// Of the addresses, the one that it is or was connected to.
	at       int
	isBusy   bool
	messages loop.Messages
	request  []byte
	// What of the request did not fit into the socket yet.
	unsent        []byte
	startedMicros int64
	restsUntil    int64
}

// What has happened so far, and what has since it was last asked.
type totals struct {
	// Requests begun or waiting for a connection.
	requests int64
	// Calls of requests that were answered with 200, and of the others.
	answered, refused int64
	// Of answers with 200, from before the request was written to the answer's end.
	answers latency.Times
	// Of the open loop: how late after its time a request was begun.
	starts latency.Times
	// Calls answered in each second of the run, and how many seconds were asked for already.
	perSecond    []int64
	secondsTaken int
}

type generator struct {
	loop *loop.Loop
	// A server's, or those of several that take the same calls.
	addresses []netip.AddrPort
	template  template
	// Requests a second of the open loop; 0 is the closed loop.
	perSecond   float64
	beganMicros int64
	connections map[int]*connection
	// The one that was used last comes first.
	free    []*connection
	resting []*connection
	// Starting times of requests that wait for a connection.
	waiting []int64
	sent    int64
	// Nothing is begun any more.
	isHalted bool
	totals   totals
}

func newGenerator(given options) *generator {
	g := &generator{
		loop:        loop.New(),
		addresses:   givenAddresses(given.Origins),
		template:    prepare(given),
		perSecond:   given.RequestsPerSecond,
		beganMicros: program.NowMicros(),
		connections: map[int]*connection{},
	}
	for index := range given.Connections {
		g.free = append(g.free, &connection{at: index % len(g.addresses)})
	}
	return g
}

// Due begins what is due. The rate holds on average also when that is late.
func (g *generator) Due() time.Duration {
	nowMicros := program.NowMicros()
	g.countSecond(nowMicros)
	for len(g.resting) > 0 && g.resting[0].restsUntil <= nowMicros {
		g.free = append(g.free, g.resting[0])
		g.resting = g.resting[1:]
		g.beginWaiting()
	}
	wait := time.Hour
	if len(g.resting) > 0 {
		wait = micros(g.resting[0].restsUntil - nowMicros)
	}
	if g.isHalted {
		return wait
	}
	if g.perSecond == 0 {
		for len(g.free) > 0 {
			g.totals.requests++
			g.begin(program.NowMicros())
		}
		return wait
	}
	for nextMicros := g.dueMicros(); ; nextMicros = g.dueMicros() {
		if nextMicros > nowMicros {
			wait = min(wait, micros(nextMicros-nowMicros))
			break
		}
		g.totals.requests++
		g.totals.starts.Add(nowMicros - nextMicros)
		g.waiting = append(g.waiting, program.NowMicros())
		g.beginWaiting()
	}
	return wait
}

func micros(count int64) time.Duration {
	return time.Duration(count) * time.Microsecond
}

// When the next request of the open loop is due.
func (g *generator) dueMicros() int64 {
	return g.beganMicros + int64(float64(g.totals.requests)*1e6/g.perSecond)
}

func (g *generator) countSecond(nowMicros int64) {
	second := int((nowMicros - g.beganMicros) / 1_000_000)
	for len(g.totals.perSecond) <= second {
		g.totals.perSecond = append(g.totals.perSecond, 0)
	}
}

func (g *generator) beginWaiting() {
	for len(g.waiting) > 0 && len(g.free) > 0 {
		startedMicros := g.waiting[0]
		g.waiting = g.waiting[1:]
		g.begin(startedMicros)
	}
}

// Writes the next request on a free connection.
func (g *generator) begin(startedMicros int64) {
	c := g.free[len(g.free)-1]
	g.free = g.free[:len(g.free)-1]
	c.isBusy, c.startedMicros = true, startedMicros
	c.request = g.template.request(c.request, g.sent, startedMicros)
	c.unsent = c.request
	g.sent++
	if c.socket == 0 && !g.connect(c) {
		return
	}
	g.write(c)
}

func (g *generator) connect(c *connection) bool {
	socket, err := loop.Dial(g.addresses[c.at])
	for tries := 1; err != nil && tries < len(g.addresses); tries++ {
		c.at = (c.at + 1) % len(g.addresses)
		socket, err = loop.Dial(g.addresses[c.at])
	}
	if err != nil {
		g.fail(c)
		return false
	}
	c.socket, c.messages = socket, loop.Messages{}
	g.connections[socket] = c
	g.loop.Watch(socket)
	return true
}

func (g *generator) write(c *connection) {
	for len(c.unsent) > 0 {
		count, err := loop.Write(c.socket, c.unsent)
		if err != nil && err != loop.ErrAgain {
			g.fail(c)
			return
		}
		// A request that does not fit at once is rare (a batch to a server that stands still); trying again is enough.
		c.unsent = c.unsent[count:]
	}
}

// The connection is at its end; a request that was under way counts as refused, for nobody knows what became of it.
func (g *generator) fail(c *connection) {
	if c.socket != 0 {
		delete(g.connections, c.socket)
		loop.Close(c.socket)
		c.socket = 0
	}
	if c.isBusy {
		g.refuse(c)
	}
}

func (g *generator) refuse(c *connection) {
	c.isBusy = false
	g.totals.refused += g.callsInRequest()
	c.restsUntil = program.NowMicros() + restMicros
	g.resting = append(g.resting, c)
}

// Requests that wait for a connection or for their answer.
func (g *generator) underWay() int64 {
	return g.totals.requests - (g.totals.answered+g.totals.refused)/g.callsInRequest()
}

func (g *generator) callsInRequest() int64 {
	return int64(len(g.template.calls))
}

// Ready reads an answer.
func (g *generator) Ready(socket int) {
	c := g.connections[socket]
	if c == nil {
		return
	}
	if err := c.messages.Fill(socket); err != nil {
		if err != loop.ErrAgain {
			g.fail(c)
		}
		return
	}
	head, _, err := c.messages.Next()
	if err != nil {
		program.Must(err)
	}
	if head == nil {
		return
	}
	g.answered(c, statusOf(head))
}

func (g *generator) answered(c *connection, status int) {
	if status != 200 {
		g.refuse(c)
		return
	}
	nowMicros := program.NowMicros()
	g.countSecond(nowMicros)
	g.totals.perSecond[len(g.totals.perSecond)-1] += g.callsInRequest()
	g.totals.answered += g.callsInRequest()
	g.totals.answers.Add(nowMicros - c.startedMicros)
	c.isBusy = false
	g.free = append(g.free, c)
	if g.perSecond > 0 {
		g.beginWaiting()
	}
}

// 0 where the head has none.
func statusOf(head []byte) int {
	const from, to = len("HTTP/1.1 "), len("HTTP/1.1 200")
	if len(head) < to {
		return 0
	}
	status, _ := strconv.Atoi(string(head[from:to]))
	return status
}
