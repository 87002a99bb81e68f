package hookline

import (
	"errors"
	"fmt"
)

var (
	// ErrClosed is what calls return after Close.
	ErrClosed = errors.New("hookline: the client is closed")

	// ErrQueueFull is what calls return when the queue has no room and
	// [Config.WhenFull] is [RejectWhenFull].
	ErrQueueFull = errors.New("hookline: the queue is full")

	// ErrMessageTooLarge is what calls return for a message of more than
	// [MaxMessageBytes].
	ErrMessageTooLarge = fmt.Errorf("hookline: the message has more than %d bytes", MaxMessageBytes)

	// ErrNestedTooDeep is what calls return for a message that nests more than
	// [MaxMessageDepth] levels, so also for a map that holds itself.
	ErrNestedTooDeep = fmt.Errorf("hookline: the message nests deeper than %d levels", MaxMessageDepth)
)

// A FieldError says which field of a message is missing or wrong. The message
// is not accepted.
type FieldError struct {
	// Type is the type of the call: "track", "identify", …
	Type string
	// Field is the name of the field in its Go struct.
	Field string
	// Reason continues a sentence that begins with the field.
	Reason string
}

// Error tells type, field and reason.
func (e *FieldError) Error() string {
	return fmt.Sprintf("hookline: %s: %s %s", e.Type, e.Field, e.Reason)
}

// A ConfigError says which setting is wrong.
type ConfigError struct {
	// Field is the name of the setting.
	Field string
	// Reason continues a sentence that begins with the field.
	Reason string
}

// Error tells field and reason.
func (e *ConfigError) Error() string {
	return fmt.Sprintf("hookline: %s %s", e.Field, e.Reason)
}

// A StatusError is an answer of the endpoint that was no success.
type StatusError struct {
	// Status is the HTTP status.
	Status int
	// Code is Hookline's name for the reason, like "unknown_source"; empty when
	// the answer has none.
	Code string
	// Message is Hookline's explanation; empty when the answer has none.
	Message string
}

// Error tells status, code and message.
func (e *StatusError) Error() string {
	return fmt.Sprintf("hookline: the endpoint answered %d%s", e.Status, reason(e.Code, e.Message))
}

// A RejectedError says why a single message of a batch was refused while others
// of it were accepted.
type RejectedError struct {
	// Code is Hookline's name for the reason, like "event_not_string".
	Code string
	// Message is Hookline's explanation.
	Message string
}

// Error tells code and message.
func (e *RejectedError) Error() string {
	return "hookline: the message was refused" + reason(e.Code, e.Message)
}

func reason(code, message string) string {
	switch {
	case code == "":
		return ""
	case message == "":
		return ": " + code
	default:
		return fmt.Sprintf(": %s (%s)", code, message)
	}
}

// An UnsentError is what Close returns when its time was over before every
// message was delivered. Each of them has been handed to [Config.OnError].
type UnsentError struct {
	// Count is the number of messages that were not delivered.
	Count int
	// Err is the reason: the context's error.
	Err error
}

// Error tells the count and the reason.
func (e *UnsentError) Error() string {
	return fmt.Sprintf("hookline: closed with %d messages unsent: %v", e.Count, e.Err)
}

// Unwrap gives the context's error.
func (e *UnsentError) Unwrap() error { return e.Err }
