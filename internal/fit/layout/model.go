package layout

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/fit/facts"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/op"
)

// model is what a layout needs to know of a model: its layers, and what lies before and behind them.
type model struct {
	recalled bool          // whether a layer calls modules of another one
	source   *infer.Result // the model as it was walked
	asked    *int64        // tokens of a sample that were asked for
	facts    facts.Facts
	whole    bool     // whether memory contains every component
	computed bool     // whether operations do
	withheld []string // components that the figures lack something of
	told     bool     // whether the sizes are those of the whole model: its components are known, or its config.json says them
	seqLen   int64    // tokens of a sample, 0 where it reads none
	wanted   int64    // tokens that were to be used; the graph does not run at them where they differ
	tooLong  string   // what refuses the length that was asked for, where a table of positions ends before
	longest  int64    // rows of that table
	first    part     // what comes before the layers: embeddings
	parts    []part   // the layers
	last     part     // what comes behind: the last normalisation and the head
	tied     int64    // weights of the embedding that the head uses as well, which a pipeline stores twice
	logits   int64    // of one sample
	biased   bool     // whether the experts add a bias

	balanced map[int64][]int64 // layers of each stage by the number of stages, as DeepSpeed cuts them; filled when asked for
}

// part is what a few components are together, for one sample where it depends on samples.
type part struct {
	split, whole, expert int64   // weights: those that tensor parallelism splits, those that every rank has, and those of routed experts
	tables               []table // tables of a vocabulary, which are split by rows; not among the weights above
	flops                int64
	inner, stream        int64 // bytes kept: inside layers, which tensor parallelism splits, and of the full width between them
	scores               int64 // those among inner that are the weights of attention
	entry                int64 // bytes of what flows in
}

// table is a vocabulary's weight.
type table struct{ rows, width int64 }

// params is the number of weights.
func (p *part) params() int64 {
	n := plus(p.split, p.whole, p.expert)
	for _, t := range p.tables {
		n = plus(n, times(t.rows, t.width))
	}
	return n
}

func (p *part) add(q *part) {
	p.split, p.whole, p.expert = plus(p.split, q.split), plus(p.whole, q.whole), plus(p.expert, q.expert)
	p.tables = append(p.tables, q.tables...)
	p.flops, p.inner, p.stream, p.scores = plus(p.flops, q.flops), plus(p.inner, q.inner), plus(p.stream, q.stream), plus(p.scores, q.scores)
}

// layers is the number of layers that a pipeline cuts between.
func (m *model) layers() int64 { return int64(len(m.parts)) }

// layered reports whether the layers that a framework counts are known: those of a transformer, or whatever mixes positions in their
// place, as many as the graph shows. Modules that several layers call could be on one stage alone.
func (m *model) layered() bool {
	return m.layers() > 0 && m.layers() == m.facts.Layers && !m.recalled
}

// defaultLength is the length of a text sample where none is given and the model does not accept fewer tokens.
const defaultLength = 2048

// newModel takes a model apart at a length of its samples.
func newModel(res *infer.Result, asked *int64) *model {
	m := &model{source: res, asked: asked, facts: facts.Of(res), whole: facts.Counted(res), withheld: res.CostWithheld(), computed: res.KnownFLOPs() != nil}
	m.told = m.whole || facts.Imported(res)
	res = m.atLength(res, asked)
	at, layers := group(res)
	m.parts, m.recalled = make([]part, layers), callsAcross(res, at)
	k := &keeper{res: res, hidden: m.facts.Hidden, owned: make([]bool, len(res.Nodes)), lowering: catalog.Lowering{P: &op.Program{}}}
	for _, i := range res.Wiring.Order {
		n := &res.Nodes[i]
		p := m.part(at[i])
		if n.State == infer.Absent {
			k.weigh(p, n) // it is loaded, and does not run
		}
		if n.State != infer.Legal && n.State != infer.Withheld {
			continue
		}
		k.weigh(p, n)
		m.biased = m.biased || hasExpertBias(n)
		k.keep(p, i)
		p.flops = plus(p.flops, n.FLOPs)
		if isHead(res, i) {
			m.logits = plus(m.logits, max(0, n.Out.Size()))
			m.tied = plus(m.tied, tiedWeights(n))
		}
	}
	m.enter(res, at)
	return m
}

// callsAcross reports whether a layer calls a module of another one.
func callsAcross(res *infer.Result, at []int) bool {
	layers := make(map[string]int, len(at))
	for i := range res.Nodes {
		layers[res.Nodes[i].Component.ID] = at[i]
	}
	for i := range res.Nodes {
		if v, ok := res.Nodes[i].Component.Param("sameAs"); ok {
			if layer, known := layers[v.Str()]; known && layer != at[i] {
				return true
			}
		}
	}
	return false
}

func (m *model) part(layer int) *part {
	switch {
	case layer < 0:
		return &m.first
	case layer < len(m.parts):
		return &m.parts[layer]
	}
	return &m.last
}

// enter finds what flows into each layer from outside.
func (m *model) enter(res *infer.Result, at []int) {
	for i := range res.Nodes {
		if at[i] < 0 || at[i] >= len(m.parts) {
			continue
		}
		for _, j := range res.Wiring.Inputs(i) {
			if from := &res.Nodes[j]; at[j] != at[i] && from.Out != nil && from.Type != nil && from.Type.ID != infer.InputID {
				p := &m.parts[at[i]]
				p.entry = max(p.entry, times(2, max(0, from.Out.Size())))
			}
		}
	}
}

// atLength walks the model at a length of its samples of text. One that does not run at that length keeps its own.
func (m *model) atLength(res *infer.Result, asked *int64) *infer.Result {
	inputs := facts.Tokens(res)
	if len(inputs) == 0 {
		return res
	}
	m.seqLen = res.Nodes[inputs[0]].Out[0]
	if m.wanted = min(m.seqLen, defaultLength); asked != nil {
		m.wanted = *asked
	}
	if m.wanted < 1 || m.wanted > largest || m.wanted == m.seqLen {
		return res
	}
	resized, refusal, runs := facts.AtLength(res, m.wanted)
	if runs == facts.Yes {
		m.seqLen = m.wanted
		return resized
	}
	if m.longest = facts.Longest(res, refusal); m.longest > 0 {
		m.tooLong = refusal.Message
	}
	return res
}

// isHead reports whether a component gives what the loss is computed from.
func isHead(res *infer.Result, i int) bool {
	n := &res.Nodes[i]
	if n.Type.Has(catalog.IsVirtual) || n.OutIsInt || n.Out == nil {
		return false
	}
	for _, j := range res.Wiring.Outputs(i) {
		if r := res.Nodes[j].Type; r != nil && r.ID == "output" {
			return true
		}
	}
	return false
}

// tiedWeights is the size of the weight that a head shares with the embedding.
func tiedWeights(n *infer.Node) int64 {
	for i := range n.Args {
		switch n.Type.Params[i].Name {
		case "tied", "tiedTo":
			if (n.Args[i].Bool() || n.Args[i].Str() != "") && len(n.In) > 0 && n.In[0].Rank() > 0 && n.Out.Rank() > 0 {
				return times(max(0, n.In[0].At(-1)), max(0, n.Out.At(-1)))
			}
		}
	}
	return 0
}
