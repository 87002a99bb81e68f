package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"time"

	"hookline/test/bench/go/program"
)

// What differs between two calls; every other byte is the same in all of them, and every field keeps its width.
const (
	userMark    = `"userId":"user-`
	messageMark = `"messageId":"bench-`
	sentMark    = `"sentAtMicros":`

	users       = 1000
	userDigits  = 4
	runDigits   = 20
	countDigits = 12
	sentDigits  = 16
)

// The places in the body at which one call's fields stand.
type callFields struct{ user, message, sent int }

// The requests of a run: one head for each write key, one body.
type template struct {
	heads [][]byte
	body  []byte
	calls []callFields
}

func fieldAt(body []byte, from int, mark string, width int) int {
	at := bytes.Index(body[from:], []byte(mark))
	if at < 0 || len(body) < from+at+len(mark)+width {
		program.Must(fmt.Errorf("the call has no %s with %d digits", mark, width))
	}
	return from + at + len(mark)
}

// Numbers messages of this process apart from those of any other.
func runNumber() []byte {
	return fmt.Appendf(nil, "%013d%07d", time.Now().UnixMilli(), os.Getpid())
}

func prepare(options options) template {
	body, path := []byte(options.Call), "/v1/track"
	if options.BatchSize > 1 {
		calls := bytes.Repeat(append(body, ','), options.BatchSize)
		body = append(append([]byte(`{"batch":[`), calls[:len(calls)-1]...), "]}"...)
		path = "/v1/batch"
	}
	prepared := template{body: body}
	run := runNumber()
	for at := range options.BatchSize {
		from := 0
		if at > 0 {
			from = max(prepared.calls[at-1].message, prepared.calls[at-1].sent, prepared.calls[at-1].user)
		}
		fields := callFields{
			user:    fieldAt(body, from, userMark, userDigits),
			message: fieldAt(body, from, messageMark, runDigits+1+countDigits),
			sent:    fieldAt(body, from, sentMark, sentDigits),
		}
		copy(body[fields.message:], run)
		prepared.calls = append(prepared.calls, fields)
	}
	target, err := url.Parse(options.Origins[0])
	program.Must(err)
	for _, key := range options.WriteKeys {
		prepared.heads = append(prepared.heads, head(target.Host, path, key, len(body)))
	}
	return prepared
}

func head(host, path, writeKey string, bodyBytes int) []byte {
	authorization := base64.StdEncoding.EncodeToString([]byte(writeKey + ":"))
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Basic %s\r\nContent-Type: application/json\r\nContent-Length: %s\r\n\r\n",
		path, host, authorization, strconv.Itoa(bodyBytes))
}

// Writes a number over the digits at the end of the field.
func putDigits(field []byte, number int64) {
	for at := len(field) - 1; at >= 0; at-- {
		field[at] = byte('0' + number%10)
		number /= 10
	}
}

// request writes request number `index` into `into` and gives it.
func (t *template) request(into []byte, index, sentMicros int64) []byte {
	into = append(into[:0], t.heads[index%int64(len(t.heads))]...)
	bodyAt := len(into)
	into = append(into, t.body...)
	body := into[bodyAt:]
	for at, fields := range t.calls {
		call := index*int64(len(t.calls)) + int64(at)
		putDigits(body[fields.user:fields.user+userDigits], call%users)
		count := fields.message + runDigits + 1
		putDigits(body[count:count+countDigits], call)
		putDigits(body[fields.sent:fields.sent+sentDigits], sentMicros)
	}
	return into
}
