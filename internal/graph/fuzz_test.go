package graph

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// checkGraph holds what is true of every graph that was read, whatever it says: it is written and read back as the same,
// and nothing that looks at it panics.
func checkGraph(t *testing.T, g *Graph) {
	data := g.AppendJSON(nil)
	var want bytes.Buffer
	if err := json.Compact(&want, data); err != nil {
		t.Fatalf("written as %q: %v", data, err)
	}
	if got := g.CompactJSON(); !bytes.Equal(got, want.Bytes()) {
		t.Fatalf("%q has no blanks as %q, and not as %q", data, want.Bytes(), got)
	}
	back, err := Decode(data, "model", Limits{})
	if err != nil {
		t.Fatalf("written as %s, then %v", data, err)
	}
	if !equalGraphs(g, back) {
		t.Fatalf("written as %s, read as %s", data, back.AppendJSON(nil))
	}
	if a, b := fingerprint(g), fingerprint(back); a != b {
		t.Fatalf("%s became %s", a, b)
	}
	if d := diff(g, back); !d.Empty() {
		t.Fatal(describe(g, back, d))
	}
	w := g.Wire()
	if len(w.Order)+len(w.Cyclic) > len(g.Components) {
		t.Fatalf("%d ordered and %d on cycles of %d", len(w.Order), len(w.Cyclic), len(g.Components))
	}
	back.Normalize(vocabulary)
	fingerprint(back)
}

func checkError(t *testing.T, err error, path string) {
	var e *Error
	if !errors.As(err, &e) || e.Code == "" || e.Message == "" || !strings.HasPrefix(e.Path, path) {
		t.Fatalf("%#v", err)
	}
	if len(err.Error()) > 10_000 {
		t.Fatalf("a message of %d bytes", len(err.Error()))
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(realistic(5))
	for _, seed := range []string{
		``, `{}`, `[]`, `null`, `{"components":[]}`, `{"components":[{}],"connections":[{}]}`, ` {"components" : [ ] , "x" : { "y" : [ 1 , -2.5e-3 ] } } `,
		`{"components":[{"id":"a","type":"t","params":{"a":[1,[2,{"b":null}]],"c":"\ud83d\ude00\n"}}],"connections":[{"source":"a","target":"a"}]}`,
		`{"components":[{"id":"a"},{"id":"a"},{"type":"stickyNote","id":"n"}],"connections":[{"from":"a","to":"n"},{"from":"x","to":"y","inferred":1}]}`,
		`{"components":[{"id":"e"},{"id":"h","params":{"tiedTo":"e"}}],"connections":[{"from":"h","to":"e"},{"from":"e","to":"h"}]}`,
		`{"components":[{"params":{"\u0061":1,"a":2}}]}`, `{"components":[{"params":{"a":1e999}}]}`, `{"components":[{"params":{"a":-9223372036854775808}}]}`,
		wrap(deep(70)), wrap(object(12)), "\uFEFF{}", "{\"components\":[],\"\xff\":1}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := Decode(data, "model", ServiceLimits)
		if err != nil {
			checkError(t, err, "model")
			return
		}
		if !json.Valid(data) {
			t.Fatal("the standard library says that this is not JSON")
		}
		checkGraph(t, g)
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "graph \"net\"\nx: input shape=[3,32,32]\nc \"first\": conv2d outChannels=16 kernelSize=3 // end\nx -> c -> r\na, b -> sum",
		"a: t p=-1.5e3 q=true r=null s=word t=\"quoted\\n\" u=[] v={\"a\":[1]}", "\"\": \"\"", "a:t\r\n#\n\"a\"->a,b->c", "e: t\nh: t tiedTo=e\nh -> e -> h",
		"a: t p=[[[[", "a: t p=9223372036854775808", "\xff", "graph: t", "a: t p=.5",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := Parse(text)
		if err != nil {
			checkError(t, err, "line ")
			return
		}
		back, err := Parse(g.Text())
		if err != nil || !equalGraphs(g, back) {
			t.Fatalf("printed as %s, then %v", g.Text(), err)
		}
		checkGraph(t, g)
	})
}
