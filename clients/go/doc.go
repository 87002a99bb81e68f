// Package hookline sends tracking calls to Hookline.
//
//	client := hookline.New("<write key>")
//	client.Endpoint = "https://calls.example.com"
//	defer client.Close()
//
//	err := client.Track(&hookline.Track{
//		UserId:     "019mr8mf4r",
//		Event:      "Order Completed",
//		Properties: map[string]interface{}{"total": 12.5},
//	})
//
// A call is checked, encoded and queued in memory; the caller never waits for
// the network. The queue is flushed in the background, in batches: when FlushAt
// messages are queued, or when FlushAfter has passed since the last flush.
//
// # What becomes of a message
//
// A nil error means that the message is accepted. An accepted message is
// delivered, or handed to [Config.OnError] exactly once with the reason; there is
// no third way, also when the client is closed. Messages are encoded before
// a call returns, so a message and its maps may be changed afterwards.
//
// # Retries
//
// Network errors and the answers 408, 429 and 5xx are tried again with
// a back-off, or when Retry-After says, for [Config.RetryFor]. Every try carries
// the same message ids, by which Hookline drops duplicates.
//
// # Order
//
// One request is under way at a time unless [Config.Concurrency] says otherwise, so
// calls arrive in the order in which they were made.
//
// # Debugging
//
// DEBUG=analytics in the environment logs what the client does.
package hookline
