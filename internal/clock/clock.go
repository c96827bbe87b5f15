// Package clock says how long a training step takes, operation by operation.
//
// Each call of the tape keeps the card busy for as long as its arithmetic or its bytes take, and the host for as long as it takes to start it. The two
// work beside each other: the card waits where the host is the slower. Rates are what an H200 was measured to reach (rates.json); another card is
// scaled by its own data sheet. The package knows nothing of components, models or options.
package clock

import (
	"math"

	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/op"
	"github.com/modelverifier/verifier/internal/tape"
)

// Card is what a card can do, for a run.
type Card struct {
	fp32, tf32, half float64 // FLOPs in a microsecond
	bytes            float64 // in a microsecond
	processors       float64
	products         float64 // FLOPs of products of 32-bit floats in a microsecond
	inTF32           bool    // which those are computed in
}

// On is a card, whose products of 32-bit floats are computed in TF32 where that is asked for. Where it has no such rate, and where it has none for 16-bit
// floats, it computes in 32 bits.
func On(g *hardware.GPU, precision string) Card {
	c := Card{fp32: g.FP32 * 1e6, tf32: max(g.TF32, g.FP32) * 1e6, half: g.BF16 * 1e6, bytes: g.BandwidthGBs * 1e3, processors: float64(max(1, g.Processors))}
	if precision == "fp16" {
		c.half = g.FP16 * 1e6
	}
	if c.half == 0 {
		c.half = c.fp32
	}
	if c.products, c.inTF32 = c.fp32, precision == "tf32"; c.inTF32 {
		c.products = c.tf32
	}
	return c
}

// Optimizer is what the step of an optimizer costs for each trained weight.
type Optimizer struct {
	Passes float64 // a byte of the weight crosses the bus so often, with its gradient and its states
	Lists  float64 // operations over the list of all tensors
	Loops  bool    // tensors are taken one after the other
}

// OptimizerOf is the optimizer with a name: the passes over weight, gradient and states that torch.optim makes of tensors in lists (_multi_tensor_adamw,
// _multi_tensor_sgd), of one fused kernel, or of one tensor after the other. Those of Adafactor and of bitsandbytes' 8 bits are not counted in code.
func OptimizerOf(name string) Optimizer {
	switch name {
	case "adamw":
		return Optimizer{Passes: 20, Lists: 12}
	case "adam":
		return Optimizer{Passes: 18, Lists: 11}
	case "adamw-fused":
		return Optimizer{Passes: 7, Lists: 1}
	case "sgd":
		return Optimizer{Passes: 8, Lists: 3}
	case "sgd-plain":
		return Optimizer{Passes: 3, Lists: 1}
	case "adafactor":
		return Optimizer{Passes: 16, Loops: true}
	}
	return Optimizer{Passes: 6, Loops: true}
}

// Work is what a step has card and host do, of which its time is computed. The zero value is ready for Add.
type Work struct {
	phases [phases]busy
}

// busy is how many microseconds card and host work in a phase.
type busy struct{ card, host float64 }

// The phases of a step that follow one another: what the host has not started in one by the time that the card is through keeps the card waiting.
const (
	forward = iota
	backward
	optimizer
	phases
)

// Micros is how long a step takes, of so many micro-batches, on a card.
func (r *Rates) Micros(t *tape.Tape, o Optimizer, micro int64, c *Card) float64 {
	var w Work
	t.Calls(func(call *tape.Call) { w.Add(call, float64(call.Times), r, c) })
	return w.Micros(CountsOf(t, micro), o, r, c)
}

// Add adds a call that occurs so often.
func (w *Work) Add(call *tape.Call, times float64, r *Rates, c *Card) {
	p := &w.phases[forward]
	if call.Phase == tape.Backward {
		p = &w.phases[backward]
	}
	p.card += float64(times * tick(r.card(call, c)))
	p.host += float64(times * tick(r.host(call)))
}

// tick rounds microseconds to a part in 2 to the 20th of one, so that sums are the same in whatever order calls come, and however many are counted together.
func tick(micros float64) float64 { return math.Round(micros*(1<<20)) / (1 << 20) }

// Counts is what else a step takes time for.
type Counts struct {
	Tensors, TrainedBytes int64 // that the optimizer changes
	Units                 int64 // that checkpointing computes again
	Micro                 int64 // micro-batches
}

// CountsOf is those of a tape that is run for so many micro-batches.
func CountsOf(t *tape.Tape, micro int64) Counts {
	count, bytes := t.Trained()
	return Counts{Tensors: count, TrainedBytes: bytes, Units: t.Units(), Micro: micro}
}

// Micros joins the phases: the card is through with one no sooner than the host has started all of it.
func (w *Work) Micros(n Counts, o Optimizer, r *Rates, c *Card) float64 {
	phases, micro, tensors, bytes := w.phases, float64(max(1, n.Micro)), float64(n.Tensors), float64(n.TrainedBytes)/c.bytes
	phases[backward].host += float64(r.UnitMicros * float64(n.Units))
	phases[backward].host += float64(r.TensorMicros * tensors)
	for p := range phases[:optimizer] {
		phases[p].card *= micro
		phases[p].host *= micro
	}
	phases[backward].card += float64((micro - 1) * (float64(3*bytes/r.Memory) + float64(r.KernelMicros*tensors))) // gradients are added to those before
	phases[optimizer].card = float64(o.Passes * bytes / r.Optimizer)
	phases[optimizer].host = r.StepMicros + float64(r.ListMicros*o.Lists*tensors)
	if o.Loops {
		looped := float64(r.LoopMicros * tensors)
		phases[optimizer].host, phases[optimizer].card = phases[optimizer].host+looped, phases[optimizer].card+looped
	}
	host, card := 0.0, 0.0
	for _, p := range phases {
		host += p.host
		card = longer(card+p.card, host)
	}
	return card
}

// longer is the longer of two, and a little more where they are alike: both vary inside of a phase.
func longer(a, b float64) float64 {
	long, short := max(a, b), min(a, b)
	if long == 0 {
		return 0
	}
	part := short / long
	part = float64(part * part)
	part = float64(part * part)
	return float64(long * math.Sqrt(math.Sqrt(math.Sqrt(1+float64(part*part)))))
}

// host is how long the host is busy with a call.
func (r *Rates) host(call *tape.Call) float64 {
	each, waits := r.CallMicros, 0.0
	switch {
	case call.Bound == op.ByStep: // cuDNN starts them by itself
		return float64(r.RecurrentMicros * float64(call.Serial))
	case call.Waits:
		waits = r.WaitMicros
	case call.Kernels == 0:
		each = r.ViewMicros
	case call.Phase == tape.Backward:
		each = r.BackMicros
	}
	return waits + float64(each*float64(call.Calls)) + float64(r.LaunchMicros*float64(call.Kernels))
}

// card is how long the card is busy with a call.
func (r *Rates) card(call *tape.Call, c *Card) float64 {
	started := float64(r.KernelMicros * float64(call.Kernels))
	moved, flops := float64(call.Bytes)/c.bytes, float64(call.FLOPs)
	switch call.Bound {
	case op.ByReduction:
		return started + moved/r.Reduction
	case op.ByIndex:
		return started + moved/r.Index
	case op.ByProduct:
		return started + float64(call.Before)/float64(c.bytes*r.Memory) + max(r.product(call, c), moved/r.Memory)
	case op.ByConvolution, op.ByThinConvolution, op.ByGroupedConvolution, op.ByDepthwiseConvolution:
		return started + r.convolution(call, c)
	case op.ByAttention:
		return started + r.attention(call, c)
	case op.ByStep:
		if call.Width == 4 {
			return started + flops/float64(c.fp32*r.Wide)
		}
		return started + flops/float64(c.half*r.Narrow)
	}
	return started + moved/r.Memory
}
