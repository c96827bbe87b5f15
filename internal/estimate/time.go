package estimate

import (
	"math"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
)

// What a step reaches of a card, from 64 runs on an H200 in eager PyTorch 2.11. With the constants fitted without one of the
// twelve architectures and tried on it, the median error was 20 %; on another card they are an assumption.
const (
	wideEfficiency   = 0.74 // of the arithmetic rate, products of 32-bit floats
	narrowEfficiency = 0.80 // of 16-bit floats
	convEfficiency   = 0.37 // convolutions
	keptPasses       = 17   // a byte that is kept crosses the memory bus so often, with what is not kept and comes with it
	weightPasses     = 30   // a byte of the weights likewise, most of it in the optimizer's step
	frozenPasses     = 4    // one that is not trained: read forward and backward; not measured
	logitPasses      = 2
	layerMicros      = 40  // to start the kernels of one component, forward and backward
	tensorMicros     = 150 // for one trained tensor, with those of the optimizer
	castPercent      = 120 // of that with the casts of autocast
	recurrentMicros  = 50  // one step of one recurrent layer, forward and backward, which nothing can run beside; from one model
)

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

// efficiency is the share of the rate that is reached.
func efficiency(precision string, conv bool) float64 {
	switch {
	case conv:
		return convEfficiency
	case precision == "fp32":
		return wideEfficiency
	}
	return narrowEfficiency
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

// stepMicros joins the time that the card works and the time that it takes to give it its work. The two run beside each
// other, but neither hides behind the other altogether: the root of the squares fits the measured runs better than the larger.
func stepMicros(res *infer.Result, o Options, m *memory, g *hardware.GPU) int64 {
	passes := float64(3) // a forward pass, and twice as much backward
	if o.Checkpointing {
		passes = 4
	}
	work, launch, trained := float64(0), int64(0), trainedOf(res, o.Adapt)
	for i := range res.Nodes {
		n := &res.Nodes[i]
		if !known(n) || n.Type.Has(catalog.IsVirtual) {
			continue
		}
		conv := convolves(n)
		work += float64(trained.passes(i, passes)*float64(times(n.FLOPs, o.Batch))) / float64(speed(g, o.Precision, conv)*efficiency(o.Precision, conv)*1e6)
		work += float64(times(recurrentMicros, recurrentSteps(n)))
		launch = plus(launch, layerMicros)
		launch = plus(launch, times(tensorMicros, trained.tensors(i, n)))
	}
	if autocasts(o.Precision) {
		launch = scale(launch, castPercent, 100)
	}
	traffic := plus(times(m.activations, keptPasses), times(m.gradients, weightPasses), times(m.weights-m.gradients, frozenPasses), times(m.logits, logitPasses))
	work += float64(traffic) / float64(g.BandwidthGBs*1e3)
	micros := math.Sqrt(float64(work*work) + float64(float64(launch)*float64(launch)))
	if micros > most {
		return most
	}
	return int64(math.Ceil(micros))
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
