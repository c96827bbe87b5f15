package serve

import (
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/fit/facts"
	"github.com/modelverifier/verifier/internal/quantity"
)

// parts are the weights of a model by how they are divided.
type parts struct {
	embedding int64 // rows of tokens, and positions
	head      int64
	linear    int64 // of attention and dense feed-forward networks
	experts   int64 // routed
	rest      int64 // norms, routers, biases: every card has them
	vision    int64 // of a tower in front of the language model
}

func (p parts) total() int64 {
	return p.embedding + p.head + p.linear + p.experts + p.rest + p.vision
}

// weigh sorts the weights of the walked model. The head of a tied model is the embedding.
func (l *launch) weigh() parts {
	if l.weighed != nil {
		return *l.weighed
	}
	var p parts
	towers := facts.Towers(l.walked)
	for i := range l.walked.Nodes {
		n := &l.walked.Nodes[i]
		if n.Type == nil || n.Params == 0 {
			continue
		}
		switch {
		case towers[i]:
			p.vision += n.Params
		case n.Type.Has(catalog.IsEmbedding) || n.Type.ID == "learnedPositionalEmbedding":
			p.embedding += n.Params
		case n.Type.Has(catalog.IsHead):
			p.head += n.Params
		case n.Type.Has(catalog.IsNorm):
			p.rest += n.Params
		case n.Type.Has(catalog.IsExperts):
			p.expertWeights(n.Weights, n.Params)
		default:
			p.linear += n.Params
		}
	}
	l.weighed = &p
	return p
}

// expertWeights tells routed experts from what every token visits.
func (p *parts) expertWeights(weights []catalog.Weight, params int64) {
	routed := int64(0)
	for i := range weights {
		w := &weights[i]
		name := w.Path()
		if !strings.Contains(name, "experts") || strings.Contains(name, "shared") {
			continue
		}
		n, ok := quantity.Mul(w.Shape.Size(), max(w.Times, 1))
		if !ok {
			return
		}
		routed += n
	}
	routed = min(routed, params)
	p.experts += routed
	p.linear += params - routed
}

// stored is what weights take on the fullest card: at the least, whatever the engine does, and about.
type stored struct{ least, about int64 }

// elementBytes is what an unquantised weight takes, by the flag and the checkpoint.
func (l *launch) elementBytes(flag string) int64 {
	if d, ok := l.str(flag); ok && (d == "float32" || d == "float") {
		return 4
	}
	return 2
}

// weightBytes divides the weights among the cards.
func (l *launch) weightBytes(s sizes, dtypeFlag, method string) stored {
	p, elem := l.weigh(), float64(l.elementBytes(dtypeFlag))
	least, about := elem, elem
	if a, b := l.bitsPerWeight(method); a > 0 {
		least, about = a/8, b/8
	}
	denseAbout := about
	if method == "mxfp4" || method == "gpt_oss_mxfp4" {
		denseAbout = elem // attention stays as it was
	}
	tp, pp := float64(max(s.tp, 1)), float64(max(s.pp, 1))
	spread := tp
	if s.ep && s.epSize > 0 {
		spread = max(float64(s.epSize), tp) // what is not spread whole is divided
	}
	plain := float64(p.embedding + p.head)
	low := float64(float64(p.linear)*min(least, elem))/tp/pp + float64(float64(p.experts)*min(least, elem))/max(spread, tp)/pp + float64(plain*min(least, elem))/tp/pp
	if least == elem {
		low += float64(float64(p.rest+p.vision)*elem) / tp / pp
	}
	attn := tp
	if s.attnTP > 0 && s.attnTP < s.tp {
		attn = float64(s.attnTP)
	}
	high := float64(float64(p.linear)*denseAbout)/min(attn, tp)/pp + float64(float64(p.experts)*about)/spread/pp + float64(float64(p.rest)*elem)/pp + float64(float64(p.vision)*elem)/tp
	ends := float64(plain*elem) / tp
	if pp > 1 { // the embedding on the first stage, the head on the last; a tied one on both
		ends = float64(float64(max(p.embedding, p.head))*elem) / tp
	}
	return stored{int64(low), int64(high + ends)}
}
