package hookline

import "unicode/utf8"

const maxMessageIdCharacters = 100

// A message can be checked and written as JSON.
type message interface {
	// check gives the field that is missing or wrong.
	check() error
	// write appends the message; what goes wrong is in the encoder's err.
	write(e *encoder)
}

func (m *Identify) check() error {
	if m == nil {
		return missingMessage("identify")
	}
	return first(someone("identify", m.UserId, m.AnonymousId), shortId("identify", m.MessageId))
}

func (m *Identify) write(e *encoder) {
	e.begin("identify", m.MessageId, m.Timestamp)
	e.text("userId", m.UserId)
	e.text("anonymousId", m.AnonymousId)
	e.object("traits", m.Traits)
	e.end(m.Context, m.Integrations)
}

func (m *Track) check() error {
	if m == nil {
		return missingMessage("track")
	}
	return first(required("track", "Event", m.Event), someone("track", m.UserId, m.AnonymousId), shortId("track", m.MessageId))
}

func (m *Track) write(e *encoder) {
	e.begin("track", m.MessageId, m.Timestamp)
	e.text("userId", m.UserId)
	e.text("anonymousId", m.AnonymousId)
	e.text("event", m.Event)
	e.object("properties", m.Properties)
	e.end(m.Context, m.Integrations)
}

func (m *Page) check() error {
	if m == nil {
		return missingMessage("page")
	}
	return first(required("page", "UserId", m.UserId), shortId("page", m.MessageId))
}

func (m *Page) write(e *encoder) {
	e.begin("page", m.MessageId, m.Timestamp)
	e.text("userId", m.UserId)
	e.text("anonymousId", m.AnonymousId)
	e.text("category", m.Category)
	e.text("name", m.Name)
	e.object("properties", m.Traits)
	e.end(m.Context, m.Integrations)
}

func (m *Screen) check() error {
	if m == nil {
		return missingMessage("screen")
	}
	return first(someone("screen", m.UserId, m.AnonymousId), shortId("screen", m.MessageId))
}

func (m *Screen) write(e *encoder) {
	e.begin("screen", m.MessageId, m.Timestamp)
	e.text("userId", m.UserId)
	e.text("anonymousId", m.AnonymousId)
	e.text("category", m.Category)
	e.text("name", m.Name)
	e.object("properties", m.Properties)
	e.end(m.Context, m.Integrations)
}

func (m *Group) check() error {
	if m == nil {
		return missingMessage("group")
	}
	return first(required("group", "GroupId", m.GroupId), someone("group", m.UserId, m.AnonymousId), shortId("group", m.MessageId))
}

func (m *Group) write(e *encoder) {
	e.begin("group", m.MessageId, m.Timestamp)
	e.text("userId", m.UserId)
	e.text("anonymousId", m.AnonymousId)
	e.text("groupId", m.GroupId)
	e.object("traits", m.Traits)
	e.end(m.Context, m.Integrations)
}

func (m *Alias) check() error {
	if m == nil {
		return missingMessage("alias")
	}
	return first(required("alias", "UserId", m.UserId), required("alias", "PreviousId", m.PreviousId), shortId("alias", m.MessageId))
}

func (m *Alias) write(e *encoder) {
	e.begin("alias", m.MessageId, m.Timestamp)
	e.text("userId", m.UserId)
	e.text("previousId", m.PreviousId)
	e.end(m.Context, m.Integrations)
}

func first(errors ...error) error {
	for _, err := range errors {
		if err != nil {
			return err
		}
	}
	return nil
}

func missingMessage(kind string) error {
	return &FieldError{kind, "the message", "is nil"}
}

func required(kind, field, value string) error {
	if value != "" {
		return nil
	}
	return &FieldError{kind, field, "is required"}
}

func someone(kind, userId, anonymousId string) error {
	if userId != "" || anonymousId != "" {
		return nil
	}
	return &FieldError{kind, "UserId", "or AnonymousId is required"}
}

func shortId(kind, id string) error {
	if len(id) <= maxMessageIdCharacters || utf8.RuneCountInString(id) <= maxMessageIdCharacters {
		return nil
	}
	return &FieldError{kind, "MessageId", "has more than 100 characters"}
}
