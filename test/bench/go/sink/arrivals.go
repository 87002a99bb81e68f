package main

import (
	"bytes"

	"hookline/test/bench/go/latency"
	"hookline/test/bench/go/program"
)

var (
	messageMark = []byte(`"messageId":"`)
	sentMark    = []byte(`"sentAtMicros":`)
	idPrefix    = []byte("bench-")
)

const (
	// A generator's message is bench-<run>-<count>, with this many digits (load/template.go).
	runDigits   = 20
	countDigits = 12
	// Calls whose way is looked at in detail: one of so many, and so many at most.
	sampledOneOf = 8
	mostSampled  = 20_000
	// While calls stumble, one of so many fails the first time.
	stumblesOneOf = 10
)

type sample struct {
	MessageID    string  `json:"messageId"`
	SentAtMs     float64 `json:"sentAtMs"`
	ReceivedAtMs float64 `json:"receivedAtMs"`
}

// Which messages of one run have arrived: one bit for each.
type seen []uint64

// first tells whether the number is new, and keeps it.
func (s *seen) first(number int64) bool {
	at, bit := int(number/64), uint64(1)<<(number%64)
	for len(*s) <= at {
		*s = append(*s, make([]uint64, len(*s)+1024)...)
	}
	isNew := (*s)[at]&bit == 0
	(*s)[at] |= bit
	return isNew
}

// What has arrived at all endpoints of this process.
type arrivals struct {
	runs map[string]*seen
	// Messages, each counted once; and how often one came again.
	count, doubles int64
	samples        []sample
	stumbledAt     map[string]int64
	// Of messages that failed once, how long the next time was in coming.
	againAfterMicros []int64
	stumblers        int64
	// From the sending time that the call carries to the first byte's arrival; of a message's first arrival.
	times latency.Times
}

func newArrivals() *arrivals {
	return &arrivals{runs: map[string]*seen{}, stumbledAt: map[string]int64{}, samples: []sample{}, againAfterMicros: []int64{}}
}

func textAfter(body, mark []byte, end byte) []byte {
	at := bytes.Index(body, mark)
	if at < 0 {
		return nil
	}
	text := body[at+len(mark):]
	if to := bytes.IndexByte(text, end); to >= 0 {
		return text[:to]
	}
	return nil
}

func number(text []byte) (int64, bool) {
	value := int64(0)
	for _, digit := range text {
		if digit < '0' || digit > '9' {
			return 0, false
		}
		value = value*10 + int64(digit-'0')
	}
	return value, len(text) > 0
}

// isNew tells whether a message has not come before. One that no generator has numbered counts as new.
func (a *arrivals) isNew(messageID []byte) bool {
	if len(messageID) != len(idPrefix)+runDigits+1+countDigits || !bytes.HasPrefix(messageID, idPrefix) {
		return true
	}
	run := messageID[len(idPrefix) : len(idPrefix)+runDigits]
	count, isNumber := number(messageID[len(idPrefix)+runDigits+1:])
	if !isNumber {
		return true
	}
	messages, isKnown := a.runs[string(run)]
	if !isKnown {
		messages = new(seen)
		a.runs[string(run)] = messages
	}
	return messages.first(count)
}

func digitsAfter(body, mark []byte) int64 {
	at := bytes.Index(body, mark)
	if at < 0 {
		return 0
	}
	value := int64(0)
	for _, digit := range body[at+len(mark):] {
		if digit < '0' || digit > '9' {
			break
		}
		value = value*10 + int64(digit-'0')
	}
	return value
}

// note records a call that arrived.
func (a *arrivals) note(body []byte, atMicros int64) {
	messageID := textAfter(body, messageMark, '"')
	sentMicros := digitsAfter(body, sentMark)
	if !a.isNew(messageID) {
		a.doubles++
		return
	}
	a.count++
	if sentMicros == 0 {
		return
	}
	a.times.Add(atMicros - sentMicros)
	if a.count%sampledOneOf == 0 && len(a.samples) < mostSampled {
		a.samples = append(a.samples, sample{string(messageID), float64(sentMicros) / 1000, float64(atMicros) / 1000})
	}
}

// stumbles tells whether this is the one time that the call fails.
func (a *arrivals) stumbles(body []byte, atMicros int64) bool {
	messageID := string(textAfter(body, messageMark, '"'))
	a.stumblers++
	firstMicros, isAgain := a.stumbledAt[messageID]
	if isAgain {
		a.againAfterMicros = append(a.againAfterMicros, atMicros-firstMicros)
		return false
	}
	if a.stumblers%stumblesOneOf != 0 {
		return false
	}
	a.stumbledAt[messageID] = atMicros
	return true
}

func (a *arrivals) takeSamples() []sample {
	taken := a.samples
	a.samples = []sample{}
	return taken
}

func (a *arrivals) takeAgain() []float64 {
	taken := []float64{}
	for _, micros := range a.againAfterMicros {
		taken = append(taken, float64(micros)/1000)
	}
	a.againAfterMicros = []int64{}
	return taken
}

func (a *arrivals) totals(requests int64) any {
	return map[string]any{
		"count": a.count, "doubles": a.doubles, "requests": requests, "cpuSeconds": program.CPUSeconds(),
	}
}
