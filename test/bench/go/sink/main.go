// Command sink is the webhook endpoints of a benchmark, each on a port of its own: it reads a request, answers with prepared bytes as its
// mode says, and keeps when each message arrived first.
//
// Its argument is the number of endpoints. It answers "count", "latencies", "samples", "again", and the name of a mode, which is that of
// all endpoints from then on.
package main

import (
	"errors"
	"os"
	"strconv"

	"hookline/test/bench/go/program"
)

func (e *endpoints) reply(question string) any {
	switch question {
	case "count":
		return e.arrivals.totals(e.requests)
	case "latencies":
		times := e.arrivals.times.Take()
		return times.Summary()
	case "samples":
		return map[string]any{"samples": e.arrivals.takeSamples()}
	case "again":
		return map[string]any{"againAfterMs": e.arrivals.takeAgain()}
	}
	if !isMode[question] {
		program.Must(errors.New("sink: no mode is called " + question))
	}
	e.become(question)
	return map[string]any{}
}

func main() {
	if len(os.Args) != 2 {
		program.Must(errors.New("usage: sink <number of endpoints>"))
	}
	count, err := strconv.Atoi(os.Args[1])
	program.Must(err)
	e, ports := newEndpoints(), []int{}
	for range count {
		ports = append(ports, e.listen())
	}
	go e.loop.Run(e)
	program.Serve(ports, func(question string) (answer any) {
		e.loop.Do(func() { answer = e.reply(question) })
		return answer
	})
}
