package hookline

import (
	"encoding/hex"
	"math/rand/v2"
	"time"
)

const timestampLayout = "2006-01-02T15:04:05.000Z"

// host is where the client takes time and chance from; tests give others. Timers are Go's own:
// testing/synctest moves their clock.
type host struct {
	now func() time.Time
	// appendId appends a new message id.
	appendId func(to []byte) []byte
	// chance gives a number in [0, 1).
	chance func() float64
}

func realHost() host {
	return host{now: time.Now, appendId: appendUuid, chance: rand.Float64}
}

// appendUuid appends a random UUID (version 4). Go's generator is seeded by the system and never
// blocks; ids need to be unique, not secret.
func appendUuid(to []byte) []byte {
	var id [16]byte
	high, low := rand.Uint64(), rand.Uint64()
	for i := range 8 {
		id[i] = byte(high >> (8 * i))
		id[8+i] = byte(low >> (8 * i))
	}
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	to = hex.AppendEncode(to, id[0:4])
	to = hex.AppendEncode(append(to, '-'), id[4:6])
	to = hex.AppendEncode(append(to, '-'), id[6:8])
	to = hex.AppendEncode(append(to, '-'), id[8:10])
	return hex.AppendEncode(append(to, '-'), id[10:16])
}

func appendTimestamp(to []byte, t time.Time) []byte {
	return t.UTC().AppendFormat(to, timestampLayout)
}

// Timestamp gives a time in the form that a message's Timestamp field takes: ISO 8601, UTC, with milliseconds.
func Timestamp(t time.Time) string {
	return t.UTC().Format(timestampLayout)
}
