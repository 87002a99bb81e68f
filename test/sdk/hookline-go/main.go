// Hookline's own Go library from end to end: sends as a customer's program would, or receives as a webhook would.
//
//	go run . -endpoint http://127.0.0.1:8080 -key <write key> -bulk 1000
//	go run . -receive <shared secret>
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	hookline "github.com/hookline/hookline/clients/go"
)

func send(endpoint, key string, bulk int, pace time.Duration) error {
	failed := 0
	client, err := hookline.NewWithConfig(key, hookline.Config{Endpoint: endpoint, Gzip: true, CloseTimeout: time.Minute, OnError: func(f hookline.Failure) {
		failed++
		fmt.Fprintln(os.Stderr, "failed:", f.Type, f.MessageId, f.Err)
	}})
	if err != nil {
		return err
	}
	// What the library refuses must not get lost among what it takes.
	var refused error
	keep := func(err error) {
		if refused == nil {
			refused = err
		}
	}
	keep(client.Identify(&hookline.Identify{UserId: "go-user", Traits: map[string]any{"name": "Ada", "plan": "pro"}}))
	keep(client.Track(&hookline.Track{UserId: "go-user", Event: "Order Completed", Properties: map[string]any{"total": 12.5, "note": "<a & b>"}, Integrations: map[string]any{"All": false, "Webhooks": true}}))
	keep(client.Page(&hookline.Page{UserId: "go-user", Name: "Home", Traits: map[string]any{"url": "https://example.com/"}}))
	keep(client.Screen(&hookline.Screen{UserId: "go-user", Name: "Main"}))
	keep(client.Group(&hookline.Group{UserId: "go-user", GroupId: "go-group", Traits: map[string]any{"name": "Initech"}}))
	keep(client.Alias(&hookline.Alias{UserId: "go-user", PreviousId: "go-anonymous"}))
	keep(client.Track(&hookline.Track{AnonymousId: "go-anonymous", Event: "Anonymous", Timestamp: "2012-12-02T00:30:08.276Z"}))
	keep(client.Track(&hookline.Track{UserId: "go-user", Event: "Elsewhere only", Integrations: map[string]any{"All": false}}))
	for i := range bulk {
		keep(client.Track(&hookline.Track{UserId: fmt.Sprintf("go-bulk-%d", i%50), Event: "Bulk", Properties: map[string]any{"i": i}}))
		time.Sleep(pace)
	}
	keep(client.Close())
	if refused == nil && failed > 0 {
		refused = fmt.Errorf("%d messages failed", failed)
	}
	return refused
}

func main() {
	endpoint := flag.String("endpoint", "", "ingest URL")
	key := flag.String("key", "", "write key of the source")
	bulk := flag.Int("bulk", 1000, "track calls to send after one of each type")
	pace := flag.Duration("pace", 0, "between two calls of the bulk")
	secret := flag.String("receive", "", "listens as a webhook of a destination with this shared secret")
	flag.Parse()
	run := func() error { return send(*endpoint, *key, *bulk, *pace) }
	if *secret != "" {
		run = func() error { return receive(*secret) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
