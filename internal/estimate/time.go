package estimate

import (
	"math"

	"github.com/modelverifier/verifier/internal/clock"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
	autograd "github.com/modelverifier/verifier/internal/tape"
)

// rate is the arithmetic rate of a card in TFLOP/s for a precision. 0 means that the card cannot do it.
func rate(g *hardware.GPU, precision string) float64 {
	switch precision {
	case "amp", "bf16":
		return g.BF16
	case "fp16":
		return g.FP16
	case "tf32":
		return max(g.TF32, g.FP32)
	}
	return g.FP32
}

// price estimates a step on the card, the whole run and what it costs.
func (t *Training) price(m *memory) {
	o := t.Options
	t.StepMicros = max(1, stepMicros(m.tape, o, t.PricedOn)/t.Cards)
	t.Steps = times(o.Epochs, (o.Samples+o.Batch-1)/o.Batch)
	total := times(t.Steps, t.StepMicros)
	t.TotalMicros = total
	t.CostMicroUSD = times(scale(total, t.PricedOn.PriceMicroUSDPerHour, 3_600_000_000), t.Cards)
}

// stepMicros is the time of a step on a card.
func stepMicros(tape *autograd.Tape, o Options, g *hardware.GPU) int64 {
	card := clock.On(g, o.Precision)
	micros := clock.Measured().Rates.Micros(tape, clock.OptimizerOf(o.Optimizer), o.micros(), &card)
	if !(micros < most) {
		return most
	}
	return int64(math.Ceil(micros))
}

// Calls visits what one micro-batch of a run has the host and the card do, and returns what else its step takes time for.
func Calls(res *infer.Result, o Options, visit func(*autograd.Call)) clock.Counts {
	o = o.or(Defaults(), batchFor(res))
	r := new(Room)
	m := r.measure(res, o)
	m.tape.Calls(visit)
	return clock.CountsOf(m.tape, o.micros())
}
