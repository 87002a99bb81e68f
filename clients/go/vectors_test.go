package hookline

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

func readVectors(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile("../vectors/" + name)
	must(t, err)
	must(t, json.Unmarshal(text, into))
}

// vectorClient sends at one fixed time.
func (w *world) vectorClient(writeKey, sentAt string, config Config) *Client {
	now, err := time.Parse(time.RFC3339, sentAt)
	must(w.t, err)
	config.Endpoint, config.Transport, config.FlushAt = "http://ingest", w.transport, 100
	h := realHost()
	h.now = func() time.Time { return now }
	return newClient(writeKey, config, h)
}

// call makes a message of the fields of a vector, and the call with it.
func (c *Client) call(t *testing.T, fields json.RawMessage) error {
	t.Helper()
	var kind struct{ Type string }
	must(t, json.Unmarshal(fields, &kind))
	messages := map[string]message{
		"identify": &Identify{}, "track": &Track{}, "page": &Page{}, "screen": &Screen{}, "group": &Group{}, "alias": &Alias{},
	}
	m := messages[kind.Type]
	must(t, json.Unmarshal(fields, m))
	switch m := m.(type) {
	case *Identify:
		return c.Identify(m)
	case *Track:
		return c.Track(m)
	case *Page:
		return c.Page(m)
	case *Screen:
		return c.Screen(m)
	case *Group:
		return c.Group(m)
	default:
		return c.Alias(m.(*Alias))
	}
}

func TestRequestsAreTheSharedVectors(t *testing.T) {
	var vectors struct {
		WriteKey string
		Headers  map[string]string
		Path     string
		Cases    []struct {
			Name    string
			Context map[string]any
			SentAt  string
			Calls   []json.RawMessage
			Body    string
		}
	}
	readVectors(t, "requests.json", &vectors)
	for _, one := range vectors.Cases {
		t.Run(one.Name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				c := w.vectorClient(vectors.WriteKey, one.SentAt, Config{Context: one.Context})
				for _, fields := range one.Calls {
					must(t, c.call(t, fields))
				}
				must(t, c.Close())
				equal(t, "body", w.requests[0].body, one.Body)
				equal(t, "path", w.requests[0].path, vectors.Path)
				for name, value := range vectors.Headers {
					equal(t, name, w.requests[0].header.Get(name), value)
				}
			})
		})
	}
}

type limitVectors struct {
	Context  map[string]any
	SentAt   string
	Message  Track
	Messages []struct {
		Bytes    int
		Pad      string
		Accepted bool
	}
	Batches []struct {
		Messages []int
		Requests []struct{ Messages, Bytes int }
	}
}

// padded gives the vectors' message with so many bytes.
func (v limitVectors) padded(bytes int, pad string) *Track {
	m := v.Message
	empty, _ := written(realHost(), &m)
	left, size := bytes-len(empty), len(appendEscaped(nil, pad))
	m.Properties = map[string]any{"pad": strings.Repeat(pad, left/size) + strings.Repeat("x", left%size)}
	return &m
}

func TestLimitsAreTheSharedVectors(t *testing.T) {
	var vectors limitVectors
	readVectors(t, "limits.json", &vectors)
	inWorld(t, func(t *testing.T, w *world) {
		c := w.vectorClient("key", vectors.SentAt, Config{Context: vectors.Context})
		for _, one := range vectors.Messages {
			m := vectors.padded(one.Bytes, one.Pad)
			text, _ := written(realHost(), m)
			equal(t, "bytes", len(text), one.Bytes)
			if err := c.Track(m); errors.Is(err, ErrMessageTooLarge) == one.Accepted {
				t.Errorf("%d bytes of %q: %v", one.Bytes, one.Pad, err)
			}
		}
		must(t, c.Close())
	})
	for _, one := range vectors.Batches {
		inWorld(t, func(t *testing.T, w *world) {
			c := w.vectorClient("key", vectors.SentAt, Config{Context: vectors.Context})
			for _, bytes := range one.Messages {
				must(t, c.Track(vectors.padded(bytes, "x")))
			}
			must(t, c.Close())
			equal(t, "requests", len(w.requests), len(one.Requests))
			for i, want := range one.Requests {
				equal(t, "messages", len(w.requests[i].batch), want.Messages)
				if want.Bytes != 0 {
					equal(t, "bytes", len(w.requests[i].body), want.Bytes)
				}
			}
		})
	}
}
