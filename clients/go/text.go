package hookline

import (
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// isPlain tells of an ASCII byte that it is written as it is.
var isPlain = func() (plain [utf8.RuneSelf]bool) {
	for b := range plain {
		plain[b] = b >= ' ' && b != '"' && b != '\\'
	}
	return plain
}()

// appendEscaped appends the inside of a JSON string, escaped as JSON.stringify does it. Bytes that are no
// UTF-8 become U+FFFD.
func appendEscaped(to []byte, text string) []byte {
	start := 0
	for i := 0; i < len(text); {
		b := text[i]
		if b < utf8.RuneSelf {
			if isPlain[b] {
				i++
				continue
			}
			to = appendEscape(append(to, text[start:i]...), b)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			to = utf8.AppendRune(append(to, text[start:i]...), utf8.RuneError)
			start = i + 1
		}
		i += size
	}
	return append(to, text[start:]...)
}

func appendEscape(to []byte, b byte) []byte {
	switch b {
	case '"', '\\':
		return append(to, '\\', b)
	case '\b':
		return append(to, '\\', 'b')
	case '\f':
		return append(to, '\\', 'f')
	case '\n':
		return append(to, '\\', 'n')
	case '\r':
		return append(to, '\\', 'r')
	case '\t':
		return append(to, '\\', 't')
	default:
		return append(to, '\\', 'u', '0', '0', hexDigits[b>>4], hexDigits[b&0xf])
	}
}

// appendFloat writes a number as JavaScript does: exponents below 1e-6 and from 1e21 on, and no minus zero.
func appendFloat(to []byte, value float64, bits int) ([]byte, error) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return to, fmt.Errorf("hookline: %v cannot be written as JSON", value)
	}
	size := math.Abs(value)
	if size == 0 {
		return append(to, '0'), nil
	}
	isPlainSize := size >= 1e-6 && size < 1e21
	if bits == 32 {
		isPlainSize = float32(size) >= 1e-6 && float32(size) < 1e21
	}
	if isPlainSize {
		return strconv.AppendFloat(to, value, 'f', -1, bits), nil
	}
	to = strconv.AppendFloat(to, value, 'e', -1, bits)
	// e-07 is e-7 there.
	if n := len(to); to[n-4] == 'e' && to[n-3] == '-' && to[n-2] == '0' {
		to[n-2] = to[n-1]
		to = to[:n-1]
	}
	return to, nil
}
