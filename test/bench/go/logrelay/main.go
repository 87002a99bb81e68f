// Command logrelay has the shape of the product and nothing in it: a call comes over HTTP, is written to a topic with acks=all and answered
// 200; a group reads that topic and writes a second one; another group reads that and posts the call to an endpoint. It shows what two hops
// through Kafka cost at least, by the best client there is.
//
// Its argument is JSON (options). It answers "requests" with what was sent to Kafka so far, by API, anything else with the calls posted so far.
package main

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"hookline/test/bench/go/program"
)

type options struct {
	Brokers []string `json:"brokers"`
	// Two, of as many partitions: a key has the same one in both.
	Topics [2]string `json:"topics"`
	// How the names of both groups begin.
	Group    string  `json:"group"`
	LingerMs float64 `json:"lingerMs"`
	// Calls are posted to them in turn.
	Origins []string `json:"origins"`
}

var sent requests

// The product commits as often.
const commitInterval = 100 * time.Millisecond

func newClient(given options, more ...kgo.Opt) *kgo.Client {
	client, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(given.Brokers...),
		kgo.WithHooks(&sent),
		kgo.RequiredAcks(kgo.AllISRAcks()),
		kgo.ProducerBatchCompression(kgo.ZstdCompression()),
		kgo.ProducerLinger(time.Duration(given.LingerMs * float64(time.Millisecond))),
	}, more...)...)
	program.Must(err)
	return client
}

func newReader(given options, topic string) *kgo.Client {
	return newClient(given,
		kgo.ConsumerGroup(given.Group+topic),
		kgo.ConsumeTopics(topic),
		kgo.AutoCommitMarks(),
		kgo.AutoCommitInterval(commitInterval),
	)
}

func main() {
	var given options
	if len(os.Args) != 2 {
		program.Must(errors.New("usage: logrelay <options as JSON>"))
	}
	program.Must(json.Unmarshal([]byte(os.Args[1]), &given))
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	program.Must(err)
	sender := newSender(given.Origins)
	go func() { program.Must(http.Serve(listener, intake{newClient(given), given.Topics[0]})) }()
	go move(newReader(given, given.Topics[0]), given.Topics[1])
	go sender.deliver(newReader(given, given.Topics[1]))
	program.Serve([]int{listener.Addr().(*net.TCPAddr).Port}, func(question string) any {
		if question == "requests" {
			return sent.byAPI()
		}
		return map[string]any{"count": sender.posted.Load(), "cpuSeconds": program.CPUSeconds()}
	})
}
