package hookline

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

// Contract 9.3, 1.5.

var anyObject = map[string]any{"k": "v"}

// everyMessage has each type with each of its fields.
func everyMessage() []message {
	const at, id = "2012-12-02T00:30:08.276Z", "m1"
	return []message{
		&Identify{"u", "a", anyObject, at, anyObject, anyObject, id},
		&Track{"e", "u", "a", anyObject, at, anyObject, anyObject, id},
		&Page{"u", "a", "c", "n", anyObject, at, anyObject, anyObject, id},
		&Screen{"u", "a", "c", "n", anyObject, at, anyObject, anyObject, id},
		&Group{"g", "u", "a", anyObject, at, anyObject, anyObject, id},
		&Alias{"u", "p", at, anyObject, anyObject, id},
	}
}

func written(h host, m message) (string, error) {
	var e encoder
	e.reset(h)
	m.write(&e)
	return string(e.buf), e.err
}

func TestEveryFieldIsWrittenUnderItsName(t *testing.T) {
	kinds := []string{"identify", "track", "page", "screen", "group", "alias"}
	for i, m := range everyMessage() {
		text, err := written(realHost(), m)
		must(t, err)
		var got, want map[string]any
		must(t, json.Unmarshal([]byte(text), &got))
		oracle, err := json.Marshal(m)
		must(t, err)
		must(t, json.Unmarshal(oracle, &want))
		want["type"] = kinds[i]
		equal(t, kinds[i], got, want)
	}
}

func TestWhatIsNotGivenIsNotSent(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 123_999_999, time.FixedZone("", 3600))
	h := host{now: func() time.Time { return now }, appendId: func(to []byte) []byte { return append(to, "id"...) }}
	text, err := written(h, &Track{UserId: "u", Event: "e"})
	must(t, err)
	equal(t, "message", text, `{"type":"track","messageId":"id","timestamp":"2026-01-31T11:00:00.123Z","userId":"u","event":"e"}`)
	text, err = written(h, &Track{UserId: "u", Event: "e", Properties: map[string]any{}})
	must(t, err)
	equal(t, "an empty map is sent", strings.HasSuffix(text, `,"properties":{}}`), true)
}

func TestRequiredFields(t *testing.T) {
	long := strings.Repeat("é", 100)
	cases := []struct {
		m    message
		want string // the field that is named
	}{
		{&Identify{}, "UserId"},
		{&Identify{UserId: "u"}, ""},
		{&Identify{AnonymousId: "a"}, ""},
		{&Track{UserId: "u"}, "Event"},
		{&Track{Event: "e"}, "UserId"},
		{&Track{Event: "e", UserId: "u"}, ""},
		{&Track{Event: "e", AnonymousId: "a"}, ""},
		{&Page{}, "UserId"},
		{&Page{AnonymousId: "a"}, "UserId"},
		{&Page{UserId: "u"}, ""},
		{&Screen{}, "UserId"},
		{&Screen{AnonymousId: "a"}, ""},
		{&Group{UserId: "u"}, "GroupId"},
		{&Group{GroupId: "g"}, "UserId"},
		{&Group{GroupId: "g", AnonymousId: "a"}, ""},
		{&Alias{UserId: "u"}, "PreviousId"},
		{&Alias{PreviousId: "p"}, "UserId"},
		{&Alias{UserId: "u", PreviousId: "p"}, ""},
		{&Track{Event: "e", UserId: "u", MessageId: long}, ""},
		{&Track{Event: "e", UserId: "u", MessageId: long + "x"}, "MessageId"},
		{(*Identify)(nil), "the message"},
		{(*Track)(nil), "the message"},
		{(*Page)(nil), "the message"},
		{(*Screen)(nil), "the message"},
		{(*Group)(nil), "the message"},
		{(*Alias)(nil), "the message"},
	}
	for _, one := range cases {
		var wrong *FieldError
		errors.As(one.m.check(), &wrong)
		if wrong == nil {
			wrong = &FieldError{}
		}
		equal(t, "the field of", wrong.Field, one.want)
	}
}

func TestMessageIdsAreUuids(t *testing.T) {
	seen := map[string]bool{}
	for range 1_000 {
		id := string(appendUuid(nil))
		if len(id) != 36 || id[14] != '4' || !strings.ContainsRune("89ab", rune(id[19])) {
			t.Fatalf("no UUID of version 4: %s", id)
		}
		seen[id] = true
	}
	equal(t, "different ones", len(seen), 1_000)
}

func TestACallIsQueuedAsItWas(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		c := w.client(Config{})
		m := &Track{UserId: "before", Event: "E", Properties: map[string]any{"k": "before"}}
		must(t, c.Track(m))
		m.UserId, m.Properties["k"] = "after", "after"
		must(t, c.Close())
		if text := w.requests[0].body; strings.Contains(text, "after") || !bytes.Contains([]byte(text), []byte("before")) {
			t.Error(text)
		}
	})
}
