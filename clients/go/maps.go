package hookline

import (
	"cmp"
	"slices"
	"strings"
)

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
