package rules

import (
	"math"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// signal is what is left of a sample behind a component of a model that has just been initialised as PyTorch does by default.
// It follows the mean-field recursions of Poole et al. 2016 and Schoenholz et al. 2017 with the variances of PyTorch's own
// initialisation, one step a component, in the order in which they run: a bound it is not, and no more than a few factors right.
type signal struct {
	varies float64 // second moment of what differs from sample to sample; 1 for the input
	stays  float64 // second moment of what is the same for every sample, such as biases
	kept   float64 // share of the values that no dropout on every way from the input drops
	seen   float64 // share of the positions of the input that an element depends on
	rf     [2]float64
	jump   [2]float64 // how far apart neighbours are in the input
	turned bool       // the last axis is that of the positions
}

// least keeps the recursion away from zero: far below what any flag asks about.
const least = 1e-30

// epsilon is what PyTorch's normalisations add to the variance.
const epsilon = 1e-5

// signals returns the signal behind every component.
func (p *Pass) signals() []signal {
	if p.signal != nil {
		return p.signal
	}
	p.signal = make([]signal, len(p.Nodes))
	for _, i := range p.Wiring.Order {
		n := &p.Nodes[i]
		s := signal{varies: 1, kept: 1, rf: [2]float64{1, 1}, jump: [2]float64{1, 1}}
		if n.Type == nil || n.State != infer.Legal {
			p.signal[i] = s
			continue
		}
		if in := p.Wiring.Inputs(i); len(in) > 0 {
			s = p.arriving(i)
			s.step(p, i)
		} else {
			s.seen = 1 / float64(max(1, positions(n.Out)))
		}
		s.varies = math.Max(s.varies, least)
		p.signal[i] = s
	}
	return p.signal
}

// positions counts the places of an image or a sequence: what lies behind the channels, or before the features.
func positions(s catalog.Shape) int64 {
	switch s.Rank() {
	case 2:
		return s[0]
	case 3:
		return s[1] * s[2]
	}
	return 1
}

// arriving joins what a component reads: a sum adds, everything else is on average as its parts.
func (p *Pass) arriving(i int) signal {
	var out signal
	n := 0.0
	for _, j := range p.Wiring.Inputs(i) {
		if p.Nodes[j].Type == nil || p.Nodes[j].Type.Has(catalog.IsTensor) {
			continue
		}
		s := p.signal[j]
		n++
		out.varies, out.stays = out.varies+s.varies, out.stays+s.stays
		out.turned = s.turned
		out.kept, out.seen = math.Max(out.kept, s.kept), math.Max(out.seen, s.seen)
		for a := range s.rf {
			out.rf[a], out.jump[a] = math.Max(out.rf[a], s.rf[a]), math.Max(out.jump[a], s.jump[a])
		}
	}
	if n > 1 && !p.Nodes[i].Type.Has(catalog.IsAdd) {
		out.varies, out.stays = out.varies/n, out.stays/n
	}
	return out
}

// step goes through one component.
func (s *signal) step(p *Pass, i int) {
	n := &p.Nodes[i]
	t := n.Type
	switch {
	case t.HasAny(catalog.IsConv | catalog.IsPatches):
		s.slide(p, i)
		s.affine(fanIn(n))
	case t.Has(catalog.IsAffine):
		s.affine(fanIn(n))
		if n.In[0].Rank() == 1 || s.turned {
			s.seen = 1
		}
	case t.Has(catalog.IsPool):
		s.pool(p, i)
	case t.Has(catalog.IsAttention):
		s.attend(n)
	case t.Has(catalog.IsRecurrent):
		s.recur(p, i)
	case t.Has(catalog.IsActivation):
		s.activate(t)
	case t.Has(catalog.IsBatchNorm):
		*s = s.scaled(1/(s.varies+epsilon), 0)
	case t.Has(catalog.IsNorm):
		v := 1 / (s.varies + s.stays + epsilon)
		*s = s.scaled(v, v)
	case t.Has(catalog.IsDropout):
		if rate := p.dropRate(i); rate > 0 {
			s.kept *= 1 - rate
		}
	default:
		s.other(p, i)
	}
}

func (s signal) scaled(varies, stays float64) signal {
	s.varies, s.stays = s.varies*varies, s.stays*stays
	return s
}

// affine is a linear layer whose weights and biases are drawn uniformly from ±1/√fan, as PyTorch does for Linear and Conv: their
// variance is 1/(3 fan).
func (s *signal) affine(fan float64) {
	s.varies, s.stays = s.varies/3, s.stays/3+1/(3*math.Max(1, fan))
}

// fanIn is how many values each output of a linear layer reads.
func fanIn(n *infer.Node) float64 {
	w, out := float64(n.Params), float64(max(1, width(n.Type, n.Out)))
	return math.Max(1, w/out-1)
}

// activate is an activation. A rectifier lets half of what varies through, one that is smooth at zero less of small values; one
// that saturates has slope 1 or 1/4 at zero, and bounds the rest.
func (s *signal) activate(t *catalog.Type) {
	v := s.varies + s.stays
	switch {
	case t.Has(catalog.Saturates | catalog.InUnit):
		s.varies, s.stays = s.varies/16/(1+v/4), 0.25
	case t.Has(catalog.Saturates):
		s.varies, s.stays = s.varies/(1+v), s.stays/(1+v)
	case t.Has(catalog.Rectifies):
		varies := s.varies * (float64(0.34*s.varies) + float64(0.5*s.stays)) / math.Max(v, least)
		s.varies, s.stays = varies, math.Max(0, v/2-varies)
	default:
		g := 0.25 + 0.15*v/(1+v)
		s.varies, s.stays = s.varies*g, s.stays*g
	}
}
