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
	Conv, Thin      float64 // convolutions, and those that read few channels at a time
	KeptPasses      float64 // a byte that is kept crosses the memory bus so often, with what is not kept and comes with it
	WeightPasses    float64 // a byte of the weights likewise, most of it in the optimizer's step
	LogitPasses     float64
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
// that rows were measured on, all with that card, it was from 20 to 32.
var Measured = Rates{Wide: 0.707, Narrow: 0.80, Conv: 0.316, Thin: 0.2225, KeptPasses: 18.7, WeightPasses: 13.4, LogitPasses: 8.3,
	KernelMicros: 2.5, LaunchMicros: 24.3, StepMicros: 2700, TensorMicros: 36, RecurrentMicros: 43, UnitMicros: 1680, LoopMicros: 265}

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

// thin reports whether a component is one convolution that the units for matrices have little use for: it reads up to four channels at a
// time, as a depthwise one or the first of a network, or few of them in several groups, or its window is a line.
func thin(n *infer.Node) bool {
	kernels, most := 0, int64(4)
	if arg(n, "groups").Int() > 1 {
		most = 64
	}
	for i := range n.Weights {
		if w := n.Weights[i].Shape; w.Rank() >= 3 {
			kernels++
			line := w.Rank() == 4 && w[2] != w[3] || w.Rank() == 3 && most > 4
			if w[1] > most && !line || w[0] <= 8 {
				return false
			}
		}
	}
	return kernels == 1
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
	Products, Convolutions, Thin                     float64 // FLOPs, forward and backward
	WideProducts                                     float64 // FLOPs in 32 bits whatever the precision
	Steps                                            float64 // FLOPs of recurrent layers
	KeptBytes, TrainedBytes, FrozenBytes, LogitBytes int64
	ScatteredBytes                                   int64
	Kernels, Tensors, Recurrent                      int64
	Units, Looped                                    int64
}

// StepTerms finds the terms of a run.
func StepTerms(res *infer.Result, o Options) Terms {
	o = o.or(Defaults(), batchFor(res))
	m := new(Room).begin(res, o, false).measure()
	return stepTerms(res, o, &m)
}

func stepTerms(res *infer.Result, o Options, m *memory) Terms {
	passes := int64(3) // a forward pass, and twice as much backward
	if o.Checkpointing {
		passes = 4
	}
	t := Terms{KeptBytes: m.activations, TrainedBytes: m.gradients, FrozenBytes: m.weights - m.gradients, LogitBytes: m.logits,
		ScatteredBytes: m.scattered, Kernels: scale(m.kernels, passes, 3)}
	trained := trainedOf(res, o.Adapt)
	for i := range res.Nodes {
		n := &res.Nodes[i]
		if !known(n) || n.Type.Has(catalog.IsVirtual) {
			continue
		}
		flops := float64(trained.passes(i, float64(passes)) * float64(times(n.FLOPs, o.Batch)))
		switch {
		case n.Type.Has(catalog.IsRecurrent):
			t.Steps += flops
		case autocasts(o.Precision) && grouped(n): // an operation that autocast does not know
			t.WideProducts += flops
		case !convolves(n):
			t.Products += flops
		case thin(n):
			t.Thin += flops
		default:
			share := mapShare(n)
			t.Convolutions += float64((1 - share) * flops)
			t.Products += float64(share * flops)
		}
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
	micros := (t.Products + t.Steps) / float64(speed(g, precision, false)*share*1e6)
	micros += t.Convolutions / float64(speed(g, precision, true)*r.Conv*1e6)
	micros += t.Thin / float64(g.FP32*r.Thin*1e6)
	micros += t.WideProducts / float64(speed(g, "fp32", false)*r.Wide*1e6)
	traffic := float64(r.KeptPasses * float64(t.KeptBytes))
	traffic += float64(r.WeightPasses * float64(t.TrainedBytes))
	traffic += float64(frozenPasses * float64(t.FrozenBytes))
	traffic += float64(r.LogitPasses * float64(t.LogitBytes))
	traffic += float64(scatteredPasses * float64(t.ScatteredBytes))
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

// mapShare is the part of the arithmetic of a block of convolutions that its matrices have, by their weights.
func mapShare(n *infer.Node) float64 {
	maps, all := int64(0), int64(0)
	for i := range n.Weights {
		switch w := &n.Weights[i]; {
		case w.Shape.Rank() == 2:
			maps, all = plus(maps, w.Shape.Size()), plus(all, w.Shape.Size())
		case w.Shape.Rank() > 2:
			all = plus(all, w.Shape.Size())
		}
	}
	return float64(maps) / float64(max(1, all))
}

// convolves reports whether a component is made of convolutions: their kernels have an axis for space.
func convolves(n *infer.Node) bool {
	for i := range n.Weights {
		if n.Weights[i].Shape.Rank() >= 3 {
			return true
		}
	}
	return false
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
