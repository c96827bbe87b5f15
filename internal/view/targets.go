package view

import (
	"slices"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

var _ = define(call{Name: "targets", Answer: targets})

// targetList says to which components a connection can lead, and why not to the others.
type targetList struct {
	Legal []string          `json:"legal"`
	Why   map[string]string `json:"why"`
}

func targets(body []byte, limits graph.Limits) (any, error) {
	f := action.Read(body, limits, action.Model)
	g, from := f.Model(), f.Str("from")
	if err := f.Err(); err != nil {
		return nil, err
	}
	res := action.Examine(g).Walked
	at := slices.IndexFunc(g.Components, func(c graph.Component) bool { return c.ID == from })
	if at < 0 {
		return nil, action.Errorf(action.CodeForm, "from", "there is no component %q", quantity.Own(graph.Brief(from)))
	}
	out := targetList{Legal: []string{}, Why: map[string]string{}}
	before := ancestors(res, at)
	for i := range res.Nodes {
		id := res.Nodes[i].Component.ID
		if why := refusal(res, at, i, before); why != "" {
			out.Why[id] = why
		} else {
			out.Legal = append(out.Legal, id)
		}
	}
	return out, nil
}

// ancestors marks a component and what it is computed from.
func ancestors(res *infer.Result, at int) []bool {
	seen := make([]bool, len(res.Nodes))
	seen[at] = true
	for next := []int{at}; len(next) > 0; {
		i := next[len(next)-1]
		next = next[:len(next)-1]
		for _, j := range res.Wiring.Inputs(i) {
			if !seen[j] {
				seen[j] = true
				next = append(next, int(j))
			}
		}
	}
	return seen
}

// refusal says why a component cannot read a result beside what it reads already, "" where it can. The component itself is evaluated with
// that; what follows from its own result is not.
func refusal(res *infer.Result, from, to int, before []bool) string {
	source, target := &res.Nodes[from], &res.Nodes[to]
	inputs := res.Wiring.Inputs(to)
	switch t := target.Type; {
	case source.Type != nil && source.Type.ID == "output":
		return "An output has no result to connect."
	case source.State == infer.Note || target.State == infer.Note:
		return "A note is not connected."
	case before[to]:
		return "This would make a cycle."
	case t == nil:
		return "The type " + graph.Brief(target.Component.Type) + " is not known."
	case t.Inputs.Max <= 0:
		return "It takes no input."
	case len(inputs) >= t.Inputs.Max:
		return quantity.Sprintf("It takes %d inputs and has them: disconnect one first.", t.Inputs.Max)
	}
	c := &catalog.Call{}
	c.Begin(target.Type, make([]graph.Value, len(target.Type.Params)), &catalog.Declared{})
	for _, j := range inputs {
		c.In, c.InIsInt = append(c.In, res.Nodes[j].Out), append(c.InIsInt, res.Nodes[j].OutIsInt)
	}
	c.In, c.InIsInt = append(c.In, source.Out), append(c.InIsInt, source.OutIsInt)
	if slices.ContainsFunc(c.In, func(s catalog.Shape) bool { return s == nil }) {
		return "" // what arrives is not known, and so is nothing against it
	}
	if refused := target.Type.Bind(target.Component.Params, c.Args); refused != nil {
		return "" // its own parameters are wrong, whatever it reads
	}
	if r := c.Apply(); r.Err != nil && r.Err.Rule != catalog.MissingInput {
		return r.Err.Message
	}
	return ""
}
