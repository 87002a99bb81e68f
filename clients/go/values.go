package hookline

import (
	"encoding/json"
	"strconv"
	"time"
)

// value writes one value of properties, traits, context or integrations.
func (e *encoder) value(value any) {
	if len(e.buf) > MaxMessageBytes {
		e.fail(ErrMessageTooLarge)
		return
	}
	switch v := value.(type) {
	case nil:
		e.buf = append(e.buf, "null"...)
	case string:
		e.string(v)
	case bool:
		e.buf = strconv.AppendBool(e.buf, v)
	case float64:
		e.float(v, 64)
	case float32:
		e.float(float64(v), 32)
	case map[string]any:
		e.anyMap(v)
	case []any:
		writeList(e, v, e.value)
	case map[string]string:
		e.stringMap(v)
	case []string:
		writeList(e, v, e.string)
	case time.Time:
		e.time(v)
	default:
		e.number(value)
	}
}

func (e *encoder) number(value any) {
	switch v := value.(type) {
	case int:
		e.buf = strconv.AppendInt(e.buf, int64(v), 10)
	case int64:
		e.buf = strconv.AppendInt(e.buf, v, 10)
	case int32:
		e.buf = strconv.AppendInt(e.buf, int64(v), 10)
	case int16:
		e.buf = strconv.AppendInt(e.buf, int64(v), 10)
	case int8:
		e.buf = strconv.AppendInt(e.buf, int64(v), 10)
	case uint:
		e.buf = strconv.AppendUint(e.buf, uint64(v), 10)
	case uint64:
		e.buf = strconv.AppendUint(e.buf, v, 10)
	case uint32:
		e.buf = strconv.AppendUint(e.buf, uint64(v), 10)
	case uint16:
		e.buf = strconv.AppendUint(e.buf, uint64(v), 10)
	case uint8:
		e.buf = strconv.AppendUint(e.buf, uint64(v), 10)
	default:
		e.reflected(value)
	}
}

func (e *encoder) string(value string) {
	e.buf = append(appendEscaped(append(e.buf, '"'), value), '"')
}

func (e *encoder) float(value float64, bits int) {
	var err error
	if e.buf, err = appendFloat(e.buf, value, bits); err != nil {
		e.fail(err)
	}
}

func (e *encoder) time(value time.Time) {
	text, err := value.AppendText(append(e.buf, '"'))
	if err != nil {
		e.fail(err)
		return
	}
	e.buf = append(text, '"')
}

// reflected leaves a type that is not named here to encoding/json: structs, pointers, types of the caller's own.
func (e *encoder) reflected(value any) {
	encoding := json.NewEncoder((*appender)(&e.buf))
	encoding.SetEscapeHTML(false)
	if err := encoding.Encode(value); err != nil {
		e.fail(err)
		return
	}
	e.buf = e.buf[:len(e.buf)-1] // the line's end
}

type appender []byte

func (a *appender) Write(bytes []byte) (int, error) {
	*a = append(*a, bytes...)
	return len(bytes), nil
}
