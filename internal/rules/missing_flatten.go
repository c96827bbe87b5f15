package rules

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

var _ = define(Rule{
	ID:       "missing-flatten",
	Title:    "A linear layer over the columns of an image",
	Severity: Warn,
	Doc: `A linear layer maps the last axis. Behind a convolution or a pooling that axis is the width of the image (or the length of a signal), so that every row of every channel is mapped by itself and no two channels are ever joined. PyTorch runs it where the width is the number of features, or where the layer takes its size from the input. A flatten in front of the layer, or a pooling over the whole image, was probably meant. Where linear layers are to map the channels of every position, move the channels to the last axis first.

Where the number of features is that of the whole image, or of its channels, the layer is refused and not warned of.`,
	Source: "torch.nn.Linear \"Shape\": (*, H_in), applied to the last dimension; torch.nn.Conv2d \"Shape\": (N, C_out, H_out, W_out)",
	Whole: func(p *Pass) {
		tried := false
		for i := range p.With(catalog.IsAffine) {
			n := &p.Nodes[i]
			if n.Type.Has(catalog.IsConv) || len(n.In) != 1 || n.In[0].Rank() < 2 || p.inferred {
				continue
			}
			from, ok := p.Image(i)
			if !ok || p.Nodes[from].Out.Rank() < 2 {
				continue
			}
			p.Reportf(i, "maps the last axis of %v, which %s gives: each of %d rows by itself", n.In[0], p.Label(from), n.In[0].Size()/n.In[0].At(-1))
			if !tried { // each trial is another walk
				tried = true
				p.offerFlatten(i)
			}
		}
	},
	Examples: []string{
		"x: input shape=[3,32,32]\nc: conv2d outChannels=8 kernelSize=3 padding=1\nr: relu\nf: linear outFeatures=10 // want\no: output\nx -> c -> r -> f -> o",
		"x: input shape=[3,32,32]\nc: conv2d outChannels=8 kernelSize=3 padding=1\np: maxPool2d kernelSize=2\nf: linear inFeatures=16 outFeatures=10 // want\no: output\nx -> c -> p -> f -> o",
		"x: input shape=[3,32,32]\nc: conv2d outChannels=8 kernelSize=3 padding=1\nv: flatten\nf: linear outFeatures=10\no: output\nx -> c -> v -> f -> o",
		"x: input shape=[3,32,32]\nc: conv2d outChannels=8 kernelSize=3 padding=1\ng: globalAvgPool2d\nf: linear outFeatures=10\no: output\nx -> c -> g -> f -> o",
		"x: input shape=[3,32,32]\nc: conv2d outChannels=8 kernelSize=3 padding=1\nt: permute dims=[0,2,3,1]\nf: linear outFeatures=10\no: output\nx -> c -> t -> f -> o",
	},
})

// offerFlatten adds a flatten in front of a component as the edit of the last finding, with the number of features that it then reads, where
// the model runs with it.
func (p *Pass) offerFlatten(i int) {
	e, g, ok := p.Insertion(infer.FlattenID, i)
	if !ok {
		return
	}
	edits := []infer.Edit{e}
	n := &p.Nodes[i]
	for k := range n.Type.Params {
		param := &n.Type.Params[k]
		if _, given := n.Component.Param(param.Name); given && param.Reads == catalog.At(-1) {
			size := graph.IntValue(n.In[0].Size())
			c := &g.Components[i]
			c.Params = append([]graph.Param(nil), c.Params...)
			c.SetParam(param.Name, size)
			edits = append(edits, infer.Edit{Component: c.ID, Param: param.Name, Value: size})
		}
	}
	if trial := infer.Attempt(g); len(trial.Refusals) <= len(p.Refusals) && trial.Nodes[i].State == infer.Legal {
		f := &p.findings[len(p.findings)-1]
		f.Edits, f.Fix = edits, infer.Words(p.Result, edits)
	}
}
