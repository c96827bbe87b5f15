package onnx

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
)

// mark finds what an output depends on. Inputs stay, read or not.
func (e *emitter) mark(outputs []int) {
	for i := range e.comps {
		e.comps[i].alive = e.comps[i].typ == "input"
	}
	stack := slices.Clone(outputs)
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !e.comps[i].alive {
			e.comps[i].alive = true
			stack = append(stack, e.comps[i].in...)
		}
	}
}

// finish drops what no output reads, gives ids, and wires.
func (e *emitter) finish(outputs []int) (g *graph.Graph, params int64, ok bool) {
	e.mark(outputs)
	e.inherit()
	ok = true
	g = &graph.Graph{Name: e.im.proto.graph.name}
	ids := make([]string, len(e.comps))
	for i, c := range e.comps {
		if !c.alive {
			continue
		}
		if params, ok = quantity.Add(params, c.owned); !ok {
			return nil, 0, false
		}
		ids[i] = fmt.Sprintf("%s_%d", c.typ, len(g.Components)+1)
		out := graph.Component{ID: ids[i], Type: c.typ, Name: c.name, Params: c.params}
		if c.scope != "" {
			raw, err := json.Marshal(c.scope)
			if err == nil {
				out.Extra = []graph.Member{{Name: "scope", Raw: string(raw)}}
			}
		}
		g.Components = append(g.Components, out)
	}
	at := 0
	for i, c := range e.comps {
		if !c.alive {
			continue
		}
		if c.tiedTo >= 0 {
			g.Components[at].SetParam("tiedTo", graph.StringValue(ids[c.tiedTo]))
		}
		if c.sameAs >= 0 {
			g.Components[at].SetParam("sameAs", graph.StringValue(ids[c.sameAs]))
		}
		at++
		for _, j := range c.in {
			g.Connections = append(g.Connections, graph.Connection{From: ids[j], To: ids[i]})
		}
	}
	return g, params, ok
}

// inherit gives the weights of a component that nothing reads to the first that shares them.
func (e *emitter) inherit() {
	heirs := map[int]int{}
	for i := range e.comps {
		c := &e.comps[i]
		for _, to := range []*int{&c.tiedTo, &c.sameAs} {
			if !c.alive || *to < 0 || e.comps[*to].alive {
				continue
			}
			if heir, ok := heirs[*to]; ok {
				*to = heir
				continue
			}
			heirs[*to], *to, c.owned = i, -1, c.count
		}
	}
}
