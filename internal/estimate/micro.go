package estimate

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// accumulates reports whether a step takes several micro-batches.
func (o Options) accumulates() bool { return o.MicroBatch > 0 && o.MicroBatch < o.Batch }

// micro is the run of one micro-batch, and how many of them a step takes.
func (o Options) micro() (Options, int64) {
	if !o.accumulates() {
		return o, 1
	}
	n := (o.Batch + o.MicroBatch - 1) / o.MicroBatch
	o.Batch, o.MicroBatch = o.MicroBatch, 0
	return o, n
}

// earlyGradients is what gradients take when the loss is computed: those of the micro-batch before, or of a fused loss the
// gradient of the map that gives the logits, which may be that of an embedding.
func (s *stepper) earlyGradients() int64 {
	if s.adds {
		return s.gradients
	}
	sum := int64(0)
	for _, i := range s.heads {
		if n := &s.res.Nodes[i]; s.fuses(i) {
			sum = plus(sum, block(times(features(n), classes(n.Out), weightSize(s.o.Precision))))
		}
	}
	return min(sum, s.gradients)
}

// grade brings the gradients of a component to life. Where others are there already, they are added to those and freed.
func (s *stepper) grade(i int, before int64) (gradients, fresh int64) {
	if s.adds {
		return s.gradients, s.kind(i).own
	}
	return plus(before, s.kind(i).own), 0
}

// fuses reports whether a fused loss takes a component in: the last map to logits.
func (s *stepper) fuses(i int) bool {
	n := &s.res.Nodes[i]
	return s.o.FusedLoss && n.Type.Has(catalog.IsAffine) && multiplies(n) && !convolves(n)
}

// addLogits counts the logits that a component gives, held by the script and at the worst moment. A fused loss makes and frees
// them in pieces, of which there are as many as an input of the map fits into its result (the rule of Liger's
// fused_linear_cross_entropy); it has the gradient of the input instead.
func (s *stepper) addLogits(i int, count, held, worst int64) {
	if !s.fuses(i) {
		s.held = plus(s.held, block(times(count, held)))
		s.logits = plus(s.logits, block(times(count, worst)))
		return
	}
	n := &s.res.Nodes[i]
	pieces := (classes(n.Out) + features(n) - 1) / features(n)
	rows := count / classes(n.Out)
	s.logits = plus(s.logits, block(times((rows+pieces-1)/pieces, classes(n.Out), worst)), block(times(rows, features(n), weightSize(s.o.Precision))))
}

// features is the size of what a linear map takes in.
func features(n *infer.Node) int64 {
	if len(n.In) == 0 || n.In[0].Rank() == 0 {
		return 1
	}
	return max(1, n.In[0].At(-1))
}

// headGradient is the gradient of the logits that the backward pass starts with. A fused loss is through with it by then.
func (s *stepper) headGradient(i int) int64 {
	if s.fuses(i) {
		return 0
	}
	return block(s.result(i))
}
