package graph

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/modelverifier/verifier/internal/seed"
)

// wrap puts a parameter value where the graph's fourth component has it.
func wrap(value string) string {
	return `{"components":[{},{},{},{"id":"c","params":{"kernelSize":` + value + `}}]}`
}

func deep(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

func object(keys int) string {
	b := []byte{'{'}
	for i := range keys {
		b = fmt.Appendf(b, `"k%d":0,`, i)
	}
	return strings.TrimSuffix(string(b), ",") + "}"
}

func TestDecodeRefusesWithCodeAndPath(t *testing.T) {
	const kernel = "model.components[3].params.kernelSize"
	for _, c := range []struct{ name, in, code, path, message string }{
		{"empty input", ``, CodeSyntax, "model", "ends too early"},
		{"only blanks", " \n", CodeSyntax, "model", "ends too early"},
		{"byte order mark", "\uFEFF{}", CodeSyntax, "model", "not JSON at byte 0"},
		{"a list", `[]`, CodeType, "model", "must be an object, not a list"},
		{"text that begins as null does", `not json`, CodeSyntax, "model", "not JSON at byte 0: expected an object, found 'n'"},
		{"text that begins as true does", `the model`, CodeSyntax, "model", "not JSON at byte 0"},
		{"null and more", `nullx`, CodeSyntax, "model", "nothing behind the document"},
		{"a number and more", `12 layers`, CodeSyntax, "model", "nothing behind the document"},
		{"a list that is none", `[x]`, CodeSyntax, "model[0]", "not JSON at byte 1"},
		{"a string that does not end", `"model`, CodeSyntax, "model", "ends too early"},
		{"a minus sign", `- a list`, CodeSyntax, "model", "a digit"},
		{"null", `null`, CodeType, "model", "must be an object, not null"},
		{"components that begin as null does", `{"components":nothing}`, CodeSyntax, "model.components", "not JSON at byte 14: expected a list, found 'n'"},
		{"components that go on", `{"components":null x}`, CodeSyntax, "model.components", "expected a comma"},
		{"an id that begins as false does", `{"components":[{"id":fc1}]}`, CodeSyntax, "model.components[0].id", "expected a string, found 'f'"},
		{"no components", `{"name":"x"}`, CodeMissing, "model", "components"},
		{"components null", `{"components":null}`, CodeType, "model.components", "must be a list, not null"},
		{"components an object", `{"components":{}}`, CodeType, "model.components", "must be a list, not an object"},
		{"a component that is a number", `{"components":[{},7]}`, CodeType, "model.components[1]", "not a number"},
		{"an id that is a number", `{"components":[{"id":7}]}`, CodeType, "model.components[0].id", "must be a string, not a number"},
		{"a type that is a list", `{"components":[{"type":[]}]}`, CodeType, "model.components[0].type", "not a list"},
		{"a name that is true", `{"name":true,"components":[]}`, CodeType, "model.name", "not a boolean"},
		{"params a list", `{"components":[{"params":[]}]}`, CodeType, "model.components[0].params", "must be an object, not a list"},
		{"connections an object", `{"components":[],"connections":{}}`, CodeType, "model.connections", "must be a list"},
		{"from null", `{"components":[],"connections":[{"from":null}]}`, CodeType, "model.connections[0].from", "not null"},
		{"source a number", `{"components":[],"connections":[{"source":1,"to":"a"}]}`, CodeType, "model.connections[0].source", "not a number"},
		{"trailing garbage", `{"components":[]} x`, CodeSyntax, "model", "at byte 18"},
		{"a second document", `{"components":[]}{}`, CodeSyntax, "model", "nothing behind"},
		{"trailing comma in an object", `{"components":[],}`, CodeSyntax, "model", "a key in quotes"},
		{"trailing comma in a list", wrap(`[1,]`), CodeSyntax, kernel + "[1]", "a value"},
		{"no comma", wrap(`[1 2]`), CodeSyntax, kernel, "a comma"},
		{"no colon", `{"components" []}`, CodeSyntax, "model", "a colon"},
		{"the end in an object", `{"components":[{"id":"a"`, CodeSyntax, "model.components[0]", "ends too early"},
		{"the end in a string", `{"components":[{"id":"a`, CodeSyntax, "model.components[0].id", "ends too early"},
		{"NaN", wrap(`NaN`), CodeSyntax, kernel, `found 'N'`},
		{"Infinity", wrap(`-Infinity`), CodeSyntax, kernel, "a digit"},
		{"half a word", wrap(`tru`), CodeSyntax, kernel, "a value"},
		{"leading zero", wrap(`01`), CodeSyntax, kernel, "leading zero"},
		{"leading plus", wrap(`+1`), CodeSyntax, kernel, "found '+'"},
		{"no digit behind the point", wrap(`1.`), CodeSyntax, kernel, "a digit"},
		{"no digit in the exponent", wrap(`1e+`), CodeSyntax, kernel, "a digit"},
		{"hexadecimal", wrap(`0x10`), CodeSyntax, "model.components[3].params", "found 'x'"},
		{"single quotes", wrap(`'a'`), CodeSyntax, kernel, "a value"},
		{"a comment", wrap(`/**/1`), CodeSyntax, kernel, "a value"},
		{"integer beyond int64", wrap(`9223372036854775808`), CodeNumber, kernel, "does not fit in 64 bits"},
		{"integer below int64", wrap(`-9223372036854775809`), CodeNumber, kernel, "does not fit in 64 bits"},
		{"integer of 100 digits", wrap(strings.Repeat("9", 100)), CodeNumber, kernel, "9…"},
		{"float beyond range", wrap(`1e309`), CodeNumber, kernel, "too large"},
		{"float beyond range without exponent", wrap(strings.Repeat("9", 400) + ".5"), CodeNumber, kernel, "too large"},
		{"float beyond range in a kept member", `{"components":[],"x":[{"y":1e999}]}`, CodeNumber, "model.x[0].y", "too large"},
		{"integer beyond int64 in a kept member", `{"components":[],"x":{"y":99999999999999999999}}`, CodeNumber, "model.x.y", "64 bits"},
		{"the first bad item of a nested list", wrap(`[1,[2,3e999],4e999]`), CodeNumber, kernel + "[1][1]", "3e999"},
		{"the first bad member of a nested object", wrap(`{"a":{"b":[0,tru]},"c":!}`), CodeSyntax, kernel + ".a.b[1]", "a value"},
		{"control character", wrap("\"a\nb\""), CodeSyntax, kernel, "control character"},
		{"unknown escape", wrap(`"\x"`), CodeSyntax, kernel, "an escape"},
		{"short escape", wrap(`"\u12"`), CodeSyntax, kernel, "hexadecimal"},
		{"high surrogate alone", wrap(`"\ud800"`), CodeSyntax, kernel, "surrogate"},
		{"low surrogate alone", wrap(`"\udc00"`), CodeSyntax, kernel, "surrogate"},
		{"two high surrogates", wrap(`"\ud800\ud800"`), CodeSyntax, kernel, "surrogate"},
		{"surrogate in a key", `{"components":[{"params":{"\ud800":1}}]}`, CodeSyntax, "model.components[0].params", "surrogate"},
		{"invalid UTF-8", wrap("\"a\xff\""), CodeSyntax, kernel, "not UTF-8"},
		{"overlong UTF-8", wrap("\"\xc0\x80\""), CodeSyntax, kernel, "not UTF-8"},
		{"surrogate as UTF-8", wrap("\"\xed\xa0\x80\""), CodeSyntax, kernel, "not UTF-8"},
		{"invalid UTF-8 outside a string", wrap("\xff"), CodeSyntax, kernel, "not UTF-8"},
		{"invalid UTF-8 in a kept member", "{\"components\":[],\"x\":\"\xff\"}", CodeSyntax, "model.x", "not UTF-8"},
		{"duplicate key", `{"components":[],"name":"a","name":"b"}`, CodeDuplicate, "model.name", `"name" twice`},
		{"duplicate parameter", `{"components":[{"params":{"a":1,"b":2,"a":3}}]}`, CodeDuplicate, "model.components[0].params.a", `"a" twice`},
		{"duplicate key spelled with an escape", `{"components":[{"params":{"a":1,"\u0061":3}}]}`, CodeDuplicate, "model.components[0].params.a", `"a" twice`},
		{"duplicate escaped keys", `{"components":[{"params":{"\u0061":1,"\u0061":3}}]}`, CodeDuplicate, "model.components[0].params.a", `"a" twice`},
		{"duplicate key in a kept member", `{"components":[],"x":[{"y":1,"y":1}]}`, CodeDuplicate, "model.x[0].y", `"y" twice`},
		{"duplicate key of a wide object", wrap(strings.Replace(object(1000), `"k999"`, `"k3"`, 1)), CodeDuplicate, kernel + ".k3", `"k3" twice`},
		{"duplicate among the first of a wide object", wrap(strings.Replace(object(12), `"k9"`, `"\u006b0"`, 1)), CodeDuplicate, kernel + ".k0", `"k0" twice`},
		{"1,025 keys", wrap(object(1025)), CodeKeys, kernel, "more than 1024 keys"},
		{"1,025 parameters", `{"components":[{"params":` + object(1025) + `}]}`, CodeKeys, "model.components[0].params", "more than 1024 keys"},
		{"nested too deep", wrap(deep(61)), CodeDepth, kernel + strings.Repeat("[0]", 60), "deeper than 64"},
		{"nested too deep in a kept member", `{"components":[],"x":` + deep(64) + `}`, CodeDepth, "model.x" + strings.Repeat("[0]", 63), "deeper than 64"},
		{"a key that is no name", `{"components":[],"a.b":{"":[nul]}}`, CodeSyntax, `model["a.b"][""][0]`, "a value"},
		{"a key of megabytes", `{"components":[],"` + strings.Repeat("k", 1<<20) + `":!}`, CodeSyntax, `model["` + strings.Repeat("k", 40) + `…"]`, "a value"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := Decode([]byte(c.in), "model", ServiceLimits)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v, %v", g, err)
			}
			if e.Code != c.code || e.Path != c.path || !strings.Contains(e.Message, c.message) {
				t.Errorf("got  %s at %s: %s\nwant %s at %s: …%s…", e.Code, e.Path, e.Message, c.code, c.path, c.message)
			}
			if g != nil {
				t.Error("a graph came with the error")
			}
		})
	}
}

func TestPathsWithoutRoot(t *testing.T) {
	_, err := Decode([]byte(`{"components":[{"id":1}]}`), "", Limits{})
	if err == nil || err.Error() != "components[0].id: must be a string, not a number" {
		t.Errorf("got %v", err)
	}
}

func TestLimitsAreRaisedAtTheFirstExcess(t *testing.T) {
	three := Limits{Bytes: 200, Components: 3, Connections: 3, Params: 3, Values: 3}
	for _, c := range []struct {
		in, code, path string
		limit          int64
	}{
		{`{"components":[{},{},{}]}`, "", "", 0},
		{`{"components":[{},{},{},!`, CodeComponents, "model.components", 3},
		{`{"components":[],"connections":[{},{},{}]}`, "", "", 0},
		{`{"components":[],"connections":[{},{},{},!`, CodeConnections, "model.connections", 3},
		{`{"components":[{"params":{"a":[1,[2]]}}]}`, "", "", 0},
		{`{"components":[{"params":{"a":[1,[2]],"b":[!`, CodeValues, "model.components[0].params.b[0]", 3},
		{`{"components":[{"params":{"a":1,"b":2}},{"params":{"a":3}}]}`, "", "", 0},
		{`{"components":[{"params":{"a":1,"b":2}},{"params":{"a":3,"b":!`, CodeValues, "model.components[1].params.b", 3},
		{`{"components":[]}` + strings.Repeat(" ", 200), CodeBytes, "model", 200},
		{`{"components":[{"params":{"a":` + strings.Repeat("[", 70), CodeValues, "model.components[0].params.a[0][0][0][0]", 3},
	} {
		_, err := Decode([]byte(c.in), "model", three)
		var e *Error
		if !errors.As(err, &e) {
			e = &Error{}
		}
		if e.Code != c.code || e.Path != c.path || e.Limit != c.limit {
			t.Errorf("%s: got %q at %q, limit %d (%v)", c.in, e.Code, e.Path, e.Limit, err)
		}
	}
}

func TestDecodeAccepts(t *testing.T) {
	for _, c := range []struct{ in, out string }{
		{`{"components":[]}`, `{"components":[],"connections":[]}`},
		{` { "components" : [ ] , "connections" : null } `, `{"components":[],"connections":[]}`},
		{`{"components":[{"id":null,"type":null,"name":null,"params":null}],"name":null}`,
			`{"components":[{"id":"","type":"","params":{}}],"connections":[]}`},
		{`{"x":{"b":1, "a":[ 2 ]},"components":[{"position":{"x":1.50},"id":"a"}],"y":"\u0041"}`,
			`{"components":[{"id":"a","type":"","params":{},"position":{"x":1.50}}],"connections":[],"x":{"b":1, "a":[ 2 ]},"y":"\u0041"}`},
		{`{"components":[],"connections":[{"source":"a","label":null,"target":"b"}]}`,
			`{"components":[],"connections":[{"from":"a","to":"b","label":null}]}`},
		{`{"components":[],"connections":[{"source":"p","from":"a","to":"b","target":{"x":1}}]}`,
			`{"components":[],"connections":[{"from":"a","to":"b","source":"p","target":{"x":1}}]}`},
		{`{"components":[],"connections":[{"from":"a","to":"b","inferred":true},{"from":"a","to":"b","inferred":"unmodelledMerge"}]}`,
			`{"components":[],"connections":[{"from":"a","to":"b","inferred":true},{"from":"a","to":"b","inferred":"unmodelledMerge"}]}`},
		{`{"name":"\ud83d\ude00 \"\\\/\b\f\n\r\t\u00e9é","components":[]}`,
			`{"name":"😀 \"\\/\b\f\n\r\téé","components":[],"connections":[]}`},
	} {
		g, err := Decode([]byte(c.in), "model", ServiceLimits)
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		if got := string(g.AppendJSON(nil)); got != c.out {
			t.Errorf("%s\ngot  %s\nwant %s", c.in, got, c.out)
		}
	}
}

func TestDecodeValues(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Value
	}{
		{`null`, Value{}},
		{`true`, BoolValue(true)},
		{`false`, BoolValue(false)},
		{`0`, IntValue(0)},
		{`-0`, IntValue(0)},
		{`-17`, IntValue(-17)},
		{`999999999999999999`, IntValue(999999999999999999)},
		{`9223372036854775807`, IntValue(9223372036854775807)},
		{`-9223372036854775808`, IntValue(-9223372036854775808)},
		{`1.0`, FloatValue(1)},
		{`1e2`, FloatValue(100)},
		{`1E+2`, FloatValue(100)},
		{`0.1`, FloatValue(0.1)},
		{`1e-400`, FloatValue(0)},
		{`1.7976931348623157e308`, FloatValue(1.7976931348623157e308)},
		{`"same"`, StringValue("same")},
		{`""`, StringValue("")},
		{`[]`, ListValue()},
		{`[ 3 , [ "a" , [ ] ] ]`, ListValue(IntValue(3), ListValue(StringValue("a"), ListValue()))},
		{`{ "a b" : [ 1 , "x \" y" ] }`, objectValue(`{"a b":[1,"x \" y"]}`)},
		{deep(60), func() (v Value) {
			v = ListValue()
			for range 59 {
				v = ListValue(v)
			}
			return v
		}()},
	} {
		g, err := Decode([]byte(wrap(c.in)), "model", ServiceLimits)
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		if got := g.Components[3].Params[0].Value; !got.Equal(c.want) || got.Kind() != c.want.Kind() {
			t.Errorf("%s: got %v, want %v", c.in, got, c.want)
		}
	}
}

func TestDecodeAllowsWhatIsJustBelowTheLimits(t *testing.T) {
	for _, in := range []string{wrap(object(1024)), wrap(deep(60)), `{"components":[],"x":` + deep(63) + `}`,
		`{"components":[{"params":` + object(1024) + `},{"params":` + object(1024) + `}]}`} {
		if _, err := Decode([]byte(in), "model", ServiceLimits); err != nil {
			t.Error(err)
		}
	}
}

func TestDecodeSharesNothingWithItsInput(t *testing.T) {
	data := []byte(`{"name":"net","components":[{"id":"a","type":"t","params":{"p":"v"},"x":[1]}],"connections":[{"from":"a","to":"a"}]}`)
	g, err := Decode(data, "model", Limits{})
	if err != nil {
		t.Fatal(err)
	}
	before := string(g.AppendJSON(nil))
	for i := range data {
		data[i] = 'z'
	}
	if after := string(g.AppendJSON(nil)); after != before {
		t.Errorf("the graph became %s", after)
	}
}

func TestAppendingToOneComponentLeavesTheNextAlone(t *testing.T) {
	g, err := Decode([]byte(`{"components":[{"params":{"a":1},"x":1},{"params":{"b":[2,3]},"y":2}]}`), "", Limits{})
	if err != nil {
		t.Fatal(err)
	}
	g.Components[0].SetParam("new", IntValue(9))
	g.Components[0].Extra = append(g.Components[0].Extra, Member{"z", "1"})
	want := Component{Params: []Param{{"b", IntsValue(2, 3)}}, Extra: []Member{{"y", "2"}}}
	if got := g.Components[1]; got.Params[0].Name != "b" || !got.Params[0].Value.Equal(want.Params[0].Value) || !reflect.DeepEqual(got.Extra, want.Extra) {
		t.Errorf("got %v", got)
	}
}

// hostile are documents of about 8 MiB that ask for as much work or memory as they can.
func hostile() map[string]string {
	const size = 8<<20 - 1000
	fill := func(head, piece, tail string) string {
		return head + strings.Repeat(piece, (size-len(head)-len(tail))/len(piece)) + tail
	}
	wide := strings.Builder{}
	for i := 0; wide.Len() < size; i++ {
		fmt.Fprintf(&wide, `"k%d":0,`, i)
	}
	return map[string]string{
		"deep lists":           fill(`{"components":`, `[`, ``),
		"deep parameter":       fill(`{"components":[{"params":{"a":`, `[`, ``),
		"deep objects":         fill(`{"x":`, `{"":`, ``),
		"a long integer":       fill(`{"components":[{"params":{"a":`, `9`, `}}]}`),
		"a long fraction":      fill(`{"components":[{"params":{"a":0.`, `3`, `}}]}`),
		"a long exponent":      fill(`{"components":[{"params":{"a":0e`, `3`, `}}]}`),
		"hard floats":          fill(`{"components":[],"x":[`, `1.00000000000000011102230246251565404236316680908203125,`, `1]}`),
		"hard long floats":     fill(`{"components":[],"x":[`, strings.Repeat("7", 201)+`.5e-99,`, `1]}`),
		"hard parameters":      fill(`{"components":[{"params":{"a":[`, `1.00000000000000011102230246251565404236316680908203125e-200,`, `1]}}]}`),
		"a million keys":       `{"components":[],` + wide.String() + `"z":0}`,
		"wide objects":         fill(`{"components":[],"x":[`, object(1024)+`,`, `1]}`),
		"rather wide objects":  fill(`{"components":[],"x":[`+object(1024)+`,`, object(9)+`,`, `1]}`),
		"escaped keys":         fill(`{"components":[],"x":[`, `{"\u0061":0},`, `1]}`),
		"tiny components":      fill(`{"components":[`, `{},`, `{}]}`),
		"components of extras": fill(`{"components":[`, `{"a":0,"b":0,"c":0},`, `{}]}`),
		"tiny connections":     fill(`{"components":[],"connections":[`, `{},`, `{}]}`),
		"a list of digits":     fill(`{"components":[{"params":{"a":[`, `0,`, `0]}}]}`),
		"a list of lists":      fill(`{"components":[{"params":{"a":[`, `[],`, `0]}}]}`),
		"a kept list":          fill(`{"components":[],"x":[`, `0,`, `0]}`),
		"escapes":              fill(`{"components":[{"id":"`, `\n`, `"}]}`),
		"escaped surrogates":   fill(`{"components":[{"id":"`, `\ud83d\ude00`, `"}]}`),
		"characters":           fill(`{"components":[{"id":"`, `é`, `"}]}`),
		"an object parameter":  fill(`{"components":[{"params":{"a":{"b":[`, `0 ,`, `0]}}}]}`),
		"blanks":               fill(`{"components":`, " \n", `[]}`),
		"a bad end":            fill(`{"x":[`, `"",`, ``),
	}
}

// TestHostileDocumentsStayCheap holds the memory; BenchmarkHostile shows the time.
func TestHostileDocumentsStayCheap(t *testing.T) {
	const most = 100 << 20
	for name, doc := range hostile() {
		data := []byte(doc)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Decode(data, "model", ServiceLimits)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > most {
			t.Errorf("%s: %d MB (%v)", name, used>>20, err)
		}
		if err != nil && len(err.Error()) > 4000 {
			t.Errorf("%s: a message of %d bytes", name, len(err.Error()))
		}
	}
}

func BenchmarkHostile(b *testing.B) {
	for name, doc := range hostile() {
		data := []byte(doc)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Decode(data, "model", ServiceLimits)
			}
		})
	}
}

// A document that is no object is of the wrong type exactly when it is JSON.
func TestWhatIsNotJSONIsNotCalledAnotherKind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"null", "not", "true", "t", "false", `"`, `"a"`, "[", "]", "1", "-", "0", ",", " ", "x", "{", "}", ":"}), 0, 6).Draw(t, "parts")
		text := strings.Join(parts, "")
		if strings.HasPrefix(strings.TrimSpace(text), "{") {
			t.Skip()
		}
		_, err := Decode([]byte(text), "model", ServiceLimits)
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("%q: %v", text, err)
		}
		if want := map[bool]string{true: CodeType, false: CodeSyntax}[json.Valid([]byte(text))]; e.Code != want {
			t.Fatalf("%q: %s (%v), want %s", text, e.Code, err, want)
		}
	})
}
