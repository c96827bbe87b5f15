package edit

import (
	"errors"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

const net = `{"name":"net","components":[{"id":"x","type":"input","params":{"shape":[8]}},{"name":"first","type":"Linear","params":{"in_features":8,"outFeatures":16},"position":[1,2]},{"id":"r","type":"relu","name":"act"},{"id":"b","type":"linear","params":{"inFeatures":16,"outFeatures":4}},{"id":"o","type":"output"}],"connections":[{"from":"x","to":"first"},{"from":"first","to":"r"},{"from":"r","to":"b","label":"kept"},{"from":"b","to":"o"}],"zoom":2}`

func decode(t testing.TB, text string) *graph.Graph {
	t.Helper()
	g, err := graph.Decode([]byte(text), "model", graph.ServiceLimits)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestChanges(t *testing.T) {
	for _, c := range []struct{ name, ops, want string }{
		{"a parameter under another spelling", `[{"op":"change","component":"first","params":{"inFeatures":9}}]`, `"params":{"in_features":9,"outFeatures":16}`},
		{"the edit of a finding", `[{"component":"b","param":"inFeatures","value":15}]`, `"params":{"inFeatures":15,"outFeatures":4}`},
		{"a parameter that is taken away", `[{"op":"change","component":"b","params":{"in_features":null}}]`, `"params":{"outFeatures":4}`},
		{"a parameter that was not there", `[{"op":"change","component":"b","params":{"bias":false}}]`, `"params":{"inFeatures":16,"outFeatures":4,"bias":false}`},
		{"a type and a name", `[{"op":"change","component":"act","type":"gelu","name":"soft"}]`, `{"id":"r","type":"gelu","name":"soft"`},
		{"a component between two", `[{"op":"remove","from":"r","to":"b"},{"op":"add","component":"n","type":"layerNorm","params":{"normalizedShape":16},"from":"r","to":"b"}]`, `{"from":"r","to":"n"},{"from":"n","to":"b"}]`},
		{"an input at a position", `[{"op":"add","component":"s","type":"add","from":["r"],"to":[]},{"op":"connect","from":"first","to":"s","at":0}]`, `"to":"s"},{"from":"r","to":"s"}`},
		{"a component with its connections", `[{"op":"remove","component":"r"}]`, `"connections":[{"from":"x","to":"first"},{"from":"b","to":"o"}]`},
		{"a component whose neighbours are joined", `[{"op":"remove","component":"r","join":true}]`, `,"to":"b"},{"from":"b","to":"o"}]`},
	} {
		g := decode(t, net)
		before := string(g.AppendJSON(nil))
		ops, err := Decode(c.ops, "changes")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		changed, err := Apply(g, ops, graph.ServiceLimits)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := string(changed.AppendJSON(nil)); !strings.Contains(got, c.want) || !strings.Contains(got, `"zoom":2`) || !strings.Contains(got, `"position":[1,2]`) {
			t.Errorf("%s: %s has not %s", c.name, got, c.want)
		}
		if string(g.AppendJSON(nil)) != before {
			t.Errorf("%s: the graph itself was changed", c.name)
		}
	}
}

func TestChangesThatCannotBeMade(t *testing.T) {
	for _, c := range []struct{ ops, path, message string }{
		{`"a"`, "changes", "must be a list"}, {`{}`, "changes[0].op", "must be one of"}, {`[]`, "changes", "at least one"}, {`[5]`, "changes[0]", "cannot be read"}, {`[{"op":"change","component":7}]`, "changes[0]", "cannot be read"},
		{`[{"op":"turn"}]`, "changes[0].op", "add, change, connect, remove"}, {`[{}]`, "changes[0].op", "must be one of"}, {`[{"op":"remove"}]`, "changes[0]", "must have component"},
		{`[{"op":"remove","component":"q"}]`, "changes[0].component", "there is no component"}, {`[{"op":"change","component":"bb","params":{"a":1}}]`, "changes[0].component", "did you mean b?"},
		{`[{"op":"change","component":"b"}]`, "changes[0].params", "what is to be changed"}, {`[{"op":"change","component":"b","params":[1]}]`, "changes[0].params", ""},
		{`[{"op":"add","component":"n"}]`, "changes[0].type", "must be the type"}, {`[{"op":"add","type":"relu"}]`, "changes[0].component", "must be the id"}, {`[{"op":"add","component":"b","type":"relu"}]`, "changes[0].component", "already"},
		{`[{"op":"connect","from":"x"}]`, "changes[0]", "from and to"}, {`[{"op":"connect","from":"x","to":"q"}]`, "changes[0].to", "no component"}, {`[{"op":"remove","from":"x","to":"o"}]`, "changes[0]", "no connection"},
		{`[{"op":"remove","component":"x","join":true}]`, "changes[0].join", "0 inputs"}, {`[{"op":"change","component":"b","params":{"a":1}},{"op":"remove","component":"q"}]`, "changes[1].component", "no component"},
	} {
		ops, err := Decode(c.ops, "changes")
		if err == nil {
			_, err = Apply(decode(t, net), ops, graph.ServiceLimits)
		}
		var coded *graph.Error
		if !errors.As(err, &coded) || coded.Path != c.path || !strings.Contains(coded.Message, c.message) {
			t.Errorf("%s: %v, want %s at %s", c.ops, err, c.message, c.path)
		}
	}
}

func TestLimitsHoldForWhatAnEditMakes(t *testing.T) {
	ops, err := Decode(`[{"op":"add","component":"n","type":"relu"}]`, "changes")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Apply(decode(t, net), ops, graph.Limits{Components: 5})
	var coded *graph.Error
	if !errors.As(err, &coded) || coded.Code != graph.CodeComponents {
		t.Errorf("%v", err)
	}
}

func TestFollowEndsWhereAnEditDoesNotHelp(t *testing.T) {
	for _, c := range []struct {
		text   string
		passes bool
		steps  int
	}{
		{"x: input shape=[8]\na: linear inFeatures=7 outFeatures=3\nb: linear inFeatures=4 outFeatures=2\no: output\nx -> a -> b -> o", true, 2},
		{"x: input shape=[8]\na: relu\no: output\nx -> a -> o\na -> a", false, 0},
		{"", false, 0},
	} {
		g, err := graph.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Follow(g, graph.ServiceLimits, action.TextCall{}, nil)
		if err != nil || r.Passes != c.passes || len(r.Steps) != c.steps || r.Passes != (len(r.Left) == 0) {
			t.Errorf("%s: %v %+v", c.text, err, r)
		}
	}
}

// FuzzApply makes any changes on a graph: they are made or refused with a code, the graph itself stays as it was, and what comes out is a
// graph that can be written, read and walked.
func FuzzApply(f *testing.F) {
	for _, s := range []string{
		`[{"op":"add","component":"n","type":"relu","from":["x","r"],"to":"o"}]`, `[{"component":"b","param":"inFeatures","value":[1,{"a":null}]}]`, `[{"op":"remove","component":"r","join":true},{"op":"connect","from":"x","to":"b","at":-1}]`,
		`[{"op":"change","component":"first","params":{"a":null,"in_features":1e9},"type":"Conv2d","name":""}]`, `[{"op":"remove","from":"first","to":"r"}]`, `[{"op":"connect","from":"o","to":"o","at":9223372036854775807}]`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		body, err := graph.DecodeBody([]byte(`{"changes":`+text+`}`), graph.ServiceLimits, func(string) bool { return false })
		if err != nil {
			return
		}
		member := body.Member("changes")
		if member == nil {
			return
		}
		ops, err := Decode(member.Raw, "changes")
		var changed *graph.Graph
		g := decode(t, net)
		if err == nil {
			changed, err = Apply(g, ops, graph.ServiceLimits)
		}
		var coded *graph.Error
		if err != nil {
			if !errors.As(err, &coded) {
				t.Fatalf("%v has no code", err)
			}
			return
		}
		if string(g.AppendJSON(nil)) != string(decode(t, net).AppendJSON(nil)) {
			t.Fatal("the graph itself was changed")
		}
		again, err := graph.Decode(changed.AppendJSON(nil), "model", graph.Limits{})
		if err != nil {
			t.Fatalf("what came out cannot be read: %v", err)
		}
		again.Normalize(catalog.Vocabulary)
		infer.Walk(again)
	})
}

// Two lists of a thousand words stand for a million connections: they are refused before the first is made.
func TestLimitsHoldBeforeAnEditIsMade(t *testing.T) {
	many := `["r"` + strings.Repeat(`,"r"`, 999) + `]`
	for _, c := range []struct{ ops, code string }{
		{`[{"op":"connect","from":` + many + `,"to":` + many + `}]`, graph.CodeConnections},
		{`[{"op":"add","component":"n","type":"add","from":` + many + `}]`, graph.CodeConnections},
		{`[{"op":"duplicate","components":` + many + `}]`, action.CodeRange},
	} {
		ops, err := Decode(c.ops, "changes")
		if err != nil {
			t.Fatal(err)
		}
		allocs := testing.AllocsPerRun(1, func() { _, err = Apply(decode(t, net), ops, graph.Limits{Connections: 20}) })
		var coded *graph.Error
		if !errors.As(err, &coded) || coded.Code != c.code || allocs > 1000 {
			t.Errorf("%.60s: %v after %v allocations", c.ops, err, allocs)
		}
	}
}
