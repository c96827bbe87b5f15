package view

import (
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/graph"
)

var _ = define(call{"diff", compare})

// compare says component by component what changed from one model to another, in the words of plan.
func compare(body []byte, limits graph.Limits) (any, error) {
	f := action.Read(body, limits, "before", "after")
	r := &plan.Request{Base: f.Graph("before"), Model: f.Graph("after")}
	for _, m := range []struct {
		name string
		g    *graph.Graph
	}{{"before", r.Base}, {"after", r.Model}} {
		if m.g == nil {
			f.Fail(action.Errorf(graph.CodeMissing, m.name, "must be an object with a list named components"))
		}
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	return plan.Compare(r), nil
}
