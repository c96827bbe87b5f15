package site

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

// typeExample is an example of a component type, executed.
type typeExample struct {
	In, Args       string
	Out            string // the shape of the result
	Weights, FLOPs int64
	Refusal, Rule  string // why it does not run
	Fix            string
}

// runType executes an example of a type as the walk would.
func runType(t *catalog.Type, e *catalog.Example) typeExample {
	params, err := graph.ParseParams(e.Args)
	if err != nil {
		panic("site: " + t.ID + ": " + err.Error()) // cannot happen: the catalogue's tests run every example
	}
	for i := range params {
		params[i].Name = t.Canonical(params[i].Name)
	}
	out := typeExample{In: e.In, Args: e.Args}
	r := call(t, e.In, params)
	if r.Err == nil {
		out.Out, out.Weights, out.FLOPs = r.Out.String(), r.Count, r.FLOPs
		if r.Out == nil {
			out.Out = "unknown"
		}
		return out
	}
	out.Refusal, out.Rule = r.Err.Message, r.Err.Rule
	if r.Err.Param == "" {
		return out
	}
	repaired := append(params[:len(params):len(params)], graph.Param{Name: r.Err.Param, Value: r.Err.Value})
	if call(t, e.In, repaired).Err == nil { // a fix is offered only after it has been tried
		out.Fix = fmt.Sprintf("set %s to %s", r.Err.Param, r.Err.Value)
	}
	return out
}

// call applies a type to inputs such as "[8,4,4] int[12]". Of a parameter that is given twice the last counts.
func call(t *catalog.Type, in string, given []graph.Param) catalog.Result {
	c := &catalog.Call{}
	c.Begin(t, make([]graph.Value, len(t.Params)), &catalog.Declared{})
	for _, field := range strings.Fields(in) {
		dims, tokens := strings.CutPrefix(field, "int")
		var shape catalog.Shape
		if err := json.Unmarshal([]byte(dims), &shape); err != nil {
			panic("site: " + t.ID + ": " + err.Error()) // cannot happen: the catalogue's tests run every example
		}
		c.In, c.InIsInt = append(c.In, shape), append(c.InIsInt, tokens)
	}
	seen := map[string]int{}
	var params []graph.Param
	for _, p := range given {
		if i, twice := seen[p.Name]; twice {
			params[i] = p
			continue
		}
		seen[p.Name] = len(params)
		params = append(params, p)
	}
	if refused := t.Bind(params, c.Args); refused != nil {
		return catalog.Result{Err: refused}
	}
	return c.Apply()
}

// brokenBy maps each rule to the types whose examples break it, in the order of the catalogue.
func brokenBy() map[string][]string {
	out := map[string][]string{}
	for _, t := range catalog.Types() {
		for i := range t.Examples {
			rule := runType(t, &t.Examples[i]).Rule
			if types := out[rule]; rule != "" && (len(types) == 0 || types[len(types)-1] != t.ID) {
				out[rule] = append(types, t.ID)
			}
		}
	}
	return out
}
