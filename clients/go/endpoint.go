package hookline

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// maxAnswerBytes is more than the longest answer: a rejection for each of 2,500 messages.
const maxAnswerBytes = 1 << 20

// An endpoint is where requests go.
type endpoint struct {
	url       *url.URL
	header    http.Header
	transport http.RoundTripper
	isGzip    bool
	now       func() time.Time
	gzips     sync.Pool
	// close lets go of connections that are kept open.
	close func()
}

func newEndpoint(parts senderParts) *endpoint {
	c := parts.config
	parsed, _ := url.Parse(c.Endpoint) // which has been checked
	credentials := base64.StdEncoding.EncodeToString([]byte(parts.writeKey + ":"))
	e := &endpoint{url: parsed, transport: c.Transport, isGzip: c.Gzip, now: parts.host.now, close: func() {}}
	e.header = http.Header{
		"Authorization": {"Basic " + credentials},
		"Content-Type":  {"application/json"},
		"User-Agent":    {userAgent},
	}
	if c.Gzip {
		e.header.Set("Content-Encoding", "gzip")
	}
	e.gzips.New = func() any { return gzip.NewWriter(io.Discard) }
	if e.transport == nil {
		own := newTransport(c.Concurrency)
		e.transport, e.close = own, own.CloseIdleConnections
	}
	return e
}

func newTransport(concurrency int) *http.Transport {
	standard, isStandard := http.DefaultTransport.(*http.Transport)
	if !isStandard {
		return &http.Transport{Proxy: http.ProxyFromEnvironment}
	}
	own := standard.Clone()
	own.MaxIdleConnsPerHost = concurrency
	return own
}

// An answer is what came of one request.
type answer struct {
	err      error // nil for a success
	canRetry bool
	// retryAfter is what the endpoint asked for.
	retryAfter time.Duration
	rejected   []rejection
}

type rejection struct {
	Index   int    `json:"index"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// post makes one request. Redirects are not followed.
func (e *endpoint) post(ctx context.Context, p *payload) answer {
	response, err := e.transport.RoundTrip(e.request(ctx, p))
	if err != nil {
		return answer{err: err, canRetry: true}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes))
	status := response.StatusCode
	if status >= 200 && status < 300 {
		// Accepted, whatever became of the rest of the answer; only what was refused would stand there.
		return answer{rejected: rejectionsOf(body)}
	}
	if err != nil {
		body = nil
	}
	return answer{
		err:        statusErrorOf(status, body),
		canRetry:   status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= 500,
		retryAfter: retryAfterOf(response.Header, e.now()),
	}
}

func (e *endpoint) request(ctx context.Context, p *payload) *http.Request {
	content := p.bytes
	if e.isGzip {
		content = e.compressed(content)
	}
	request := &http.Request{
		Method:        http.MethodPost,
		URL:           e.url,
		Host:          e.url.Host,
		Header:        e.header.Clone(),
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		ContentLength: int64(len(content)),
		Body:          p.reader(content),
		// For a kept connection that the server has just closed.
		GetBody: func() (io.ReadCloser, error) { return p.reader(content), nil },
	}
	return request.WithContext(ctx)
}

func (e *endpoint) compressed(content []byte) []byte {
	var to bytes.Buffer
	writer := e.gzips.Get().(*gzip.Writer)
	defer e.gzips.Put(writer)
	writer.Reset(&to)
	// A buffer takes everything.
	_, _ = writer.Write(content)
	_ = writer.Close()
	return to.Bytes()
}

func rejectionsOf(body []byte) []rejection {
	var answered struct {
		Rejected []rejection `json:"rejected"`
	}
	// The answer of a proxy may be anything.
	if json.Unmarshal(body, &answered) != nil {
		return nil
	}
	return answered.Rejected
}

func statusErrorOf(status int, body []byte) error {
	var answered struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	if json.Unmarshal(body, &answered) != nil {
		return &StatusError{Status: status}
	}
	return &StatusError{Status: status, Code: answered.Code, Message: answered.Message}
}
