package mcp

import (
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

// componentDetail is everything about one component.
type componentDetail struct {
	part
	Name       string     `json:"name"`
	SavedBytes *int64     `json:"savedBytes"` // null where not known
	Arguments  []argument `json:"arguments"`  // given, default or taken from the input
	Weights    []weight   `json:"weights"`
	Inputs     []feeder   `json:"inputs"`
	Readers    []string   `json:"readers"`
	Dependents []string   `json:"dependents"` // everything behind it, nearest first
	Depending  int        `json:"dependentCount"`
	Refused    []string   `json:"refused"`
}

type argument struct {
	Name  string      `json:"name"`
	Value graph.Value `json:"value"`
}

// weight is a trained tensor, or several equal ones.
type weight struct {
	Name  string        `json:"name"`
	Shape catalog.Shape `json:"shape"`
	Times int64         `json:"times"`
}

type feeder struct {
	ID    string        `json:"id"`
	Shape catalog.Shape `json:"shape"`
}

func (v *view) component(word string) (*componentDetail, error) {
	i, err := v.find("component", word)
	if err != nil {
		return nil, err
	}
	n := &v.Nodes[i]
	d := &componentDetail{
		part: v.part(i), Name: n.Component.Title(), SavedBytes: n.KnownSaved(), Arguments: []argument{}, Weights: []weight{},
		Inputs: []feeder{}, Readers: []string{}, Dependents: []string{}, Refused: []string{},
	}
	for _, p := range v.Arguments(i) {
		d.Arguments = append(d.Arguments, argument{p.Name, p.Value})
	}
	for k := range n.Weights {
		w := &n.Weights[k]
		d.Weights = append(d.Weights, weight{w.Path(), w.Shape, w.Times})
	}
	for _, j := range v.Wiring.Inputs(i) {
		d.Inputs = append(d.Inputs, feeder{v.Nodes[j].Component.ID, v.Nodes[j].Out})
	}
	for _, j := range v.Wiring.Outputs(i) {
		d.Readers = append(d.Readers, v.Nodes[j].Component.ID)
	}
	reached := v.reach(i)
	d.Depending = len(reached)
	for _, j := range reached[:min(len(reached), v.top)] {
		d.Dependents = append(d.Dependents, v.Nodes[j].Component.ID)
	}
	for _, r := range v.Refusals {
		if r.Node == i {
			d.Refused = append(d.Refused, r.Rule+": "+r.Message)
		}
	}
	return d, nil
}

// reach lists what depends on a component, nearest first.
func (v *view) reach(start int) []int {
	seen := make([]bool, len(v.Nodes))
	seen[start] = true
	queue := []int{start}
	for k := 0; k < len(queue); k++ {
		for _, j := range v.Wiring.Outputs(queue[k]) {
			if !seen[j] {
				seen[j] = true
				queue = append(queue, int(j))
			}
		}
	}
	return queue[1:]
}

// path is a shortest path, both ends among it.
func (v *view) path(from, to string) ([]part, error) {
	i, err := v.find("from", from)
	if err != nil {
		return nil, err
	}
	j, err := v.find("to", to)
	if err != nil {
		return nil, err
	}
	before := make([]int, len(v.Nodes))
	for k := range before {
		before[k] = -1
	}
	before[i] = i
	for queue := []int{i}; len(queue) > 0 && before[j] < 0; queue = queue[1:] {
		for _, k := range v.Wiring.Outputs(queue[0]) {
			if before[k] < 0 {
				before[k] = queue[0]
				queue = append(queue, int(k))
			}
		}
	}
	if before[j] < 0 {
		return nil, tooFar(from, to)
	}
	var back []part
	for k := j; ; k = before[k] {
		back = append(back, v.part(k))
		if k == i {
			break
		}
	}
	for a, b := 0, len(back)-1; a < b; a, b = a+1, b-1 {
		back[a], back[b] = back[b], back[a]
	}
	return back, nil
}

func (d *componentDetail) text(b *strings.Builder) {
	shape := d.State
	if d.Shape != nil {
		shape = d.Shape.String()
	}
	fmt.Fprintf(b, "%s (%s): gives %s, %s parameters, %s\n", d.ID, d.Type, shape, counted(d.Params, nil), computed(d.FLOPs))
	for _, a := range d.Arguments {
		bullet(b, a.Name+"="+a.Value.String())
	}
	for _, in := range d.Inputs {
		bullet(b, fmt.Sprintf("reads %s %v", in.ID, in.Shape))
	}
	fmt.Fprintf(b, "%d components depend on it: %s\n", d.Depending, strings.Join(d.Dependents, ", "))
	for _, r := range d.Refused {
		bullet(b, "refused: "+r)
	}
}
