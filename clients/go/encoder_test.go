package hookline

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

type named map[string]any
type custom struct {
	A int    `json:"a"`
	B string `json:"b,omitempty"`
}

func writtenValue(value any) (string, error) {
	e := encoder{depth: 1}
	e.value(value)
	return string(e.buf), e.err
}

func TestValues(t *testing.T) {
	cases := []struct {
		value any
		want  string
	}{
		{nil, `null`},
		{true, `true`},
		{"", `""`},
		{"a\"b\\c/<&>\b\f\n\r\t\x00\x1f\x7f é\u2028 😀", "\"a\\\"b\\\\c/<&>\\b\\f\\n\\r\\t\\u0000\\u001f\x7f é\u2028 😀\""},
		{"bad \xff\xc3 utf-8\xed\xa0\x80", "\"bad \ufffd\ufffd utf-8\ufffd\ufffd\ufffd\""},
		{1, `1`}, {int8(-8), `-8`}, {int16(16), `16`}, {int32(32), `32`}, {int64(math.MinInt64), `-9223372036854775808`},
		{uint(1), `1`}, {uint8(8), `8`}, {uint16(16), `16`}, {uint32(32), `32`}, {uint64(math.MaxUint64), `18446744073709551615`},
		{12.5, `12.5`}, {0.1, `0.1`}, {float32(0.1), `0.1`}, {float32(1e-6), `0.000001`}, {1e-6, `0.000001`},
		{1e-7, `1e-7`}, {-1.5e-10, `-1.5e-10`}, {123e18, `123000000000000000000`}, {1e21, `1e+21`}, {1.5e300, `1.5e+300`},
		{math.Copysign(0, -1), `0`}, {float32(0), `0`},
		{json.Number("1.50"), `1.50`},
		{map[string]any(nil), `null`}, {[]any(nil), `null`}, {map[string]string(nil), `null`}, {[]string(nil), `null`},
		{map[string]any{}, `{}`}, {[]any{}, `[]`},
		{map[string]any{"b": 1, "a": []any{nil, "x", map[string]any{"z": 1}}}, `{"a":[null,"x",{"z":1}],"b":1}`},
		{map[string]string{"b": "1", "a": "2"}, `{"a":"2","b":"1"}`},
		{[]string{"a", "b"}, `["a","b"]`},
		{map[string]any{"b": 0, "10": 1, "9": 2, "09": 3, "-1": 4, "4294967294": 5, "4294967295": 6, "": 7, "1e": 8}, `{"9":2,"10":1,"4294967294":5,"":7,"-1":4,"09":3,"1e":8,"4294967295":6,"b":0}`},
		{time.Date(2012, 12, 2, 0, 30, 8, 276_000_000, time.UTC), `"2012-12-02T00:30:08.276Z"`},
		{custom{A: 1, B: "<&>"}, `{"a":1,"b":"<&>"}`},
		{&custom{A: 2}, `{"a":2}`},
		{named{"k": "v"}, `{"k":"v"}`},
		{[]int{1, 2}, `[1,2]`},
		{time.Second, `1000000000`},
	}
	for _, one := range cases {
		got, err := writtenValue(one.value)
		must(t, err)
		equal(t, "value", got, one.want)
	}
}

func TestWhatCannotBeWrittenIsAnError(t *testing.T) {
	self := map[string]any{}
	self["self"] = self
	list := []any{nil}
	list[0] = list
	for _, value := range []any{self, list} {
		if _, err := writtenValue(value); !errors.Is(err, ErrNestedTooDeep) {
			t.Errorf("a ring: %v", err)
		}
	}
	for _, value := range []any{math.NaN(), math.Inf(1), float32(math.Inf(-1)), func() {}, make(chan int), []any{1, math.NaN()}, map[string]any{"a": math.NaN()}, time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)} {
		if text, err := writtenValue(value); err == nil {
			t.Errorf("%v is written as %s", value, text)
		}
	}
}

func TestDepthIsCountedAsTheServerCountsIt(t *testing.T) {
	nested := func(levels int) *Track {
		var value any = "x"
		for range levels {
			value = []any{value}
		}
		return &Track{UserId: "u", Event: "e", Properties: map[string]any{"p": value}}
	}
	// The message is level 1, its properties are level 2.
	_, err := written(realHost(), nested(MaxMessageDepth-2))
	must(t, err)
	if _, err := written(realHost(), nested(MaxMessageDepth-1)); !errors.Is(err, ErrNestedTooDeep) {
		t.Errorf("65 levels: %v", err)
	}
}

func TestTheEncoderKeepsNothingOfACall(t *testing.T) {
	var e encoder
	e.value(map[string]any{"a": map[string]any{"b": "c"}, "d": math.NaN()})
	for _, p := range e.pairs[:cap(e.pairs)] {
		if p != (pair{}) {
			t.Errorf("kept: %v", p)
		}
	}
}

// FuzzText: what is written reads back as the text, invalid bytes as U+FFFD.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"", "plain", "\"\\\b\f\n\r\t\x00\x1f", "é\u2028😀", "\xff\xc3(\xed\xa0\x80", "</script>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got string
		must(t, json.Unmarshal(append(appendEscaped([]byte{'"'}, text), '"'), &got))
		equal(t, "text", got, string([]rune(text)))
	})
}

// FuzzFloat: numbers read back as they were, in the form that encoding/json gives them (which is JavaScript's).
func FuzzFloat(f *testing.F) {
	for _, seed := range []float64{0, 1, -12.5, 1e-6, 9.99e-7, 1e-7, 1e20, 1e21, 1.7e308, 5e-324, math.Pi} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value float64) {
		for bits, number := range map[int]any{64: value, 32: float32(value)} {
			want, wantErr := json.Marshal(number)
			size := value
			if bits == 32 {
				size = float64(float32(value))
			}
			got, err := appendFloat(nil, size, bits)
			if (err == nil) != (wantErr == nil) {
				t.Fatalf("%v: %v, %v", number, err, wantErr)
			}
			if err == nil {
				equal(t, "number", string(got), strings.Replace(string(want), "-0", "0", b2i(size == 0)))
			}
		}
	})
}

func b2i(is bool) int {
	if is {
		return 1
	}
	return 0
}

// FuzzValues: any JSON as properties reads back as itself.
func FuzzValues(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, `{"10":[1.5e-9,{"x":null}],"9":"é","nested":{"deep":[[[]]]}}`, `{"":{"":""}}`, `[true,false]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var value any
		if json.Unmarshal(text, &value) != nil {
			return
		}
		got, err := writtenValue(value)
		if errors.Is(err, ErrNestedTooDeep) || errors.Is(err, ErrMessageTooLarge) {
			return
		}
		must(t, err)
		var again any
		must(t, json.Unmarshal([]byte(got), &again))
		if !reflect.DeepEqual(again, value) {
			t.Errorf("%s became %s", text, got)
		}
	})
}
