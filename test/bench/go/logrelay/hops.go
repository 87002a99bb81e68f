package main

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"

	"hookline/test/bench/go/program"
)

var (
	userMark = []byte(`"userId":"`)
	accepted = []byte(`{"success":true}`)
)

// Calls of a user stay in order, as in the product.
func keyOf(body []byte) []byte {
	at := bytes.Index(body, userMark)
	if at < 0 {
		return nil
	}
	user := body[at+len(userMark):]
	return user[:max(0, bytes.IndexByte(user, '"'))]
}

// intake writes what is posted to the first topic.
type intake struct {
	client *kgo.Client
	topic  string
}

// ServeHTTP answers when the record is on all in-sync replicas.
func (i intake) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	written := make(chan error, 1)
	record := kgo.Record{Topic: i.topic, Key: keyOf(body), Value: body}
	i.client.Produce(context.Background(), &record, func(_ *kgo.Record, err error) { written <- err })
	program.Must(<-written)
	response.Header().Set("Content-Type", "application/json")
	_, _ = response.Write(accepted)
}

func poll(client *kgo.Client) kgo.Fetches {
	fetches := client.PollFetches(context.Background())
	for _, failed := range fetches.Errors() {
		program.Must(failed.Err)
	}
	return fetches
}

// move is the second hop. Acknowledgements come in the order of the records, as a key has the same partition in both topics: what is
// marked, and committed, has everything before it written.
func move(client *kgo.Client, topic string) {
	for {
		poll(client).EachRecord(func(record *kgo.Record) {
			next := kgo.Record{Topic: topic, Key: record.Key, Value: record.Value}
			client.Produce(context.Background(), &next, func(_ *kgo.Record, err error) {
				program.Must(err)
				client.MarkCommitRecords(record)
			})
		})
	}
}

// Calls of as many users of a partition are under way at once: about as many as the product has.
const lanes = 16

// Calls that wait for a lane before reading waits for it.
const waitingCalls = 1024

// More than there are lanes of all partitions.
const idleConnections = 256

type sender struct {
	http    *http.Client
	origins []string
	// Calls that were begun, and that were answered 200.
	begun, posted atomic.Int64
}

func newSender(origins []string) *sender {
	transport := &http.Transport{MaxIdleConns: 0, MaxIdleConnsPerHost: idleConnections, DisableCompression: true}
	return &sender{http: &http.Client{Transport: transport}, origins: origins}
}

// deliver posts the calls of a user one after the other, those of all lanes at once. What is committed may be ahead of a call that is under
// way: a process that ends here loses it, which is cheaper than what the product does.
func (s *sender) deliver(client *kgo.Client) {
	partitions := map[int32]*[lanes]chan *kgo.Record{}
	for {
		poll(client).EachPartition(func(fetched kgo.FetchTopicPartition) {
			ofPartition, isKnown := partitions[fetched.Partition]
			if !isKnown {
				ofPartition = s.openLanes(client)
				partitions[fetched.Partition] = ofPartition
			}
			for _, record := range fetched.Records {
				ofPartition[crc32.ChecksumIEEE(record.Key)%lanes] <- record
			}
		})
	}
}

func (s *sender) openLanes(client *kgo.Client) *[lanes]chan *kgo.Record {
	var opened [lanes]chan *kgo.Record
	for at := range opened {
		opened[at] = make(chan *kgo.Record, waitingCalls)
		go s.postAll(client, opened[at])
	}
	return &opened
}

func (s *sender) postAll(client *kgo.Client, calls <-chan *kgo.Record) {
	for record := range calls {
		s.post(record.Value)
		client.MarkCommitRecords(record)
	}
}

func (s *sender) post(body []byte) {
	origin := s.origins[int(s.begun.Add(1))%len(s.origins)]
	response, err := s.http.Post(origin+"/bench", "application/json", bytes.NewReader(body))
	program.Must(err)
	_, err = io.Copy(io.Discard, response.Body)
	program.Must(err)
	program.Must(response.Body.Close())
	if response.StatusCode != http.StatusOK {
		program.Must(fmt.Errorf("an endpoint answered %d", response.StatusCode))
	}
	s.posted.Add(1)
}
