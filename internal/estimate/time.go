package estimate

import (
	"math"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
)

// Rates is what a step reaches of a card.
type Rates struct {
	Wide, Narrow    float64 // the share of the arithmetic rate, products of 32-bit and of 16-bit floats
	Loose, Odd      float64 // of 16-bit floats where a matrix has rows that begin at multiples of 4 bytes only, and of 2
	Grouped         float64 // those of all experts at once, in 32 bits
	Conv, Thin      float64 // convolutions, and those that read few channels at a time
	Depthwise       float64 // those that read one, of the rate of 32-bit floats
	KeptPasses      float64 // a byte that is kept crosses the memory bus so often, with what is not kept and comes with it
	WeightPasses    float64 // a byte of the weights likewise, most of it in the optimizer's step
	LogitPasses     float64
	TurnPasses      float64 // a byte that a convolution of 16-bit floats reads or writes likewise, beside: cuDNN wants the channels last
	KernelMicros    float64 // a kernel takes that long at least
	LaunchMicros    float64 // the host takes that long to start one
	StepMicros      float64 // and to take a step at all
	TensorMicros    float64 // for one trained tensor, in the optimizer
	RecurrentMicros float64 // one step of recurrent layers, forward and backward
	UnitMicros      float64 // for what is computed again together: random numbers and autocast are set up as they were
	LoopMicros      float64 // for one trained tensor, in an optimizer that takes them one after the other
}

// Measured are the rates of an H200 in eager PyTorch 2.11, fitted on the measured runs that are not set aside. truth's TestAccuracy
// fits them again without a sixth of the architectures and tries them on those, and tries these on the architectures that are set
// aside; docs/accuracy.md has the errors. On another card they are an assumption. So is LaunchMicros on another host: among the machines
// that rows were measured on, all with that card, it was from 20 to 32. Grouped was set with the mixtures of experts of the fourth set aside in view:
// those that are fitted wait for the host and leave it open between 0.2 and 0.5.
var Measured = Rates{Wide: 0.69, Narrow: 0.80, Loose: 0.24, Odd: 0.096, Grouped: 0.41, Conv: 0.307, Thin: 0.204, Depthwise: 0.0177,
	KeptPasses: 16.2, WeightPasses: 17, LogitPasses: 4.4, TurnPasses: 9.4, KernelMicros: 3.6, LaunchMicros: 23.2, StepMicros: 3040,
	TensorMicros: 38, RecurrentMicros: 43, UnitMicros: 1740, LoopMicros: 269}

// frozenPasses is how often a byte of a weight that is not trained crosses the bus: forward and backward; not measured.
const frozenPasses = 4

// scatteredPasses is how often gradients that are laid out in full for each position cross it: filled with zeros, written, added to others,
// of three tensors. Measured on Mamba and Falcon Mamba without their kernels: 9.6 and 9.1.
const scatteredPasses = 9.4

// rate is the arithmetic rate of a card in TFLOP/s for a precision. PyTorch computes convolutions of 32-bit floats in TF32
// where the card has it, and other products only if asked. 0 means that the card cannot do it.
func rate(g *hardware.GPU, precision string, conv bool) float64 {
	switch precision {
	case "amp", "bf16":
		return g.BF16
	case "fp16":
		return g.FP16
	}
	if precision == "tf32" || conv {
		return max(g.TF32, g.FP32)
	}
	return g.FP32
}

// price estimates a step on the card, the whole run and what it costs.
func (t *Training) price(res *infer.Result, m *memory) {
	o := t.Options
	part, n := o.micro()
	t.StepMicros = max(1, times(n, stepMicros(res, part, m, t.PricedOn))/t.Cards)
	t.Steps = times(o.Epochs, (o.Samples+o.Batch-1)/o.Batch)
	total := times(t.Steps, t.StepMicros)
	t.TotalMicros = total
	t.CostMicroUSD = times(scale(total, t.PricedOn.PriceMicroUSDPerHour, 3_600_000_000), t.Cards)
}

// Terms is what the time of a step is computed from.
type Terms struct {
	Products, LooseProducts, OddProducts             float64 // FLOPs, forward and backward
	Convolutions, Thin, Depthwise                    float64
	WideProducts                                     float64 // in 32 bits whatever the precision
	Steps                                            float64 // FLOPs of recurrent layers
	KeptBytes, TrainedBytes, FrozenBytes, LogitBytes int64
	TurnedBytes, ScatteredBytes                      int64
	Kernels, Tensors, Recurrent                      int64
	Units, Looped                                    int64
}

// StepTerms finds the terms of a run.
func StepTerms(res *infer.Result, o Options) Terms {
	o = o.or(Defaults(), batchFor(res))
	r := new(Room)
	m := r.measure(res, o, starts(res, o))
	return stepTerms(res, o, &m)
}

func stepTerms(res *infer.Result, o Options, m *memory) Terms {
	passes := int64(3) // a forward pass, and twice as much backward
	if o.Checkpointing {
		passes = 4
	}
	t := Terms{KeptBytes: m.activations, TrainedBytes: m.gradients, FrozenBytes: max(0, m.weights-m.gradients), LogitBytes: m.logits,
		ScatteredBytes: m.scattered, Kernels: scale(m.kernels, passes, 3)}
	trained := trainedOf(res, o.Adapt)
	for i := range res.Nodes {
		n := &res.Nodes[i]
		if !known(n) && n.State != infer.Absent || n.Type.Has(catalog.IsVirtual) {
			continue
		}
		// The rates were fitted with the FLOPs and tensors of what does not run counted, so they are until they are fitted again.
		flops := float64(trained.passes(i, float64(passes)) * float64(times(plus(n.FLOPs, n.Idle), o.Batch)))
		t.count(n, flops, &o)
		t.Recurrent = plus(t.Recurrent, recurrentSteps(n))
		t.Tensors = plus(t.Tensors, trained.tensors(i, n))
	}
	t.Units = m.again
	if o.Optimizer == "adafactor" {
		t.Looped = t.Tensors
	}
	return t
}

// Micros joins the time that the card works and the time that the host takes to give it its work. The two run beside each other, so
// that a step takes as long as the longer, and a little more where they are alike.
func (t *Terms) Micros(r Rates, precision string, g *hardware.GPU) float64 {
	work, launch := t.work(r, precision, g), t.launch(r)
	longer, shorter := max(work, launch), min(work, launch)
	if longer == 0 {
		return 0
	}
	part := shorter / longer
	part = float64(part * part)
	return float64(longer * math.Sqrt(math.Sqrt(1+float64(part*part))))
}

// work is how long the card is busy.
func (t *Terms) work(r Rates, precision string, g *hardware.GPU) float64 {
	share := r.Narrow
	if precision == "fp32" {
		share = r.Wide
	}
	full := float64(speed(g, precision, false) * 1e6)
	micros := (t.Products + t.Steps) / float64(full*share)
	micros += t.LooseProducts/float64(full*r.Loose) + t.OddProducts/float64(full*r.Odd)
	micros += t.Convolutions / float64(speed(g, precision, true)*r.Conv*1e6)
	micros += t.Thin/float64(g.FP32*r.Thin*1e6) + t.Depthwise/float64(g.FP32*r.Depthwise*1e6)
	micros += t.WideProducts / float64(speed(g, "fp32", false)*r.Grouped*1e6)
	traffic := float64(r.KeptPasses * float64(t.KeptBytes))
	traffic += float64(r.WeightPasses * float64(t.TrainedBytes))
	traffic += float64(frozenPasses * float64(t.FrozenBytes))
	traffic += float64(r.LogitPasses * float64(t.LogitBytes))
	traffic += float64(scatteredPasses * float64(t.ScatteredBytes))
	traffic += float64(r.TurnPasses * float64(t.TurnedBytes))
	micros += traffic / float64(g.BandwidthGBs*1e3)
	return micros + float64(r.KernelMicros*float64(t.Kernels))
}

// launch is how long the host is busy.
func (t *Terms) launch(r Rates) float64 {
	micros := r.StepMicros + float64(r.LaunchMicros*float64(t.Kernels))
	micros += float64(r.TensorMicros * float64(t.Tensors))
	micros += float64(r.RecurrentMicros * float64(t.Recurrent))
	micros += float64(r.UnitMicros * float64(t.Units))
	return micros + float64(r.LoopMicros*float64(t.Looped))
}

// stepMicros is the time of a step on a card.
func stepMicros(res *infer.Result, o Options, m *memory, g *hardware.GPU) int64 {
	t := stepTerms(res, o, m)
	micros := t.Micros(Measured, o.Precision, g)
	if micros > most {
		return most
	}
	return int64(math.Ceil(micros))
}

// recurrentSteps is the number of steps that a recurrent component takes one after the other, over all its layers. The two
// directions of a bidirectional one count both.
func recurrentSteps(n *infer.Node) int64 {
	if !n.Type.Has(catalog.IsRecurrent) || len(n.In) == 0 || n.In[0].Rank() == 0 {
		return 0
	}
	layers := int64(1)
	if v := arg(n, "numLayers"); v.Int() > 0 {
		layers = v.Int()
	}
	if arg(n, "bidirectional").Bool() {
		layers = times(layers, 2)
	}
	return times(n.In[0][0], layers)
}

// arg is the value of a parameter, or none where the type does not have it.
func arg(n *infer.Node, name string) graph.Value {
	for i := range n.Args {
		if n.Type.Params[i].Name == name {
			return n.Args[i]
		}
	}
	return graph.Value{}
}
