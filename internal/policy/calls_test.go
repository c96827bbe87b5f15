package policy

import (
	"strings"
	"testing"
)

func TestAModelSaysHowItIsCalled(t *testing.T) {
	f := parseFile(t, `
models:
  "*": {input: 8}
  "src/*": {input: [3x32x32, "16:int64"], arg: ["dim=64"]}
  "src/net.py:Net":
    max_params: 1M
    arg: {depths: [2, 2, 6], act: gelu, names: [a, "b c"], bias: true, drop: 0.10, norm: null, mode: "'sum'"}
  "src/old.py:Net": {input: null, arg: []}
  "src/none.py:Net":
`)
	for _, c := range []struct{ model, want string }{
		{"a.py:Net", "input=8"},
		{"src/a.py:Net", "arg=dim=64 input=3x32x32 input=16:int64"},
		{"src/net.py:Net", `arg=depths=[2, 2, 6] arg=act=gelu arg=names=["a", "b c"] arg=bias=True arg=drop=0.10 arg=norm=None arg=mode='sum' input=3x32x32 input=16:int64`},
		{"src/old.py:Net", ""},
		{"src/none.py:Net", "arg=dim=64 input=3x32x32 input=16:int64"},
	} {
		var got []string
		for _, d := range f.CallOf(c.model) {
			for _, v := range d.Values {
				got = append(got, d.Flag+"="+v)
			}
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s is called with %s, want %s", c.model, text, c.want)
		}
	}
	if lines := strings.Join(f.For("src/net.py:Net").Lines(), "|"); lines != "max_params: 1M" {
		t.Errorf("its other lines are %s", lines)
	}
	if calls := (*File)(nil).CallOf("a"); calls != nil {
		t.Errorf("no file says %v", calls)
	}
}

func TestWrongCallsAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"models:\n  a.py:N: {input: {x: 8}}":      "line 2: models[\"a.py:N\"].input: must be a value, or a list of values, not an object",
		"models:\n  a.py:N: {input: [[8]]}":       "line 2: models[\"a.py:N\"].input[0]: must be a value, not a list",
		"models:\n  a.py:N: {arg: dim}":           `line 2: models["a.py:N"].arg: "dim" is not name=value`,
		"models:\n  a.py:N: {arg: [dim]}":         `line 2: models["a.py:N"].arg: "dim" is not name=value`,
		"models:\n  a.py:N: {arg: {dim: {x: 1}}}": "line 2: models[\"a.py:N\"].arg.dim: must be a value, or a list of values, not an object",
		"models:\n  a.py:N: {arg: {d: [[1]]}}":    "line 2: models[\"a.py:N\"].arg.d[0]: must be a value, not a list",
		"models:\n  a.py:N: {inputs: 8}":          `line 2: models["a.py:N"].inputs: no policy line is named "inputs": did you mean input?`,
		"policy: {input: 8}":                      `line 1: policy.input: no policy line is named "input"`,
	} {
		_, err := ParseFile([]byte(text), someNames)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s\n is %v\nwant %s", text, err, want)
		}
	}
}
