package layout

import (
	"math"
	"strings"

	"github.com/modelverifier/verifier/internal/hardware"
)

// What a step is assumed to reach. The order of layouts rests on these, so they are the same for all of them; none was measured here.
const (
	efficiency  = 0.5 // of the dense 16-bit rate inside layers: Megatron-LM reports 0.4 to 0.57
	betweenGBs  = 50  // from one machine to another, one 400 Gb/s link a card
	hiddenShare = 0.5 // of the reduction of gradients, behind the backward pass
)

// withinGBs is the rate between two cards of one machine, one way: NVLink of that generation, or PCIe.
func withinGBs(g *hardware.GPU) float64 {
	switch {
	case strings.HasPrefix(g.Name, "B"):
		return 900
	case strings.HasPrefix(g.Name, "H"):
		return 450
	case strings.HasPrefix(g.Name, "A100"):
		return 300
	case strings.HasPrefix(g.Name, "MI"):
		return 448
	case strings.HasPrefix(g.Name, "V100"):
		return 150
	}
	return 32
}

// stepMicros estimates a step: every stage's micro-batches one after the other at the pace of the slowest, the bubble, and the
// exchange of gradients.
func (c *plan) stepMicros(stages []stage) int64 {
	rate := max(c.GPU.BF16, c.GPU.FP16)
	if rate == 0 {
		rate = c.GPU.FP32
	}
	passes := float64(3)
	if c.Recompute == "full" {
		passes = 4
	}
	slowest, reduce := float64(0), float64(0)
	for i := range stages {
		s := &stages[i]
		work := float64(passes*float64(times(s.flops, c.MicroBatch))) / float64(float64(c.TP*c.CP)*float64(rate*efficiency*1e6))
		slowest = max(slowest, work+c.exchangeMicros(s))
		reduce = max(reduce, c.reduceMicros(s))
	}
	turns := float64(c.microBatches) + float64(c.PP-1)/float64(c.VPP)
	micros := float64(slowest*turns) + reduce
	if !(micros < most) {
		return most
	}
	return int64(math.Ceil(micros))
}

// link is the rate of a group of ranks that are next to each other.
func (c *plan) link(ranks int64) float64 {
	if ranks > nodeGPUs {
		return betweenGBs
	}
	return withinGBs(c.GPU)
}

// exchangeMicros is what the ranks of a stage send each other for one micro-batch: four reductions of the stream in a layer for
// tensor parallelism, four exchanges of the routed tokens for experts, keys and values around the ring for context parallelism, the
// stream to the next stage, and of ZeRO 3 the weights, forward and backward.
func (c *plan) exchangeMicros(s *stage) float64 {
	stream := float64(2*c.facts.Hidden) * float64(max(c.seqLen, 1)) * float64(c.MicroBatch) / float64(c.CP)
	layers := float64(s.layers)
	bytes := func(n, gbs float64) float64 { return n / float64(gbs*1e3) }
	sum := float64(0)
	if t := float64(c.TP); c.TP > 1 {
		sum += bytes(float64(layers*4)*float64(2*(t-1)/t)*stream, c.link(c.TP))
	}
	if e := float64(c.EP); c.EP > 1 {
		sum += bytes(float64(layers*4)*float64((e-1)/e)*float64(stream*float64(max(1, c.facts.ExpertsPerToken)))/float64(c.TP), c.link(times(c.EP, c.TP)))
	}
	if c.CP > 1 && c.facts.Heads > 0 {
		shared := float64(2*c.facts.KVHeads) / float64(c.facts.Heads)
		sum += bytes(float64(layers*3)*float64(shared*stream)*float64(c.CP-1)/float64(c.TP), c.link(times(c.CP, c.TP)))
	}
	if c.PP > 1 {
		sum += bytes(float64(2*c.VPP)*stream/float64(c.TP), c.link(c.gpus/c.PP*2))
	}
	if c.zero == 3 && c.DP*c.CP > 1 {
		sum += bytes(float64(2)*float64(times(s.weights, c.DP*c.CP)), c.link(c.gpus/c.PP))
	}
	return sum
}

// reduceMicros is the exchange of gradients and new weights once a step, less what hides behind the backward pass.
func (c *plan) reduceMicros(s *stage) float64 {
	d := float64(c.DP * c.CP)
	if d <= 1 {
		return 0
	}
	grads := s.grads
	if c.zero >= 2 {
		grads = times(s.grads, c.DP*c.CP)
	}
	return float64(hiddenShare*2*(d-1)/d) * float64(grads) / float64(c.link(c.gpus/c.PP)*1e3)
}
