package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/action/lint"
	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/action/rank"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
	_ "github.com/modelverifier/verifier/internal/seed"
)

// reference is what the other surfaces write.
func reference(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

func compare(t interface{ Fatalf(string, ...any) }, v any) {
	want, wrong := reference(v)
	got, err := Append([]byte("before "), v)
	if (err != nil) != (wrong != nil) {
		t.Fatalf("%+v: error %v, encoding/json has %v", v, err, wrong)
	}
	if err == nil && string(got) != "before "+string(want) {
		t.Fatalf("%+v\n%s\nwant\n%s", v, got, want)
	}
	if err == nil && v != nil {
		if size := of(reflect.TypeOf(v)).size(reflect.ValueOf(v)); size != len(want) {
			t.Fatalf("%s is said to have %d bytes, and has %d", got, size, len(want))
		}
	}
}

// byPointer marshals itself where it can be pointed at.
type byPointer struct{ N int }

func (*byPointer) MarshalJSON() ([]byte, error) { return []byte(` [ "<self>" ] `), nil }

type text string

func (t text) MarshalText() ([]byte, error) { return []byte("<" + t + ">"), nil }

type inner struct{ Deep string }

type embedding struct {
	inner
	B bool
}

// odd has what no result has today, so that whoever adds it gets the right bytes.
type odd struct {
	Untagged   string
	Skipped    string `json:"-"`
	hidden     string
	NoName     bool               `json:",omitempty"`
	Zero       int64              `json:"zero,omitempty"`
	NilAny     any                `json:"nilAny,omitempty"`
	Any        any                `json:"any"`
	Pointer    *string            `json:"pointer,omitempty"`
	Empty      struct{}           `json:"empty,omitempty"`
	Again      *odd               `json:"again,omitempty"`
	Odds       []odd              `json:"odds,omitempty"`
	Small      int8               `json:"small"`
	Unsigned   uint16             `json:"unsigned"`
	Floats     []float64          `json:"floats"`
	Bytes      []byte             `json:"bytes"`
	Array      [2]bool            `json:"array"`
	Map        map[string]string  `json:"map,omitempty"`
	Self       byPointer          `json:"self"`
	Selves     []byPointer        `json:"selves"`
	ToSelf     *byPointer         `json:"toSelf"`
	Text       text               `json:"text"`
	Texts      map[text]text      `json:"texts"`
	Raw        json.RawMessage    `json:"raw,omitempty"`
	Compact    Compact            `json:"compact,omitempty"`
	Embedding  embedding          `json:"embedding"`
	Quoted     struct{ N string } `json:"quoted"`
	AsString   asString           `json:"asString"`
	NotZero    omitsZero          `json:"notZero"`
	HTML       string             `json:"<html>"`
	Anonymous  struct{ A, b int } `json:"anonymous"`
	ValueInAny any                `json:"valueInAny"`
}

type asString struct {
	N int `json:"n,string"`
}

type omitsZero struct {
	N struct{ X int } `json:"n,omitzero"`
}

// fill draws a value for everything that can be set, however the types change.
func fill(t *rapid.T, v reflect.Value, depth int) {
	switch v.Interface().(type) {
	case graph.Value:
		v.Set(reflect.ValueOf(drawValue(t)))
		return
	case quantity.Decimal:
		v.Set(reflect.ValueOf(quantity.Decimal{Unscaled: rapid.Int64().Draw(t, "unscaled"), Places: rapid.IntRange(0, 9).Draw(t, "places")}))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(drawString(t))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Int, reflect.Int8, reflect.Int64:
		v.SetInt(rapid.Int64Range(0, 8).Draw(t, "int") * rapid.SampledFrom([]int64{1, -1, math.MaxInt64 / 8}).Draw(t, "scale"))
	case reflect.Uint16:
		v.SetUint(uint64(rapid.Uint16().Draw(t, "uint")))
	case reflect.Float64:
		v.SetFloat(rapid.Float64Range(-1e30, 1e30).Draw(t, "float"))
	case reflect.Pointer:
		if depth > 0 && rapid.Bool().Draw(t, "there") {
			v.Set(reflect.New(v.Type().Elem()))
			fill(t, v.Elem(), depth-1)
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(rapid.SampledFrom([]string{`{ "a" : "<" }`, "null", "\"\u2028\""}).Draw(t, "raw")))
		} else if v.Type() == reflect.TypeFor[Compact]() {
			v.SetBytes([]byte(rapid.SampledFrom([]string{"", "null", "{\"a\":[\"<\u2028\"]}"}).Draw(t, "compact")))
		} else if n := rapid.IntRange(-1, 2).Draw(t, "items"); n >= 0 && depth > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				fill(t, v.Index(i), depth-1)
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(t, v.Field(i), depth)
			}
		}
	case reflect.Interface:
		if held := rapid.SampledFrom(held).Draw(t, "held"); held != nil && depth > 0 {
			data := reflect.New(reflect.TypeOf(held)).Elem()
			fill(t, data, depth-1)
			v.Set(data)
		}
	}
}

// held are what an interface may hold.
var held = []any{nil, check.PreflightData{}, check.DataData{}, check.TrainData{}, check.EvaluateData{}, check.DeployData{}, &check.DeployData{}, "", 0, byPointer{}, []any{}}

func drawString(t *rapid.T) string {
	if rapid.Bool().Draw(t, "plain") {
		return rapid.StringMatching(`[ -~]{0,12}`).Draw(t, "ascii")
	}
	return string(rapid.SliceOfN(rapid.Byte(), 0, 6).Draw(t, "bytes")) + rapid.SampledFrom([]string{"", "\u2028", "<&>", "\x7f", "é", "\xff", "\\", "\"", "\n\b\f\t\x00"}).Draw(t, "end")
}

func drawValue(t *rapid.T) graph.Value {
	return rapid.SampledFrom([]graph.Value{{}, graph.IntValue(-3), graph.FloatValue(1), graph.StringValue("<\u2028\x01>"), graph.IntsValue(1, 2)}).Draw(t, "value")
}

func TestAnswersAreTheBytesOfEncodingJSON(t *testing.T) {
	for _, v := range []any{check.Result{}, lint.Result{}, plan.Result{}, rank.Result{}, action.ErrorBody{}, odd{}} {
		depth := 5 // all that a result has
		if _, ok := v.(odd); ok {
			depth = 2 // it holds itself
		}
		t.Run(reflect.TypeOf(v).String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p := reflect.New(reflect.TypeOf(v))
				fill(t, p.Elem(), depth)
				compare(t, p.Interface())
				compare(t, p.Elem().Interface())
			})
		})
	}
}

func TestEveryKindIsWritten(t *testing.T) {
	there := "there"
	for _, v := range []any{
		nil, (*odd)(nil), odd{}, &odd{}, odd{hidden: there, Pointer: &there, Any: &there, Map: map[string]string{"b": "<", "a": "\xff"}, Texts: map[text]text{"k": "v"}}, "", "<é>", 7, uint8(7), 1.5,
		[]string(nil), []string{}, []any{nil, 1, "x"}, map[string]any{"a": []int{1}}, struct{}{}, &embedding{inner{"x"}, true}, json.RawMessage("{ }"), []byte("x"), new(byPointer), byPointer{},
		math.NaN(), []any{math.Inf(1)}, struct{ F func() }{}, map[bool]int{true: 1}, // these cannot be written
	} {
		compare(t, v)
	}
}

func TestStringsArePlainWithoutWhatIsEscaped(t *testing.T) {
	for size := 1; size <= 20; size++ {
		for at := range size {
			for c := range 256 {
				text := bytes.Repeat([]byte("~"), size)
				text[at] = byte(c)
				if want := c >= ' ' && c <= '~' && c != '"' && c != '\\'; isPlain(string(text)) != want {
					t.Fatalf("%q: plain is not %v", text, want)
				}
			}
		}
	}
}

func TestManyWriteAtOnce(t *testing.T) {
	for range 8 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			type fresh struct{ A []odd }
			compare(t, fresh{[]odd{{}, {}}})
		})
	}
}

func TestStringsAreEscapedAsByEncodingJSON(t *testing.T) {
	for c := range 0x3000 {
		compare(t, "a"+string(rune(c))+"b")
	}
	for c := range 256 {
		compare(t, "a"+string([]byte{byte(c)})+"é")
	}
	rapid.Check(t, func(t *rapid.T) {
		compare(t, rapid.String().Draw(t, "text"))
		compare(t, string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")))
	})
}

// TestAnAnswerAtItsLimitIsWrittenOnce holds that text which is escaped takes no more memory near the limit than elsewhere, whether the answer fits
// or not.
func TestAnAnswerAtItsLimitIsWrittenOnce(t *testing.T) {
	for _, c := range []struct {
		name string
		text []string
		fits bool
	}{
		{"fits", []string{strings.Repeat("a", MaxBytes-2<<20), strings.Repeat(`\`, 1<<20-8)}, true},
		{"one too many", []string{strings.Repeat("a", MaxBytes-2<<20), strings.Repeat(`\`, 1<<20)}, false},
		{"many too many", []string{strings.Repeat("a", MaxBytes-3<<20), strings.Repeat(`\`, 2<<20)}, false},
		{"plain", []string{strings.Repeat("a", MaxBytes), strings.Repeat("a", 1<<20)}, false},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		out, err := Append(nil, c.text)
		runtime.ReadMemStats(&after)
		if want := map[bool]error{false: ErrTooLarge}[c.fits]; !errors.Is(err, want) || c.fits && len(out) > MaxBytes {
			t.Errorf("%s: %d bytes, %v", c.name, len(out), err)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > MaxBytes+4*large || !c.fits && taken > 4*large {
			t.Errorf("%s: %d MB were taken", c.name, taken>>20)
		}
	}
}

// TestNumbersHaveTheLimitOfAnswers holds that an answer without text ends at its limit, too.
func TestNumbersHaveTheLimitOfAnswers(t *testing.T) {
	if out, err := Append(nil, make([]int, MaxBytes/2)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%d bytes, %v", len(out), err)
	}
	if _, err := Append(nil, make([]int, MaxBytes/2-1)); err != nil {
		t.Error(err)
	}
}
