package hookline

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An encoder writes messages as JSON by hand: one growing buffer, no reflection for the types that
// properties are made of. What it writes is what JSON.stringify would write after JSON.parse, so both clients send
// the same bytes, and the server counts the same size.
type encoder struct {
	host  host
	buf   []byte
	pairs []pair // a stack: the entries of the maps that are being written
	depth int
	err   error // the first one
}

type pair struct {
	key   string
	value any
}

func (e *encoder) reset(h host) {
	e.host, e.buf, e.pairs, e.depth, e.err = h, e.buf[:0], e.pairs[:0], 0, nil
}

// begin opens a message.
func (e *encoder) begin(kind, messageId, timestamp string) {
	e.depth = 1
	e.buf = append(append(append(e.buf, `{"type":"`...), kind...), `","messageId":"`...)
	if messageId == "" {
		e.buf = e.host.appendId(e.buf)
	} else {
		e.buf = appendEscaped(e.buf, messageId)
	}
	e.buf = append(e.buf, `","timestamp":"`...)
	if timestamp == "" {
		e.buf = appendTimestamp(e.buf, e.host.now())
	} else {
		e.buf = appendEscaped(e.buf, timestamp)
	}
	e.buf = append(e.buf, '"')
}

// text writes a field of the message; nothing when it is empty.
func (e *encoder) text(name, value string) {
	if value == "" {
		return
	}
	e.name(name)
	e.string(value)
}

// object writes a field of the message; nothing when it is nil.
func (e *encoder) object(name string, value map[string]any) {
	if value == nil {
		return
	}
	e.name(name)
	e.anyMap(value)
}

func (e *encoder) name(name string) {
	e.buf = append(append(append(e.buf, `,"`...), name...), `":`...)
}

// end closes the message.
func (e *encoder) end(context, integrations map[string]any) {
	e.object("context", context)
	e.object("integrations", integrations)
	e.buf = append(e.buf, '}')
}

func (e *encoder) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

// enter counts a level; without it what it is asked for must not be written.
func (e *encoder) enter() bool {
	if e.depth >= MaxMessageDepth {
		e.fail(ErrNestedTooDeep)
	}
	e.depth++
	return e.err == nil
}

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

func writeList[T any](e *encoder, items []T, write func(T)) {
	if items == nil {
		e.buf = append(e.buf, "null"...)
		return
	}
	if !e.enter() {
		return
	}
	e.buf = append(e.buf, '[')
	for i, item := range items {
		if e.err != nil {
			return
		}
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		write(item)
	}
	e.buf = append(e.buf, ']')
	e.depth--
}

func (e *encoder) anyMap(values map[string]any) {
	if values == nil {
		e.buf = append(e.buf, "null"...)
		return
	}
	start := len(e.pairs)
	for key, value := range values {
		e.pairs = append(e.pairs, pair{key, value})
	}
	e.entries(start)
}

func (e *encoder) stringMap(values map[string]string) {
	if values == nil {
		e.buf = append(e.buf, "null"...)
		return
	}
	start := len(e.pairs)
	for key, value := range values {
		e.pairs = append(e.pairs, pair{key, value})
	}
	e.entries(start)
}

// entries writes the pairs from start on as an object and takes them from the stack.
func (e *encoder) entries(start int) {
	// What is on the stack may move when it grows, so it is reached by its place.
	end := len(e.pairs)
	if e.enter() {
		slices.SortFunc(e.pairs[start:end], byKey)
		e.buf = append(e.buf, '{')
		for i := start; i < end && e.err == nil; i++ {
			if i > start {
				e.buf = append(e.buf, ',')
			}
			e.string(e.pairs[i].key)
			e.buf = append(e.buf, ':')
			e.value(e.pairs[i].value)
		}
		e.buf = append(e.buf, '}')
		e.depth--
	}
	clear(e.pairs[start:end])
	e.pairs = e.pairs[:start]
}

// byKey puts keys into the order in which JavaScript keeps them once they are parsed: array indexes first, by
// number; of the others the order is ours.
func byKey(a, b pair) int {
	i, isIndexA := arrayIndex(a.key)
	j, isIndexB := arrayIndex(b.key)
	switch {
	case isIndexA && isIndexB:
		return cmp.Compare(i, j)
	case isIndexA:
		return -1
	case isIndexB:
		return 1
	default:
		return strings.Compare(a.key, b.key)
	}
}

const maxArrayIndex = 1<<32 - 2

func arrayIndex(key string) (uint64, bool) {
	if key == "" || len(key) > 10 || key[0] > '9' || key[0] == '0' && len(key) > 1 {
		return 0, false
	}
	var index uint64
	for _, digit := range []byte(key) {
		if digit < '0' || digit > '9' {
			return 0, false
		}
		index = index*10 + uint64(digit-'0')
	}
	return index, index <= maxArrayIndex
}
