package bench

import (
	"slices"
	"strconv"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

var _ = defineFamily(Family{
	Name:  "repair",
	Title: "Repair a model that does not run",
	Doc: "A model ran until it got one to five faults: wrong sizes, heads that do not divide, connections that " +
		"were lost or turned round, components that were taken out or put in. The answer runs again, changes no more " +
		"components than were spoilt and keeps every layer with weights.",
	draw: drawRepair,
})

func drawRepair(r *rng) *draft {
	good := drawAny(r).build()
	bad := good.copied()
	faults := r.from(1, 5)
	spoilt := map[string]bool{}
	for range 40 {
		if len(spoilt) >= faults {
			break
		}
		pick[spoiler](r, wrongNumber, wrongNumber, wrongNumber, wrongHeads, lostConnection, takenOut, putIn, turnedRound)(r,
			bad, spoilt)
	}
	in, out := interfaceOf(good)
	differ := begun(bad, good).changed()
	if runs, _ := measured(bad).runs(); runs || differ == 0 {
		return nil
	}
	d := &draft{start: bad, reference: good}
	d.prompt = []string{
		"This model ran before someone edited it " + placesText(differ) + "; now PyTorch refuses it. Find what is " +
			"wrong, and repair that alone.",
		"The repaired model must meet all of this:",
	}
	d.constraints = []Constraint{{Kind: "runs"}, in, out, {Kind: "edits", Max: int64(differ)}, keepTypes(good, bad)}
	return d
}

func placesText(n int) string {
	if n == 1 {
		return "in one place"
	}
	return "in up to " + strconv.Itoa(n) + " places"
}

// spoiler puts one fault into a design, or none where it found no place. spoilt are the components that have one
// already.
type spoiler = func(r *rng, d *design, spoilt map[string]bool)

// anywhere picks a component that has no fault yet, other than input and output.
func anywhere(r *rng, d *design, spoilt map[string]bool) *graph.Component {
	c := &d.Components[r.below(len(d.Components))]
	if c.Type == "input" || c.Type == "output" || spoilt[c.ID] {
		return nil
	}
	return c
}

// wrongNumber changes a size.
func wrongNumber(r *rng, d *design, spoilt map[string]bool) {
	c := anywhere(r, d, spoilt)
	if c == nil || len(c.Params) == 0 {
		return
	}
	k := r.below(len(c.Params))
	v := c.Params[k].Value
	if v.Kind() != graph.Int || v.Int() < 4 {
		return
	}
	c.Params[k].Value = graph.IntValue(pick(r, v.Int()+1, v.Int()-1, 2*v.Int(), v.Int()/2+1))
	spoilt[c.ID] = true
}

// wrongHeads gives attention a number of heads that does not divide its features.
func wrongHeads(r *rng, d *design, spoilt map[string]bool) {
	heads := d.ofType("ropeAttention", "groupedQueryAttention", "transformerBlock")
	if len(heads) == 0 {
		return
	}
	id := pick(r, heads...)
	if !spoilt[id] {
		d.at(id).SetParam("numHeads", valueOf(d.int(id, "numHeads")+pick(r, 1, 3)))
		spoilt[id] = true
	}
}

// lostConnection takes a connection away.
func lostConnection(r *rng, d *design, spoilt map[string]bool) {
	k := r.below(len(d.Connections))
	to := d.Connections[k].To
	if !spoilt[to] {
		d.Connections = slices.Delete(d.Connections, k, k+1)
		spoilt[to] = true
	}
}

// takenOut removes a component without weights that others need, and joins its ends.
func takenOut(r *rng, d *design, spoilt map[string]bool) {
	ids := d.ofType("flatten", "globalAvgPool2d", "mean")
	if len(ids) == 0 {
		return
	}
	id := pick(r, ids...)
	from, to := d.feeder(id), d.readers(id)
	if spoilt[id] || len(to) != 1 || spoilt[to[0]] || from == "" {
		return
	}
	d.Connections = slices.DeleteFunc(d.Connections, func(c graph.Connection) bool { return c.To == id })
	for k := range d.Connections {
		if d.Connections[k].From == id {
			d.Connections[k].From = from
		}
	}
	d.Components = slices.DeleteFunc(d.Components, func(c graph.Component) bool { return c.ID == id })
	spoilt[to[0]] = true
}

// putIn adds a component that changes the shape where nothing should.
func putIn(r *rng, d *design, spoilt map[string]bool) {
	c := anywhere(r, d, spoilt)
	if c == nil || d.at("extra") != nil || spoilt["extra"] {
		return
	}
	to := d.readers(c.ID)
	if len(to) != 1 || spoilt[to[0]] {
		return
	}
	typ, args := "flatten", []arg(nil)
	if r.chance(50) {
		typ, args = "unsqueeze", []arg{{"dim", 1}}
	}
	d.inserted("extra", typ, c.ID, args...)
	spoilt["extra"], spoilt[to[0]] = true, true
}

// turnedRound turns a connection round, which makes a cycle or leaves a component without input.
func turnedRound(r *rng, d *design, spoilt map[string]bool) {
	c := &d.Connections[r.below(len(d.Connections))]
	if spoilt[c.From] || spoilt[c.To] || c.From == "x" || c.To == "y" {
		return
	}
	c.From, c.To = c.To, c.From
	spoilt[c.From], spoilt[c.To] = true, true
}

// keepTypes keeps every component with weights that the start still has, whatever its parameters are: which of them
// is at fault is not said.
func keepTypes(good, bad *design) Constraint {
	c := Constraint{Kind: "keeps", Except: []string{anyParam}}
	for i := range good.Components {
		id := good.Components[i].ID
		if t := catalog.Lookup(good.Components[i].Type); bad.at(id) != nil && t != nil && t.Weights != nil {
			c.Components = append(c.Components, id)
		}
	}
	slices.Sort(c.Components)
	return c
}

// interfaceOf are the constraints that keep the shapes of a design's input and output.
func interfaceOf(d *design) (in, out Constraint) {
	g := d.Clone()
	g.Normalize(catalog.Vocabulary)
	in, out = Constraint{Kind: "input"}, Constraint{Kind: "output"}
	res := infer.Walk(g)
	for i := range res.Nodes {
		switch n := &res.Nodes[i]; n.Component.Type {
		case "input":
			in.Shape = n.Out
			if n.OutIsInt {
				in.Vocabulary = vocabularyOf(res, i)
			}
		case "output":
			out.Shape = n.Out
		}
	}
	return in, out
}

// vocabularyOf is the number of rows of the table that an input of token ids indexes.
func vocabularyOf(res *infer.Result, input int) int64 {
	for _, j := range res.Wiring.Outputs(input) {
		if w := res.Nodes[j].Weights; len(w) > 0 {
			return w[0].Shape[0]
		}
	}
	return 0
}
