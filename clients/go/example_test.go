package hookline_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	hookline "github.com/hookline/hookline/clients/go"
)

// ingest stands for Hookline: it prints the calls of each batch.
func ingest() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Batch []map[string]any }
		json.NewDecoder(r.Body).Decode(&body)
		for _, call := range body.Batch {
			delete(call, "messageId")
			if call["timestamp"] != "2012-12-02T00:30:08.276Z" {
				delete(call, "timestamp")
			}
			text, _ := json.Marshal(call)
			fmt.Println(string(text))
		}
		fmt.Fprint(w, `{"success":true}`)
	}))
}

func Example() {
	server := ingest()
	defer server.Close()

	client := hookline.New("<WRITE_KEY>")
	client.Endpoint = server.URL
	defer client.Close()

	client.Identify(&hookline.Identify{
		UserId: "019mr8mf4r",
		Traits: map[string]interface{}{"name": "Michael Bolton", "friends": 42},
	})
	client.Track(&hookline.Track{
		Event:      "Download",
		UserId:     "019mr8mf4r",
		Properties: map[string]interface{}{"application": "Desktop", "version": "1.1.0"},
	})
	client.Page(&hookline.Page{
		UserId:    "019mr8mf4r",
		Category:  "Docs",
		Name:      "Go library",
		Traits:    map[string]interface{}{"url": "https://example.com/docs"},
		Timestamp: "2012-12-02T00:30:08.276Z",
	})
	client.Group(&hookline.Group{
		UserId:  "019mr8mf4r",
		GroupId: "56",
		Traits:  map[string]interface{}{"name": "Initech"},
	})
	client.Alias(&hookline.Alias{UserId: "019mr8mf4r", PreviousId: "anonymous-7"})
	// Output:
	// {"traits":{"friends":42,"name":"Michael Bolton"},"type":"identify","userId":"019mr8mf4r"}
	// {"event":"Download","properties":{"application":"Desktop","version":"1.1.0"},"type":"track","userId":"019mr8mf4r"}
	// {"category":"Docs","name":"Go library","properties":{"url":"https://example.com/docs"},"timestamp":"2012-12-02T00:30:08.276Z","type":"page","userId":"019mr8mf4r"}
	// {"groupId":"56","traits":{"name":"Initech"},"type":"group","userId":"019mr8mf4r"}
	// {"previousId":"anonymous-7","type":"alias","userId":"019mr8mf4r"}
}

// Only two destinations get the call; names are case-sensitive.
func ExampleTrack_integrations() {
	server := ingest()
	defer server.Close()

	client := hookline.New("<WRITE_KEY>")
	client.Endpoint = server.URL
	defer client.Close()

	client.Track(&hookline.Track{
		Event:        "Order Completed",
		UserId:       "u1",
		Integrations: map[string]interface{}{"All": false, "Webhooks": true},
	})
	// Output:
	// {"event":"Order Completed","integrations":{"All":false,"Webhooks":true},"type":"track","userId":"u1"}
}

// In development, and in programs that soon end, each message is sent at once.
func ExampleClient_size() {
	server := ingest()
	defer server.Close()

	client := hookline.New("<WRITE_KEY>")
	client.Endpoint = server.URL
	client.Size = 1
	client.Track(&hookline.Track{Event: "Started", UserId: "u1"})
	client.Close()
	// Output:
	// {"event":"Started","type":"track","userId":"u1"}
}

func ExampleTimestamp() {
	fmt.Println(hookline.Timestamp(time.Date(2012, 12, 2, 0, 30, 8, 276_000_000, time.UTC)))
	// Output: 2012-12-02T00:30:08.276Z
}

func ExampleNewWithConfig() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"success":false,"code":"unknown_source","message":"no source has this write key"}`)
	}))
	defer server.Close()

	client, err := hookline.NewWithConfig("<WRITE_KEY>", hookline.Config{
		Endpoint: server.URL,
		FlushAt:  100,
		Gzip:     true,
		WhenFull: hookline.BlockWhenFull,
		OnError: func(f hookline.Failure) {
			fmt.Println(f.Type, f.MessageId, "was not delivered:", f.Err)
		},
	})
	if err != nil {
		panic(err)
	}
	client.Track(&hookline.Track{Event: "E", UserId: "u1", MessageId: "m1"})
	client.Close()
	// Output: track m1 was not delivered: hookline: the endpoint answered 400: unknown_source (no source has this write key)
}

// A program that ends gives its messages ten seconds.
func ExampleClient_CloseContext() {
	client := hookline.New("<WRITE_KEY>")

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := client.CloseContext(ctx); err != nil {
		fmt.Println(err)
	}
	err := client.Track(&hookline.Track{Event: "Too late", UserId: "u1"})
	fmt.Println(errors.Is(err, hookline.ErrClosed))
	// Output: true
}
