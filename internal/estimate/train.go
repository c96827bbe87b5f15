package estimate

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
	library "github.com/modelverifier/verifier/internal/transformers"
)

// contextBytes is what the driver holds of a card for each process, outside the allocator: 0.3 to 0.7 GiB.
const contextBytes = 1 << 29

// workspaceBytes is what cuBLAS allocates once for each process on current cards (getChosenWorkspaceSize of PyTorch); the
// measured peaks leave it out.
const workspaceBytes = 32 << 20

// piecesBytes is what the allocator takes from the card and small runs make little use of: it takes 20 MiB at a time for tensors below
// 10 MiB, of each kind of them.
const piecesBytes = 64 << 20

// What the allocator takes from the card for every 100 bytes of the peak: no less than what was seen in the measured runs that are not
// set aside. cuDNN tries several algorithms for every convolution, and their workspaces stay reserved; what is computed again, a
// recurrent layer's workspace and an optimizer that takes tensors one by one leave pieces that nothing else fits into; where little
// is trained, small runs have most of their memory from the first pass.
const (
	reservedPercent        = 128
	reservedPercentSome    = 150 // convolutions between other layers
	reservedPercentPieces  = 180
	reservedPercentAdapted = 195
)

func reservedOf(res *infer.Result, o Options) int64 {
	switch {
	case o.Adapt != nil:
		return reservedPercentAdapted
	case o.Checkpointing, o.Optimizer == "adafactor", mostlyConvolves(res), recurs(res):
		return reservedPercentPieces
	case convolutions(res) > patchConvolutions:
		return reservedPercentSome
	}
	return reservedPercent
}

// patchConvolutions is how many convolutions a model has at the most that cuts an image, or in stages its results, into patches and
// has none between its other layers.
const patchConvolutions = 6

// convolves reports whether a component is made of convolutions: their kernels have an axis for space.
func convolves(n *infer.Node) bool {
	for i := range n.Weights {
		if n.Weights[i].Shape.Rank() >= 3 {
			return true
		}
	}
	return false
}

func convolutions(res *infer.Result) int {
	count := 0
	for i := range res.Nodes {
		if n := &res.Nodes[i]; known(n) && convolves(n) {
			count++
		}
	}
	return count
}

// recurs reports whether a model has a recurrent layer with a workspace. The delta rule in chunks is products of matrices, and has none.
func recurs(res *infer.Result) bool {
	for i := range res.Nodes {
		if n := &res.Nodes[i]; known(n) && n.Type.Has(catalog.IsRecurrent) && !inChunks(n) {
			return true
		}
	}
	return false
}

func inChunks(n *infer.Node) bool {
	v := library.Lookup(n.Type.ID, n.Component.As())
	return v != nil && v.Module == catalog.Module(library.DeltaRule{})
}

// Training is what a run takes.
type Training struct {
	Options  Options // with the defaults filled in
	followed int     // operations

	WeightBytes     int64
	GradientBytes   int64
	OptimizerBytes  int64 // states, and what a step needs while it works
	ActivationBytes int64 // kept for the backward pass, without what the loss needs
	LogitBytes      int64 // the model's results, the loss and their gradients
	PeakBytes       int64 // allocated at most
	NeedBytes       int64 // the least memory of the allocator in which the run goes through
	ReservedBytes   int64 // taken from a card that has more than enough; 0 where that was not followed
	UpperBytes      int64 // taken from the card by the allocator, at most, where that has more than enough
	CardBytes       int64 // NeedBytes with the context of the process: what must fit
	Binding         string
	PagedBytes      int64 // states of the optimizer in unified memory, which are in none of the others

	GPU      *hardware.GPU // the cheapest that fits and can train at this precision; nil where no card does
	PricedOn *hardware.GPU // what time and cost are for: GPU, or the largest card that can be rented
	Cards    int64         // how many of them; more than 1 where none fits, as if the work were split without loss
	Fits     []Fit         // every card, the cheapest first

	TrainedParams int64 // weights that the run changes

	Steps        int64
	StepMicros   int64
	TotalMicros  int64
	TotalSec     float64 // the same in seconds
	CostMicroUSD int64

	reserved   int64 // percent of the peak
	foreign    bool  // it has modules of transformers
	completion int64 // tokens of an answer that the model writes
	dropless   bool  // its config asks for dropout that is not counted
}

// Fit says whether a run fits on a card.
type Fit struct {
	GPU  *hardware.GPU
	Fits bool
}

// On reports whether the run fits on a card, and whether the card is known.
func (t *Training) On(name string) (fits, known bool) {
	g := hardware.Lookup(name)
	return g != nil && t.CardBytes <= g.MemoryBytes, g != nil
}

// Train estimates a run. Of a graph that is refused it counts the components that are known.
func Train(res *infer.Result, o Options) *Training { return new(Room).Train(res, o) }

// Train is the same in memory that was used before.
func (r *Room) Train(res *infer.Result, o Options) *Training {
	before := r.Followed()
	o = o.or(Defaults(), batchFor(res))
	m := r.measure(res, o)
	t := &Training{Options: o, WeightBytes: m.weights, GradientBytes: m.gradients, OptimizerBytes: plus(m.states, m.stepExtra),
		ActivationBytes: m.activations, LogitBytes: m.logits, PeakBytes: m.peak, Binding: m.binding, PagedBytes: m.paged}
	t.reserved = reservedOf(res, o)
	t.foreign, t.dropless = isForeign(res), !o.Dropout && dropless(res)
	t.UpperBytes = plus(scale(m.peak, t.reserved, 100), workspaceBytes, piecesBytes)
	t.need(m.tape)
	r.runs(m.tape)
	t.besideNeed(m.beside)
	if o.Writes() {
		t.completion = o.completion(res)
	}
	t.choose()
	t.ask(hardware.Lookup(o.GPU))
	t.TrainedParams = r.TrainedParams(res, o.Adapt)
	t.price(&m)
	t.round()
	t.followed = r.Followed() - before
	return t
}

func attends(res *infer.Result) bool {
	for i := range res.Nodes {
		if res.Nodes[i].Type.Has(catalog.IsAttention) {
			return true
		}
	}
	return false
}

// mostlyConvolves reports whether more than half of the FLOPs are convolutions.
func mostlyConvolves(res *infer.Result) bool {
	conv, all := int64(0), int64(0)
	for i := range res.Nodes {
		if n := &res.Nodes[i]; known(n) {
			all = plus(all, n.FLOPs)
			if convolves(n) {
				conv = plus(conv, n.FLOPs)
			}
		}
	}
	return conv > all/2
}

// choose finds the cards that hold the run.
func (t *Training) choose() {
	cards := hardware.GPUs()
	t.Fits = make([]Fit, 0, len(cards))
	for _, g := range cards {
		fits := t.CardBytes <= g.MemoryBytes
		t.Fits = append(t.Fits, Fit{g, fits})
		if !g.Managed || rate(g, t.Options.Precision) == 0 {
			continue
		}
		if fits && t.GPU == nil {
			t.GPU = g
		}
		if t.PricedOn == nil || g.MemoryBytes > t.PricedOn.MemoryBytes {
			t.PricedOn = g
		}
	}
	t.Cards = 1
	if t.GPU != nil {
		t.PricedOn = t.GPU
	} else if room := t.PricedOn.MemoryBytes - contextBytes; t.NeedBytes > room {
		t.Cards = (t.NeedBytes + room - 1) / room
	}
}

// Assumptions says in one sentence what the estimate rests on. It is written when asked for: most callers do not.
func (t *Training) Assumptions() string {
	o := t.Options
	samples := "samples"
	if !o.SamplesGiven {
		samples = "samples (assumed)"
	}
	text := quantity.Sprintf("%s epochs of %s "+samples+", batch %s, %s, %s, %s attention", quantity.Grouped(o.Epochs), quantity.Grouped(o.Samples),
		quantity.Grouped(o.Batch), precisionText(o.Precision), o.Optimizer, o.Attention)
	if o.Checkpointing {
		text += ", activations of attention layers and blocks computed again"
	}
	text += t.variations()
	g := t.PricedOn
	price := fmt.Sprintf("%s at %s an hour (%s, %s)", g.Name, quantity.Dollars(g.PriceMicroUSDPerHour), g.PriceSource, g.PriceDate)
	switch {
	case t.Cards > 1 && o.GPU != "":
		price = fmt.Sprintf("it does not fit, priced as if split without loss over %s %s", quantity.Grouped(t.Cards), price)
	case t.Cards > 1:
		price = fmt.Sprintf("no single card fits, priced as if split without loss over %s %s", quantity.Grouped(t.Cards), price)
	}
	return text + "; " + price + "; " + t.memoryText() + "; time is for eager PyTorch with data that is always ready, " + t.timeError()
}

func precisionText(p string) string {
	switch p {
	case "tf32":
		return "fp32 with TF32 products"
	case "amp":
		return "bf16 autocast (amp)"
	case "fp16":
		return "fp16 autocast"
	case "bf16":
		return "everything in bf16"
	}
	return p
}
