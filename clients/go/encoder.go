package hookline

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
