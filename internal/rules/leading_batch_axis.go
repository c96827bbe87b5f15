package rules

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

var _ = define(Rule{
	ID:       "leading-batch-axis",
	Title:    "A batch size in the shape of the input",
	Severity: Warn,
	Doc:      `The shape of an input is that of one sample; the batch comes in front of it when the model runs. With a batch written into the shape, layers with a fixed number of axes refuse it, and linear layers and embeddings take it for a sequence and carry a needless axis to the loss. It is reported where what reads the input runs only without the first axis, and where an axis of size 1 is in front of features or token ids. Leave the axis out.`,
	Source:   "torch.nn layers take (batch, …): torch.nn.Conv2d \"Shape\", torch.nn.Linear \"Shape\"",
	Whole: func(p *Pass) {
		for i := range p.With(catalog.IsVirtual) {
			if p.Nodes[i].Type.ID != infer.InputID || p.Nodes[i].Out.Rank() < 2 {
				continue
			}
			for _, j := range p.Wiring.Outputs(i) {
				if p.readsBatch(i, int(j)) {
					s := p.Nodes[i].Out
					p.ReportEdit(i, "shape", graph.IntsValue(s[1:]...), "the shape %v seems to begin with a batch of %d: %s takes %v", s, s[0], p.Label(int(j)), s[1:])
					break
				}
			}
		}
	},
	Examples: []string{
		"x: input shape=[1,784] // want\nf: linear inFeatures=784 outFeatures=10\no: output\nx -> f -> o",
		"x: input shape=[1,128] // want\ne: embedding vocabSize=1000 embedDim=64\no: output\nx -> e -> o",
		"x: input shape=[784]\nf: linear inFeatures=784 outFeatures=10\no: output\nx -> f -> o",
		"x: input shape=[1,28,28]\nv: flatten\nf: linear outFeatures=10\no: output\nx -> v -> f -> o", // one channel
		"x: input shape=[1,16000]\nc: conv1d inChannels=1 outChannels=8 kernelSize=80 stride=16\no: output\nx -> c -> o",
	},
})

// readsBatch reports whether a reader of an input takes its first axis for what must be a batch.
func (p *Pass) readsBatch(input, reader int) bool {
	s, n := p.Nodes[input].Out, &p.Nodes[reader]
	if n.Type == nil || len(n.In) != 1 {
		return false
	}
	if n.State == infer.Legal {
		return s.Rank() == 2 && s[0] == 1 && (n.Type.Has(catalog.IsEmbedding) || n.Type.Has(catalog.IsAffine) && !n.Type.Has(catalog.IsConv))
	}
	if n.State != infer.Refused || s[0] != 1 && !p.statesInput(reader) {
		return false // a size that nothing states would fit any input
	}
	return n.Type.Evaluate(n.Component.Params, []catalog.Shape{s[1:]}, []bool{p.Nodes[input].OutIsInt}).Err == nil
}

// statesInput reports whether a component was told a size of its input.
func (p *Pass) statesInput(i int) bool {
	n := &p.Nodes[i]
	for k := range n.Type.Params {
		if param := &n.Type.Params[k]; param.Reads != 0 {
			if _, given := n.Component.Param(param.Name); given {
				return true
			}
		}
	}
	return false
}
