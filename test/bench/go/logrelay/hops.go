package main

import (
	"bytes"
	"context"
	"fmt"
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

// Batches that wait for a partition before reading waits for it.
const waitingBatches = 16

// More than there are partitions.
const idleConnections = 64

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

// deliver posts a partition's records one after the other, those of all partitions at once.
func (s *sender) deliver(client *kgo.Client) {
	partitions := map[int32]chan []*kgo.Record{}
	for {
		poll(client).EachPartition(func(fetched kgo.FetchTopicPartition) {
			waiting, isKnown := partitions[fetched.Partition]
			if !isKnown {
				waiting = make(chan []*kgo.Record, waitingBatches)
				partitions[fetched.Partition] = waiting
				go s.postAll(client, waiting)
			}
			waiting <- fetched.Records
		})
	}
}

func (s *sender) postAll(client *kgo.Client, batches <-chan []*kgo.Record) {
	for records := range batches {
		for _, record := range records {
			s.post(record.Value)
			client.MarkCommitRecords(record)
		}
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
