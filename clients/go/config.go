package hookline

import (
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The limits of Hookline.
const (
	// MaxMessageBytes is the largest size of a message as JSON: 32 KB.
	MaxMessageBytes = 32_768
	// MaxBatchBytes is the largest size of a request's body before compression: 500 KB.
	MaxBatchBytes = 512_000
	// MaxBatchMessages is the largest number of messages in a request.
	MaxBatchMessages = 2_500
	// MaxMessageDepth is how deep a message may nest; the message itself is level 1.
	MaxMessageDepth = 64
	// MaxContextBytes is the largest size of [Config.Context] as JSON, as it counts
	// for each message of a batch.
	MaxContextBytes = 4_096
)

// The defaults of what is not set.
const (
	DefaultEndpoint     = "http://127.0.0.1:8080" // where `npm start` of Hookline listens
	DefaultFlushAt      = 20
	DefaultFlushAfter   = 5 * time.Second
	DefaultTimeout      = 10 * time.Second
	DefaultRetryFor     = time.Hour
	DefaultQueueBytes   = 32 << 20
	DefaultCloseTimeout = 30 * time.Second
)

// FullPolicy is what a call does when the queue has no room for its message.
type FullPolicy int

const (
	// RejectWhenFull returns [ErrQueueFull] at once. It is the default: a tracking call never
	// holds up the program.
	RejectWhenFull FullPolicy = iota
	// BlockWhenFull waits until there is room, or returns [ErrClosed] when the client is closed.
	BlockWhenFull
)

// Config holds every setting of a client. The zero value of each stands for its default.
type Config struct {
	// Size and FlushAt name the same threshold: how many queued messages trigger
	// a flush, and so how many a request has at most. Of two that are given the smaller one
	// counts. 1 sends each message at once. Default 20, at most 2,500.
	Size, FlushAt int

	// FlushAfter is the time since the last flush that triggers a flush. Default 5 s.
	FlushAfter time.Duration

	// Endpoint is the URL of Hookline's ingest, like "https://calls.example.com"; "/v1/batch" is added.
	// A URL that ends with "/v1/batch" or "/v1/import" is taken as it is.
	Endpoint string

	// QueueBytes is the room for accepted messages that are not delivered yet, those under
	// way included, as requests hold them. Default 32 MiB, at least 512,000.
	QueueBytes int

	// WhenFull says what a call does when the queue is full. Default [RejectWhenFull].
	WhenFull FullPolicy

	// OnError is called once for each accepted message that could not be delivered, from
	// a goroutine of the client: it must not block. When it is nil the Logger gets a line.
	OnError func(Failure)

	// Timeout is how long one request may take, answer included. Default 10 s.
	Timeout time.Duration

	// RetryFor is for how long the messages of a batch are tried again, from the moment when they are ready to
	// be sent. Default 1 h. Hookline knows duplicates for 24 h, so longer is not wise.
	RetryFor time.Duration

	// CloseTimeout is how long Close waits for what is queued. Default 30 s.
	CloseTimeout time.Duration

	// Concurrency is the number of requests that may be under way at once. Default 1, which keeps
	// the order of calls; more is for endpoints that are far away.
	Concurrency int

	// Gzip compresses requests.
	Gzip bool

	// Context is added to the context of every message whose own keys win. At most 4 KB as JSON.
	Context map[string]any

	// Transport sends the requests. By default the client has one of its own, with the settings of
	// [http.DefaultTransport].
	Transport http.RoundTripper

	// Logger gets what DEBUG=analytics asks for, and lost messages when OnError is nil. Default: standard error.
	Logger Logger
}

// withDefaults gives the settings as they are used, or the first that is wrong.
func (c Config) withDefaults() (Config, error) {
	for _, check := range []func(*Config) error{checkNumbers, checkEndpoint} {
		if err := check(&c); err != nil {
			return c, err
		}
	}
	c.FlushAt = min(threshold(c.Size, c.FlushAt), MaxBatchMessages)
	c.FlushAfter = orDefault(c.FlushAfter, DefaultFlushAfter)
	c.QueueBytes = orDefault(c.QueueBytes, DefaultQueueBytes)
	c.Timeout = orDefault(c.Timeout, DefaultTimeout)
	c.RetryFor = orDefault(c.RetryFor, DefaultRetryFor)
	c.CloseTimeout = orDefault(c.CloseTimeout, DefaultCloseTimeout)
	c.Concurrency = orDefault(c.Concurrency, 1)
	if c.Logger == nil {
		c.Logger = standardError()
	}
	return c, nil
}

// threshold is the smaller one of those that are given.
func threshold(size, flushAt int) int {
	if size == 0 || flushAt == 0 {
		return orDefault(max(size, flushAt), DefaultFlushAt)
	}
	return min(size, flushAt)
}

func orDefault[T comparable](given, otherwise T) T {
	var zero T
	if given == zero {
		return otherwise
	}
	return given
}

func checkNumbers(c *Config) error {
	numbers := []struct {
		field string
		value int64
	}{
		{"Size", int64(c.Size)},
		{"FlushAt", int64(c.FlushAt)},
		{"FlushAfter", int64(c.FlushAfter)},
		{"QueueBytes", int64(c.QueueBytes)},
		{"Timeout", int64(c.Timeout)},
		{"RetryFor", int64(c.RetryFor)},
		{"CloseTimeout", int64(c.CloseTimeout)},
		{"Concurrency", int64(c.Concurrency)},
	}
	for _, each := range numbers {
		if each.value < 0 {
			return &ConfigError{each.field, "must not be negative"}
		}
	}
	if c.QueueBytes != 0 && c.QueueBytes < MaxBatchBytes {
		return &ConfigError{"QueueBytes", "must have room for a batch of 512,000 bytes"}
	}
	if c.WhenFull != RejectWhenFull && c.WhenFull != BlockWhenFull {
		return &ConfigError{"WhenFull", "must be RejectWhenFull or BlockWhenFull"}
	}
	return nil
}

// checkEndpoint makes the URL of the requests of it.
func checkEndpoint(c *Config) error {
	endpoint := orDefault(c.Endpoint, DefaultEndpoint)
	parsed, err := url.Parse(endpoint)
	// The text itself is not repeated: it could hold a password.
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return &ConfigError{"Endpoint", "must be a full URL with http or https"}
	}
	if parsed.User != nil {
		return &ConfigError{"Endpoint", "must not have a user name or password"}
	}
	parsed.Path = strings.TrimRight(parsed.Path, "/")
	if !strings.HasSuffix(parsed.Path, "/v1/batch") && !strings.HasSuffix(parsed.Path, "/v1/import") {
		parsed.Path += "/v1/batch"
	}
	parsed.RawPath = ""
	c.Endpoint = parsed.String()
	return nil
}
