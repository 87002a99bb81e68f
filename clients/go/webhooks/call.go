package webhooks

import (
	"encoding/json"
	"time"
)

// A Call is a tracking call as Hookline delivers it.
type Call struct {
	// Type is "track", "identify", "page", "screen", "group", "alias" or "delete".
	Type string
	// MessageId is the same over all attempts. Several users' calls may have one: a copy
	// has the user, too (UserId, else AnonymousId).
	MessageId string
	// UserId, AnonymousId, Event, Name, Category, GroupId and PreviousId are empty where the call has none, or one that is no text.
	UserId, AnonymousId, Event, Name, Category, GroupId, PreviousId string
	// Timestamp is when it happened.
	Timestamp time.Time
	// Properties, Traits, Context and Integrations are nil where the call has none, or one that is no object.
	Properties, Traits, Context, Integrations map[string]any
	// Body is the whole call as it was signed, with everything that has no field here.
	Body []byte
}

// readCall reads a call by the exact names of its fields: encoding/json would also take "userid", which callers may send beside "userId".
func readCall(body []byte) (*Call, error) {
	call := &Call{Body: body}
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return nil, ErrNotACall
	}
	targets := map[string]any{
		"type": &call.Type, "messageId": &call.MessageId, "userId": &call.UserId, "anonymousId": &call.AnonymousId,
		"event": &call.Event, "name": &call.Name, "category": &call.Category, "groupId": &call.GroupId,
		"previousId": &call.PreviousId, "timestamp": &call.Timestamp, "properties": &call.Properties,
		"traits": &call.Traits, "context": &call.Context, "integrations": &call.Integrations,
	}
	for name, target := range targets {
		// Hookline checks the fields of each type of call. What else a caller puts beside them may be anything.
		_ = json.Unmarshal(fields[name], target)
	}
	if call.Type == "" {
		return nil, ErrNotACall
	}
	return call, nil
}
