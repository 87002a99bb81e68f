package hookline

// Identify ties a user to traits: call it once when an account is created, then when
// traits change.
type Identify struct {
	// UserId is the id of the user in your database. UserId or AnonymousId is required.
	UserId string `json:"userId,omitempty"`
	// AnonymousId is the id of a user who is not known yet.
	AnonymousId string `json:"anonymousId,omitempty"`
	// Traits are what is known of the user.
	Traits map[string]any `json:"traits,omitzero"`
	// Timestamp is when it happened, in ISO 8601, for imports of the past (see [Timestamp]).
	// Without it: the time of the call, which the server puts on its own clock.
	Timestamp string `json:"timestamp,omitempty"`
	// Context is what surrounds the call, like device or locale; not attributes of the user.
	Context map[string]any `json:"context,omitzero"`
	// Integrations says which destinations get the call, by name; {"All": false} switches off
	// those that are not explicitly true.
	Integrations map[string]any `json:"integrations,omitzero"`
	// MessageId tells duplicates apart, at most 100 characters. Default: a random one.
	MessageId string `json:"messageId,omitempty"`
}

// Track says that a user did something.
type Track struct {
	// Event is the name of what happened. Required.
	Event string `json:"event,omitempty"`
	// UserId is the id of the user in your database. UserId or AnonymousId is required.
	UserId string `json:"userId,omitempty"`
	// AnonymousId is the id of a user who is not known yet.
	AnonymousId string `json:"anonymousId,omitempty"`
	// Properties are what is known of the event.
	Properties map[string]any `json:"properties,omitzero"`
	// Timestamp, Context, Integrations and MessageId are as in [Identify].
	Timestamp    string         `json:"timestamp,omitempty"`
	Context      map[string]any `json:"context,omitzero"`
	Integrations map[string]any `json:"integrations,omitzero"`
	MessageId    string         `json:"messageId,omitempty"`
}

// Page says that a user saw a page of a website.
type Page struct {
	// UserId is the id of the user in your database. Required.
	UserId string `json:"userId,omitempty"`
	// AnonymousId is the id that the user had before.
	AnonymousId string `json:"anonymousId,omitempty"`
	// Category of the page.
	Category string `json:"category,omitempty"`
	// Name of the page.
	Name string `json:"name,omitempty"`
	// Traits of the page; url, title, referrer and path are recognised. They are sent as properties.
	Traits map[string]any `json:"properties,omitzero"`
	// Timestamp, Context, Integrations and MessageId are as in [Identify].
	Timestamp    string         `json:"timestamp,omitempty"`
	Context      map[string]any `json:"context,omitzero"`
	Integrations map[string]any `json:"integrations,omitzero"`
	MessageId    string         `json:"messageId,omitempty"`
}

// Screen says that a user saw a screen of an app.
type Screen struct {
	// UserId is the id of the user in your database. UserId or AnonymousId is required.
	UserId string `json:"userId,omitempty"`
	// AnonymousId is the id of a user who is not known yet.
	AnonymousId string `json:"anonymousId,omitempty"`
	// Category of the screen.
	Category string `json:"category,omitempty"`
	// Name of the screen.
	Name string `json:"name,omitempty"`
	// Properties of the screen.
	Properties map[string]any `json:"properties,omitzero"`
	// Timestamp, Context, Integrations and MessageId are as in [Identify].
	Timestamp    string         `json:"timestamp,omitempty"`
	Context      map[string]any `json:"context,omitzero"`
	Integrations map[string]any `json:"integrations,omitzero"`
	MessageId    string         `json:"messageId,omitempty"`
}

// Group puts a user into a group: a company, an organisation, an account, a project or a team.
type Group struct {
	// GroupId is the id of the group. Required.
	GroupId string `json:"groupId,omitempty"`
	// UserId is the id of the user in your database. UserId or AnonymousId is required.
	UserId string `json:"userId,omitempty"`
	// AnonymousId is the id of a user who is not known yet.
	AnonymousId string `json:"anonymousId,omitempty"`
	// Traits are what is known of the group.
	Traits map[string]any `json:"traits,omitzero"`
	// Timestamp, Context, Integrations and MessageId are as in [Identify].
	Timestamp    string         `json:"timestamp,omitempty"`
	Context      map[string]any `json:"context,omitzero"`
	Integrations map[string]any `json:"integrations,omitzero"`
	MessageId    string         `json:"messageId,omitempty"`
}

// Alias says that two ids are one user: an anonymous one and, after sign-up, an identified one.
type Alias struct {
	// UserId is the new identity. Required.
	UserId string `json:"userId,omitempty"`
	// PreviousId is the identity to alias from. Required.
	PreviousId string `json:"previousId,omitempty"`
	// Timestamp, Context, Integrations and MessageId are as in [Identify].
	Timestamp    string         `json:"timestamp,omitempty"`
	Context      map[string]any `json:"context,omitzero"`
	Integrations map[string]any `json:"integrations,omitzero"`
	MessageId    string         `json:"messageId,omitempty"`
}
