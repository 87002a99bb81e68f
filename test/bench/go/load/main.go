// Command load sends calls to ingest over keep-alive connections, as cheaply as it can: requests are prepared bytes in which only the
// user, the message's number and the sending time are written anew. The closed loop keeps every connection busy; the open loop starts
// requests at a constant rate, whatever the answers do.
//
// Its argument is JSON (options). It answers "count" with what there was so far, "answers" with what has come since it was last asked;
// after "halt" nothing new is sent.
package main

import (
	"encoding/json"
	"errors"
	"net/netip"
	"net/url"
	"os"

	"hookline/test/bench/go/program"
)

type options struct {
	// Each http:// with an IPv4 address and a port. Connections are spread over them; one that finds nobody goes on to the next.
	Origins []string `json:"origins"`
	// Requests carry them in turn.
	WriteKeys []string `json:"writeKeys"`
	// One call as JSON text with the fields that template.go names.
	Call        string `json:"call"`
	BatchSize   int    `json:"batchSize"`
	Connections int    `json:"connections"`
	// 0 is the closed loop.
	RequestsPerSecond float64 `json:"requestsPerSecond"`
}

func givenAddresses(origins []string) (addresses []netip.AddrPort) {
	for _, origin := range origins {
		target, err := url.Parse(origin)
		program.Must(err)
		address, err := netip.ParseAddrPort(target.Host)
		program.Must(err)
		addresses = append(addresses, address)
	}
	return addresses
}

func (g *generator) count() any {
	return map[string]any{
		"count": g.totals.answered, "refused": g.totals.refused, "requests": g.totals.requests, "underWay": g.underWay(),
		"cpuSeconds": program.CPUSeconds(),
	}
}

func (g *generator) answers() any {
	answers, starts := g.totals.answers.Take(), g.totals.starts.Take()
	// The second that runs is not over.
	over := max(len(g.totals.perSecond)-1, g.totals.secondsTaken)
	perSecond := append([]int64{}, g.totals.perSecond[g.totals.secondsTaken:over]...)
	g.totals.secondsTaken = over
	return map[string]any{"answers": answers.Summary(), "starts": starts.Summary(), "perSecond": perSecond}
}

func main() {
	var given options
	if len(os.Args) != 2 {
		program.Must(errors.New("usage: load <options as JSON>"))
	}
	program.Must(json.Unmarshal([]byte(os.Args[1]), &given))
	g := newGenerator(given)
	go g.loop.Run(g)
	program.Serve([]int{}, func(question string) (answer any) {
		g.loop.Do(func() {
			if question == "answers" {
				answer = g.answers()
				return
			}
			g.isHalted = g.isHalted || question == "halt"
			answer = g.count()
		})
		return answer
	})
}
