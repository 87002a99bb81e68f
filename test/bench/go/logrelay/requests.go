package main

import (
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// requests counts what all clients of this process write to brokers, by API.
type requests [128]atomic.Int64

// OnBrokerWrite is called by the client for each request.
func (r *requests) OnBrokerWrite(_ kgo.BrokerMetadata, key int16, _ int, _, _ time.Duration, _ error) {
	r[key].Add(1)
}

func (r *requests) byAPI() map[string]int64 {
	counts := map[string]int64{}
	for key := range r {
		if count := r[key].Load(); count > 0 {
			counts[kmsg.NameForKey(int16(key))] = count
		}
	}
	return counts
}
