package hookline

import (
	"context"
	"sync"
	"time"
)

// A Client queues messages and sends them in batches. All of its methods may be called by many
// goroutines at once. Close it when it is not needed any more.
type Client struct {
	// Size, FlushAt, FlushAfter and Endpoint are as in [Config]. They can be set until the first call; zero
	// stands for the default.
	Size, FlushAt int
	FlushAfter    time.Duration
	Endpoint      string

	writeKey  string
	config    Config
	host      host
	isVerbose bool

	once     sync.Once // the first call, or Close before it
	startErr error
	queue    *queue
	sender   *sender
	encoders sync.Pool
}

// New gives a client for the source with this write key. It starts with the first call.
func New(writeKey string) *Client {
	return newClient(writeKey, Config{}, realHost())
}

// NewWithConfig gives a client with settings, or a [ConfigError] that names the first one that is wrong.
func NewWithConfig(writeKey string, config Config) (*Client, error) {
	c := newClient(writeKey, config, realHost())
	if _, _, err := c.settings(); err != nil {
		return nil, err
	}
	return c, nil
}

func newClient(writeKey string, config Config, h host) *Client {
	return &Client{
		Size:       config.Size,
		FlushAt:    config.FlushAt,
		FlushAfter: config.FlushAfter,
		Endpoint:   config.Endpoint,
		writeKey:   writeKey,
		config:     config,
		host:       h,
		isVerbose:  isDebugging(),
	}
}

// Track says that a user did something. The error says why the message is not accepted.
func (c *Client) Track(m *Track) error { return c.enqueue(m) }

// Identify ties a user to traits. The error says why the message is not accepted.
func (c *Client) Identify(m *Identify) error { return c.enqueue(m) }

// Page says that a user saw a page. The error says why the message is not accepted.
func (c *Client) Page(m *Page) error { return c.enqueue(m) }

// Screen says that a user saw a screen. The error says why the message is not accepted.
func (c *Client) Screen(m *Screen) error { return c.enqueue(m) }

// Group puts a user into a group. The error says why the message is not accepted.
func (c *Client) Group(m *Group) error { return c.enqueue(m) }

// Alias says that two ids are one user. The error says why the message is not accepted.
func (c *Client) Alias(m *Alias) error { return c.enqueue(m) }

func (c *Client) enqueue(m message) error {
	if err := c.begin(); err != nil {
		return err
	}
	if err := m.check(); err != nil {
		return err
	}
	e := c.encoders.Get().(*encoder)
	defer c.keep(e)
	e.reset(c.host)
	m.write(e)
	if e.err != nil {
		return e.err
	}
	if len(e.buf) > MaxMessageBytes {
		return ErrMessageTooLarge
	}
	if err := c.queue.add(e.buf); err != nil {
		return err
	}
	if c.isVerbose {
		c.sender.debugf("queued %s", e.buf)
	}
	return nil
}

// keep leaves the encoder to a later call, unless its buffer has grown by a message that was too large.
func (c *Client) keep(e *encoder) {
	if cap(e.buf) <= 2*MaxMessageBytes {
		c.encoders.Put(e)
	}
}

// Flush sends what is queued and waits until each message that was accepted before is delivered or handed to
// [Config.OnError]. Its error is the context's.
func (c *Client) Flush(ctx context.Context) error {
	if err := c.begin(); err != nil {
		return err
	}
	for _, settled := range c.queue.flushAll() {
		select {
		case <-settled:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Close is CloseContext with [Config.CloseTimeout].
func (c *Client) Close() error {
	timeout := orDefault(c.config.CloseTimeout, DefaultCloseTimeout)
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return c.CloseContext(ctx)
}

// CloseContext refuses further messages, sends what is queued and waits for it. When the context ends first, what is not
// delivered by then is handed to [Config.OnError], and the error is an [UnsentError]. Each further Close waits as well
// and gives the same.
func (c *Client) CloseContext(ctx context.Context) error {
	c.once.Do(func() { c.startErr = ErrClosed })
	if c.sender == nil {
		return nil
	}
	c.queue.close()
	return c.sender.close(ctx)
}

// begin starts the client at the first call; what it gives later is the same.
func (c *Client) begin() error {
	c.once.Do(func() { c.startErr = c.start() })
	return c.startErr
}

func (c *Client) settings() (Config, []byte, error) {
	given := c.config
	given.Size, given.FlushAt, given.FlushAfter, given.Endpoint = c.Size, c.FlushAt, c.FlushAfter, c.Endpoint
	config, err := given.withDefaults()
	if err != nil {
		return config, nil, err
	}
	if c.writeKey == "" {
		return config, nil, &ConfigError{"the write key", "must not be empty"}
	}
	tail, err := tailOf(config)
	return config, tail, err
}

func (c *Client) start() error {
	config, tail, err := c.settings()
	if err != nil {
		return err
	}
	c.encoders.New = func() any { return new(encoder) }
	c.queue = newQueue(config, tail, c.host.now)
	c.sender = newSender(senderParts{config: config, queue: c.queue, host: c.host, writeKey: c.writeKey, isVerbose: c.isVerbose})
	return nil
}
