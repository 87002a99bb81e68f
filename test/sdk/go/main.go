// Sends every call type and a bulk of track calls with the unmodified analytics-go v3, as a customer's program would.
//
//	go run . -endpoint http://127.0.0.1:8080 -key <write key> -bulk 1000
package main

import (
	"flag"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	analytics "gopkg.in/segmentio/analytics-go.v3"
)

// deliveries counts what the library says of each message.
type deliveries struct{ succeeded, failed atomic.Int64 }

func (d *deliveries) Success(analytics.Message) { d.succeeded.Add(1) }

func (d *deliveries) Failure(_ analytics.Message, err error) {
	d.failed.Add(1)
	fmt.Fprintln(os.Stderr, "failed:", err)
}

func everyCallType() []analytics.Message {
	alone := analytics.NewIntegrations().DisableAll()
	webhooks := analytics.NewIntegrations().DisableAll().Enable("Webhooks")
	return []analytics.Message{
		analytics.Identify{UserId: "go-user", Traits: analytics.NewTraits().SetName("Ada").Set("plan", "pro")},
		analytics.Track{UserId: "go-user", Event: "Order Completed", Properties: analytics.NewProperties().Set("total", 12.5).Set("note", "<a & b>"), Integrations: webhooks},
		analytics.Track{UserId: "go-user", Event: "Elsewhere only", Integrations: alone},
		analytics.Page{UserId: "go-user", Name: "Home", Properties: analytics.NewProperties().SetURL("https://example.com/")},
		analytics.Screen{UserId: "go-user", Name: "Main"},
		analytics.Group{UserId: "go-user", GroupId: "go-group", Traits: analytics.NewTraits().SetName("Initech")},
		analytics.Alias{UserId: "go-user", PreviousId: "go-anonymous"},
		analytics.Track{AnonymousId: "go-anonymous", Event: "Anonymous", Timestamp: time.Date(2012, 12, 2, 0, 30, 8, 276123456, time.UTC)},
	}
}

func run() error {
	endpoint := flag.String("endpoint", "", "ingest URL")
	key := flag.String("key", "", "write key of the source")
	bulk := flag.Int("bulk", 1000, "track calls to send after one of each type")
	wait := flag.Bool("wait", false, "closes only when each message is delivered: this library's Close tries once")
	flag.Parse()

	var counted deliveries
	client, err := analytics.NewWithConfig(*key, analytics.Config{Endpoint: *endpoint, Callback: &counted})
	if err != nil {
		return err
	}
	messages := everyCallType()
	for i := range *bulk {
		messages = append(messages, analytics.Track{UserId: fmt.Sprintf("go-bulk-%d", i%50), Event: "Bulk", Properties: analytics.NewProperties().Set("i", i)})
	}
	for _, message := range messages {
		if err := client.Enqueue(message); err != nil {
			return err
		}
	}
	for *wait && counted.succeeded.Load()+counted.failed.Load() < int64(len(messages)) {
		time.Sleep(20 * time.Millisecond)
	}
	if err := client.Close(); err != nil {
		return err
	}
	fmt.Printf("{\"sent\":%d,\"succeeded\":%d,\"failed\":%d}\n", len(messages), counted.succeeded.Load(), counted.failed.Load())
	if counted.failed.Load() > 0 {
		return fmt.Errorf("%d messages failed", counted.failed.Load())
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
