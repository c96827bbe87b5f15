package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// BucketScores is get_main_relative_pos_embeddings of modeling_prophetnet.py: of the scores of buckets, for each position and head, that of the bucket
// of each distance.
type BucketScores struct{}

var (
	_ = register("ProphetNetNgramSelfAttention", "a lookup that saves its indices", BucketScores{}, "customModule")
	_ = register("ProphetNetForConditionalGeneration", "a copy of a slice of logits whose loss takes all of them", StreamLogits{Copied: true}, "slice")
	_ = register("ProphetNetForCausalLM", "a slice of logits whose loss takes all of them", StreamLogits{}, "slice")
)

// Lower is torch.gather of a copy that has the heads first, by indices that are repeated for each head.
func (BucketScores) Lower(l *catalog.Lowering) op.Value {
	if l.Out.Rank() < 2 {
		return op.None
	}
	p, heads, queries := l.P, l.Out[0], l.Out[1]
	buckets := l.In[0].Size() / max(1, heads*queries)
	scores := op.Contiguous(p, op.Reshaped(p, l.X[0], heads, queries, buckets), heads, queries, buckets)
	return op.Gather(p, scores, op.Constant(p, op.Int64, false, l.Out...))
}

// StreamLogits is the logits of the next word, cut from those of all streams, of which ProphetNet's _compute_loss is taken.
type StreamLogits struct {
	Copied bool // logits.contiguous(), of ProphetNetForConditionalGeneration
}

// Lower copies the cut, and all streams for the logarithms of their shares, which are in 32 bits.
func (m StreamLogits) Lower(l *catalog.Lowering) op.Value {
	p := l.P
	next := op.View(p, l.X[0], l.Out...)
	if m.Copied {
		next = op.Contiguous(p, next, l.Out...)
	}
	all := op.Contiguous(p, l.X[0], l.In[0]...)
	shares := op.LogSoftmax(p, op.To(p, all, 4))
	named(p, next, all)
	return op.View(p, shares, l.Out...)
}

// Loss is torch.nn.functional.nll_loss.
func (StreamLogits) Loss(p *op.Program, shares, targets op.Value) op.Value {
	return op.NLLLoss(p, shares, targets)
}
