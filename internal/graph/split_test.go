package graph

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzSplitObject: the members of an object are those that encoding/json finds, and nothing else is one.
func FuzzSplitObject(f *testing.F) {
	for _, text := range []string{
		`{}`, ` { } `, `{"a":1,"b":[{},{"c":"}"}],"a":null}`, `{"\u0061" : "\\\"" , "b":-1.5e3}`, `[1]`, `null`, ``, `{"a"`, `{"a":`, `{:`, `{a:1}`, `{"a":1]`, `{,,}`, `{"a"}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got := SplitObject(data)
		var want map[string]json.RawMessage
		if json.Unmarshal(data, &want) != nil {
			return
		}
		if len(got) != len(want) || (got == nil) != (want == nil) {
			t.Fatalf("got %d members, want %d", len(got), len(want))
		}
		for name, member := range want {
			if !bytes.Equal(got[name], member) {
				t.Errorf("%q is %s, want %s", name, got[name], member)
			}
		}
	})
}
