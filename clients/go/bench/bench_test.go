// Package bench measures this library beside analytics-go v3 in one run, doing the same work: the same track
// calls from one goroutine, batches of the same size, every one delivered before the clock stops.
//
//	go test -bench . -benchmem -count 6
package bench

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"syscall"
	"testing"
	"time"

	hookline "github.com/hookline/hookline/clients/go"
	analytics "gopkg.in/segmentio/analytics-go.v3"
)

// swallow is an endpoint without a network: what is left is the libraries' own work.
type swallow struct{}

func (swallow) RoundTrip(r *http.Request) (*http.Response, error) {
	io.Copy(io.Discard, r.Body)
	r.Body.Close()
	return &http.Response{StatusCode: 200, Body: http.NoBody, Header: http.Header{}}, nil
}

var products = []any{
	map[string]any{"id": "507f1f77bcf86cd799439011", "name": "Monopoly: 3rd Edition", "price": 19.0, "quantity": 1},
	map[string]any{"id": "505bd76785ebb509fc183733", "name": "Uno Card Game", "price": 3.0, "quantity": 2},
}

// properties are made anew for each call, as programs do.
func properties(size string, i int) map[string]any {
	made := map[string]any{"orderId": strconv.Itoa(i), "total": 27.5, "currency": "USD", "coupon": "HASBROS"}
	if size == "large" {
		made["affiliation"] = "Google Store"
		made["note"] = "delivered <before> noon & \"left\" at the door"
		made["products"] = products
	}
	return made
}

type library struct {
	name string
	// open gives what sends one call and what ends the client.
	open func(b *testing.B, endpoint string, transport http.RoundTripper, batch int) (send func(size string, i int), end func())
}

var libraries = []library{{"hookline", openHookline}, {"analytics-go-v3", openAnalytics}}

func openHookline(b *testing.B, endpoint string, transport http.RoundTripper, batch int) (func(string, int), func()) {
	client, err := hookline.NewWithConfig("key", hookline.Config{
		Endpoint: endpoint, Transport: transport, FlushAt: batch, WhenFull: hookline.BlockWhenFull,
		OnError: func(f hookline.Failure) { b.Error(f.Err) },
	})
	check(b, err)
	send := func(size string, i int) {
		check(b, client.Track(&hookline.Track{UserId: "019mr8mf4r", Event: "Order Completed", Properties: properties(size, i)}))
	}
	return send, func() { check(b, client.Close()) }
}

// failing is analytics-go's hook.
type failing struct{ b *testing.B }

func (failing) Success(analytics.Message)                {}
func (f failing) Failure(_ analytics.Message, err error) { f.b.Error(err) }

func openAnalytics(b *testing.B, endpoint string, transport http.RoundTripper, batch int) (func(string, int), func()) {
	client, err := analytics.NewWithConfig("key", analytics.Config{
		Endpoint: endpoint, Transport: transport, BatchSize: batch, Interval: 5 * time.Second, Callback: failing{b},
	})
	check(b, err)
	send := func(size string, i int) {
		check(b, client.Enqueue(analytics.Track{UserId: "019mr8mf4r", Event: "Order Completed", Properties: properties(size, i)}))
	}
	return send, func() { check(b, client.Close()) }
}

func check(b *testing.B, err error) {
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkLibrary has no network: encoding, queue, batches, requests.
func BenchmarkLibrary(b *testing.B) {
	forEach(b, func(b *testing.B, l library, size string, batch int) {
		measure(b, l, size, batch, "http://endpoint", swallow{})
	})
}

// BenchmarkLoopback sends to a server in this process over TCP.
func BenchmarkLoopback(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, `{"success":true}`)
	}))
	defer server.Close()
	forEach(b, func(b *testing.B, l library, size string, batch int) {
		measure(b, l, size, batch, server.URL, nil)
	})
}

func forEach(b *testing.B, run func(b *testing.B, l library, size string, batch int)) {
	for _, size := range []string{"small", "large"} {
		for _, batch := range []int{20, 250} {
			for _, l := range libraries {
				b.Run(size+"/batches-of-"+strconv.Itoa(batch)+"/"+l.name, func(b *testing.B) { run(b, l, size, batch) })
			}
		}
	}
}

func measure(b *testing.B, l library, size string, batch int, endpoint string, transport http.RoundTripper) {
	send, end := l.open(b, endpoint, transport, batch)
	b.ReportAllocs()
	b.ResetTimer()
	begin := cpuTime(b)
	for i := range b.N {
		send(size, i)
	}
	end()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
	b.ReportMetric(float64((cpuTime(b)-begin).Nanoseconds())/1_000/float64(b.N), "cpu-µs/message")
	// The process's own: of use when it runs one benchmark alone.
	b.ReportMetric(float64(usage(b).Maxrss)/1_024, "peak-MiB")
}

// cpuTime is this process's, user and system: what others do on the machine does not change it much.
func cpuTime(b *testing.B) time.Duration {
	used := usage(b)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func usage(b *testing.B) syscall.Rusage {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return used
}
