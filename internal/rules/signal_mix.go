package rules

import (
	"math"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// slide widens what an element sees by a window.
func (s *signal) slide(p *Pass, i int) {
	kernel, n, ok := p.Spatial(i, "kernelSize")
	if !ok {
		kernel, n, ok = p.Spatial(i, "patchSize")
	}
	stride, _, strides := p.Spatial(i, "stride")
	if !strides {
		stride = kernel
		if p.Is(i, catalog.IsConv) {
			stride = [3]int64{1, 1, 1}
		}
	}
	if !ok {
		return
	}
	for a := range min(n, 2) {
		s.rf[a] += float64(kernel[a]-1) * s.jump[a]
		s.jump[a] *= float64(stride[a])
	}
	s.see(p)
}

// see computes the share of the input that the receptive field covers.
func (s *signal) see(p *Pass) {
	if h, w := p.imageSize(); h > 0 {
		share := math.Min(1, s.rf[0]/h) * math.Min(1, s.rf[1]/w)
		s.seen = math.Max(s.seen, share)
	}
}

// imageSize is the height and width of the one input that is an image, else 0.
func (p *Pass) imageSize() (h, w float64) {
	for i := range p.With(catalog.IsVirtual) {
		if o := p.Nodes[i].Out; len(p.Wiring.Inputs(i)) == 0 && o.Rank() == 3 {
			return float64(o[1]), float64(o[2])
		}
	}
	return 0, 0
}

// pool is a pooling: what varies shrinks in a mean, as neighbours are alike by about the root of their number.
func (s *signal) pool(p *Pass, i int) {
	n := &p.Nodes[i]
	before, after := positions(n.In[0]), positions(n.Out)
	if after <= 1 && before > 1 {
		s.seen = 1
	} else {
		s.slide(p, i)
	}
	s.average(float64(before) / float64(max(1, after)))
}

func (s *signal) average(n float64) { s.varies /= math.Sqrt(math.Max(1, n)) }

// attend is attention or a block of it: nearly a mean over positions at first, behind a linear layer and before another.
func (s *signal) attend(n *infer.Node) {
	s.seen = 1
	in := *s
	in.affine(float64(n.In[0].At(-1)))
	in.average(float64(positions(n.In[0])))
	in.affine(float64(n.In[0].At(-1)))
	if n.Type.Has(catalog.HasResidual) {
		in.varies, in.stays = in.varies+s.varies, in.stays+s.stays
	}
	s.varies, s.stays = in.varies, in.stays
}

// recur is a recurrent layer: a saturating step, with gates of about a half in LSTM and GRU.
func (s *signal) recur(p *Pass, i int) {
	layers := 1
	if v := p.Arg(i, "numLayers"); v.Kind() != graph.Null {
		layers = int(v.Int())
	}
	gate := 0.25
	if p.Nodes[i].Type.ID == "rnn" {
		gate = 1
	}
	for range min(layers, 8) {
		s.affine(float64(p.Nodes[i].Out.At(-1)))
		s.varies, s.stays = s.varies*gate, s.stays*gate
		s.varies, s.stays = s.varies/(1+s.varies+s.stays), s.stays/(1+s.varies+s.stays)
	}
	s.seen = 1
}

// other is what is left: scales, means and views.
func (s *signal) other(p *Pass, i int) {
	n := &p.Nodes[i]
	if n.Type.ID == "transpose" {
		s.turned = !s.turned
	}
	if v := p.Arg(i, "initValue"); v.Kind() != graph.Null {
		f := v.Float() * v.Float()
		*s = s.scaled(f, f)
		return
	}
	if n.Type.HasAny(catalog.HasNorm) {
		return
	}
	if n.Type.Has(catalog.HasActivation) && n.Params > 0 { // a feed-forward network
		s.affine(float64(n.In[0].At(-1)))
		s.varies, s.stays = s.varies*0.3, s.stays*0.3
		s.affine(float64(n.In[0].At(-1)))
		return
	}
	before, after := size(n.In[0]), size(n.Out)
	if n.Type.ID == "mean" && after < before {
		s.average(float64(before / max(1, after)))
		s.seen = 1
	}
}

func size(s catalog.Shape) int64 {
	n := int64(1)
	for _, a := range s {
		n *= a
	}
	return n
}
