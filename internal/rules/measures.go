package rules

import (
	"fmt"
	"math"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// The rules whose link to trained outcomes was measured hold back beyond these: the designs that were trained read at most
// 3,072 values and tell at most 10 classes apart, and a few times more is as far as that is believed to carry.
const maxMeasuredInputs, maxMeasuredClasses = 12_288, 200

// measures is what the rules on trained outcomes ask of a classifier of images or of tables.
type measures struct {
	inputs, classes int64

	signal   float64 // second moment of what varies from sample to sample in the result, at initialisation
	contrast float64 // its least share of all that passes, behind any component that everything passes
	blurred  int     // where that is
	kept     float64 // share of the values that no dropout on every way to the result drops
	narrow   int64   // the fewest elements that everything passes before the last layer with weights
	narrowAt int
	head     int64   // features that the last layer with weights reads
	last     int     // that layer
	pooled   float64 // the least share of the input that a position has seen where positions are averaged
	pooledAt int
	result   int // what gives the result
	source   int // the input
}

// measure returns the measures of a graph, or nil where it is no classifier of images or tables, larger than what was measured,
// or not known in full.
func (p *Pass) measure() *measures {
	if !p.measured {
		p.measured = true
		if m, ok := p.classifier(); ok {
			m.walk(p)
			p.measures = m
		}
	}
	return p.measures
}

// Task names what a classifier of images or tables that was walked reads and gives, as "[3,32,32] to 10 classes". It is empty for every
// other graph: the links to trained outcomes were not measured there. Two designs can be ordered by them if their tasks are equal.
func Task(res *infer.Result) string {
	p := newPass(res)
	m := p.measure()
	if m == nil {
		return ""
	}
	return fmt.Sprintf("%v to %d classes", p.Nodes[m.source].Out, m.classes)
}

// classifier finds the input and the result of a graph that reads one image or table of floats and gives one value a class.
func (p *Pass) classifier() (*measures, bool) {
	m := &measures{kept: 1, contrast: 1, pooled: 1, narrow: math.MaxInt64, last: -1}
	inputs, outputs := 0, 0
	if p.inferred || p.Any(catalog.IsEmbedding|catalog.IsOpaque|catalog.IsTransposed) {
		return nil, false
	}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.State == infer.Note {
			continue
		}
		if n.State != infer.Legal || n.Out == nil || n.LacksWeights {
			return nil, false
		}
		switch {
		case n.Type.Has(catalog.IsAffine):
			m.last = i
		case !n.Type.Has(catalog.IsVirtual):
		case len(p.Wiring.Inputs(i)) == 0:
			inputs++
			m.inputs, m.source = size(n.Out), i
			if r := n.Out.Rank(); r != 1 && r != 3 || n.OutIsInt {
				return nil, false
			}
		default:
			j, ok := p.Only(i)
			if !ok || n.Out.Rank() != 1 {
				return nil, false
			}
			outputs, m.result, m.classes = outputs+1, j, n.Out[0]
		}
	}
	fits := m.inputs <= maxMeasuredInputs && m.classes >= 2 && m.classes <= maxMeasuredClasses
	return m, fits && inputs == 1 && outputs == 1 && m.last >= 0
}

// walk follows the signal through the graph.
func (m *measures) walk(p *Pass) {
	s, cut := p.signals(), p.cuts()
	for _, i := range p.Wiring.Order {
		if p.Is(i, catalog.IsAffine) {
			m.last = i
		}
	}
	for _, i := range p.Wiring.Order {
		n := &p.Nodes[i]
		if n.State != infer.Legal || n.Type.Has(catalog.IsVirtual) {
			continue
		}
		if i == m.last {
			break
		}
		m.pool(p, i, s)
		if !cut[i] {
			continue
		}
		if k := size(n.Out); k < m.narrow {
			m.narrow, m.narrowAt = k, i
		}
		if c := s[i].varies / (s[i].varies + s[i].stays); c < m.contrast {
			m.contrast, m.blurred = c, i
		}
	}
	n := &p.Nodes[m.last]
	m.head = width(n.Type, n.In[0])
	m.signal, m.kept = s[m.result].varies, s[m.result].kept
}

// pool notes how much of the input a position has seen where all positions become one.
func (m *measures) pool(p *Pass, i int, s []signal) {
	n := &p.Nodes[i]
	j, ok := p.Only(i)
	if !ok || !n.Type.Has(catalog.IsPool) && n.Type.ID != "mean" {
		return
	}
	if positions(n.Out) == 1 && positions(n.In[0]) > 1 && s[j].seen < m.pooled {
		m.pooled, m.pooledAt = s[j].seen, i
	}
}

// cuts reports which components everything passes: no connection leads around them.
func (p *Pass) cuts() []bool {
	at := make([]int, len(p.Nodes))
	for k, i := range p.Wiring.Order {
		at[i] = k
	}
	over := make([]int, len(p.Wiring.Order)+1) // how many more connections lead over a component than over the one before it
	for _, i := range p.Wiring.Order {
		for _, j := range p.Wiring.Inputs(i) {
			if a, b := at[j]+1, at[i]; a < b {
				over[a]++
				over[b]--
			}
		}
	}
	out, open := make([]bool, len(p.Nodes)), 0
	for k, i := range p.Wiring.Order {
		open += over[k]
		out[i] = open == 0
	}
	return out
}

// percent rounds a share for a message.
func percent(share float64) float64 { return math.Round(share*1000) / 10 }
