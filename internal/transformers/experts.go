package transformers

import (
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// Experts is a router, and experts of which each position visits a few.
type Experts struct {
	Run  Dispatch
	Gate Gate
	// WideRouter says that the router multiplies 32-bit copies, so that the shares that it gives have 32 bits, too.
	WideRouter bool
	// Rectified says that the activation of experts without a gate saves its result alone.
	Rectified bool
	Function  Function // that experts are activated by
}

// Dispatch is how positions come to their experts.
type Dispatch uint8

// The ways.
const (
	Grouped Dispatch = iota // all experts at once, of rows that are sorted by expert: grouped_mm_experts_forward
	Batched                 // every expert computes every position, in one torch.bmm
	Looped                  // one expert after the other, with its part of one weight for all
	Modules                 // one expert after the other, each of them a module
)

// Gate is what lies between the maps of an expert.
type Gate uint8

// The gates.
const (
	Activated Gate = iota // act(gate) * up
	Clamped               // of both halves between two numbers
	Swish                 // (up + 1) * gate * sigmoid(alpha * gate), of both halves between two numbers
)

const moe = "moeLayer"

var (
	_ = usual(Experts{}, moe, "sharedExpertMoE")

	_ = register("MixtralSparseMoeBlock", "experts multiplied group by group", Experts{}, moe)
	_ = register("MixtralSparseMoeBlock.gelu_new", "experts multiplied group by group, a GELU written as single operations", Experts{Function: NewGELU}, moe)
	_ = register("DeepseekV3MoE", "a router in fp32", Experts{WideRouter: true}, moe)
	_ = register("DeepseekV3MoE.gelu_new", "a router in fp32, a GELU written as single operations", Experts{WideRouter: true, Function: NewGELU}, moe)
	_ = register("DeepseekV4SparseMoeBlock", "experts that bound both halves of their first projection", Experts{Gate: Clamped}, moe)
	_ = register("HYV4MoE", "a router in fp32, experts that bound both halves of their first projection",
		Experts{WideRouter: true, Gate: Clamped}, moe)
	_ = register("GptOssMLP", "a gate written as single operations", Experts{Gate: Swish}, moe)
	_ = register("OpenAIPrivacyFilterMLP", "a router in fp32, a gate written as single operations", Experts{WideRouter: true, Gate: Swish}, moe)
	_ = register("Llama4TextMoe", "every expert computed for every position", Experts{Run: Batched}, moe)
	_ = register("AriaTextMoELayer", "experts multiplied one after the other", Experts{Run: Looped}, moe)
	_ = register("NllbMoeSparseMLP", "experts one after the other, the first computed for every position",
		Experts{Run: Modules, WideRouter: true}, moe)
	_ = register("NllbMoeSparseMLP.relu", "as NllbMoeSparseMLP, with an activation that saves its result alone",
		Experts{Run: Modules, WideRouter: true, Rectified: true}, moe)
)

// Lower is the router, the experts, and the expert that all positions visit where there is one.
func (e Experts) Lower(l *catalog.Lowering) op.Value {
	p, x, dim := l.P, l.X[0], l.Int("embedDim")
	rank := l.Rank
	l.Rank = 0 // experts and routers are parameters, beside which peft puts nothing
	flat := op.View(p, x, p.Elems(x)/max(1, dim), dim)
	var y op.Value
	switch e.Run {
	case Batched:
		y = e.batched(l, flat)
	case Looped, Modules:
		y = e.looped(l, flat)
	default:
		share, chosen := e.route(l, flat)
		y = e.grouped(l, flat, share, chosen)
	}
	l.Rank = rank
	y = op.View(p, y, p.Shape(x)...)
	if shared := sharedExperts(l, x); shared != op.None {
		y = op.Add(p, y, shared)
	}
	return y
}

// route is MixtralTopKRouter and its relatives: the shares of the experts that were chosen, and which those are.
func (e Experts) route(l *catalog.Lowering, flat op.Value) (share, chosen op.Value) {
	p, k, rows := l.P, l.Int("topK"), l.P.Shape(flat)[0]
	var logits op.Value
	if e.WideRouter {
		logits = exact(p, op.Linear(p, op.To(p, flat, 4), op.To(p, l.W("router.weight"), 4), l.W("router.bias")))
	} else {
		logits = l.Map(flat, "router")
	}
	values, chosen := op.TopK(p, op.Softmax(p, op.To(p, logits, 4)), rows, k)
	share = op.Div(p, values, op.Sum(p, values, rows, 1))
	if !e.WideRouter {
		share = op.To(p, share, p.Width(logits))
	}
	return share, chosen
}

// grouped is grouped_mm_experts_forward of moe.py.
func (e Experts) grouped(l *catalog.Lowering, flat, share, chosen op.Value) op.Value {
	p, n, k, hidden := l.P, l.Int("numExperts"), l.Int("topK"), l.Int("expertDim")
	positions, dim := p.Shape(flat)[0], p.Shape(flat)[1]
	rows, width := positions*k, p.Precision.Width(op.Float)
	perm := op.Nonzero(p, chosen, rows)
	selected := op.Index(p, flat, []int64{rows, dim}, op.Nonzero(p, perm, rows))
	weights := op.Index(p, op.View(p, share, rows), []int64{rows}, perm)
	absent := op.Flags(p, perm, rows, 1)
	first, last := e.first(), "down_proj"
	bias := e.bias(l, perm, first, e.wide(l)*hidden)
	selected = op.MaskedFillInPlace(p, selected, absent)

	out := op.GroupedMM(p, op.To(p, selected, width), stacked(l, first+".weight", n, e.wide(l)*hidden, dim), e.wide(l)*hidden)
	inner := e.gate(l, op.MaskedFill(p, addBias(p, out, bias), absent))
	lastBias := e.bias(l, perm, last, dim)
	named(p, bias)
	out = op.GroupedMM(p, op.To(p, inner, width), stacked(l, last+".weight", n, dim, hidden), dim)
	out = op.MaskedFill(p, addBias(p, out, lastBias), absent)

	weighted := op.Mul(p, out, op.View(p, weights, rows, 1))
	weighted = op.Index(p, weighted, []int64{rows, dim}, op.Nonzero(p, perm, rows))
	if k > 1 { // the gradient of a sum is expanded, which no view has rows of
		weighted = op.Reshaped(p, weighted, positions, k, dim)
	} else {
		weighted = op.View(p, weighted, positions, k, dim)
	}
	y := op.To(p, op.Sum(p, weighted, positions, dim), p.Width(flat))
	for _, x := range []op.Value{selected, out, weighted, lastBias, weights, absent} {
		named(p, x)
	}
	return y
}

// batched is Llama4TextMoe: every position is weighted for every expert before all of them compute it.
func (e Experts) batched(l *catalog.Lowering, flat op.Value) op.Value {
	p, n, hidden := l.P, l.Int("numExperts"), l.Int("expertDim")
	positions, dim := p.Shape(flat)[0], p.Shape(flat)[1]
	logits := l.Map(flat, "router")
	values, chosen := op.TopK(p, logits, positions, l.Int("topK"))
	scores := op.ScatterAdd(p, values, chosen, positions, n)
	scores = op.To(p, op.OfOutput(p, op.To(p, scores, 4)), p.Width(logits))
	routed := op.Mul(p, op.Copied(p, flat, n*positions, dim), op.Contiguous(p, scores, n*positions, 1))
	inner := op.MatMul(p, op.View(p, routed, n, positions, dim), stacked(l, e.first()+".weight", n, dim, e.wide(l)*hidden))
	inner = e.gate(l, op.View(p, inner, n*positions, e.wide(l)*hidden))
	out := op.MatMul(p, op.View(p, inner, n, positions, hidden), stacked(l, "down_proj.weight", n, hidden, dim))
	named(p, routed)
	return op.Sum(p, out, positions, dim)
}

// looped is the experts one after the other. Which positions are routed to each is known only when it runs: they get equally many.
func (e Experts) looped(l *catalog.Lowering, flat op.Value) op.Value {
	p, n, dim := l.P, l.Int("numExperts"), l.P.Shape(flat)[1]
	share, chosen := e.route(l, flat)
	all := p.Shape(flat)[0] * l.Int("topK")
	visited := n
	if e.Run == Modules { // NllbMoeExperts numbers experts by a mask of zeros and ones, so that the first two get all positions
		visited, all = min(n, 2), p.Shape(flat)[0]*n
	}
	if !l.Apart(visited) {
		return e.grouped(l, flat, share, chosen)
	}
	y := op.ZerosLike(p, flat)
	for i := range visited {
		rows := (i+1)*all/visited - i*all/visited
		if rows == 0 {
			continue
		}
		places := op.Nonzero(p, chosen, rows, 2)
		out := e.expert(l, op.Index(p, flat, []int64{rows, dim}, places), i)
		out = op.Mul(p, out, op.Index(p, share, []int64{rows, 1}, places))
		y = op.IndexAdd(p, y, places, op.To(p, out, p.Width(y)))
	}
	for i := visited; e.Run == Modules && i < n; i++ { // the others are there
		all := !l.Apart(n)
		for _, name := range []string{"up_proj.weight", "up_proj.bias", "down_proj.weight", "down_proj.bias"} {
			if k := expertWeight(l, name); k >= 0 && all {
				p.WeightOf(k, i, append([]int64{n - i}, l.Weights[k].Shape...)...)
			} else {
				one(l, name, i)
			}
		}
		if all {
			break
		}
	}
	return y
}

// expert is one of them: a module, or parts of the weights of all.
func (e Experts) expert(l *catalog.Lowering, x op.Value, nth int64) op.Value {
	p, n, hidden := l.P, l.Int("numExperts"), l.Int("expertDim")
	rows, dim, wide := p.Shape(x)[0], p.Shape(x)[1], e.wide(l)*hidden
	if e.Run == Modules {
		inner := e.gate(l, op.Linear(p, x, one(l, "up_proj.weight", nth), one(l, "up_proj.bias", nth)))
		return op.Linear(p, inner, one(l, "down_proj.weight", nth), one(l, "down_proj.bias", nth))
	}
	first := op.View(p, stacked(l, e.first()+".weight", n, wide, dim), wide, dim)
	inner := e.gate(l, op.View(p, op.Linear(p, x, first, op.None), rows, wide))
	return op.Linear(p, inner, op.View(p, stacked(l, "down_proj.weight", n, dim, hidden), dim, hidden), op.None)
}

// gate is _apply_gate, or the activation of experts without a gate.
func (e Experts) gate(l *catalog.Lowering, x op.Value) op.Value {
	p, rows, hidden := l.P, l.P.Shape(x)[0], l.Int("expertDim")
	if e.wide(l) == 1 {
		if e.Rectified {
			return op.OfOutput(p, x)
		}
		return e.Function.of(p, x)
	}
	half := []int64{rows, hidden}
	if e.Gate == Swish { // every second feature: the gradient of each half is laid out in full
		gate, up := op.OfInput(p, op.View(p, x, half...)), op.OfInput(p, op.View(p, x, half...))
		glu := op.Mul(p, gate, op.OfOutput(p, op.Scale(p, gate)))
		y := op.Mul(p, op.Scale(p, up), glu)
		named(p, up)
		return y
	}
	parts := op.Split(p, x, half, half)
	gate, up := parts[0], parts[1]
	if e.Gate == Clamped {
		gate, up = op.OfInput(p, gate), op.OfInput(p, up)
	}
	return op.Mul(p, e.Function.of(p, gate), up)
}

// wide is how many times wider than the experts the result of the first map is.
func (Experts) wide(l *catalog.Lowering) int64 {
	if gated(l) {
		return 2
	}
	return 1
}

// first is the map whose weight, with that of the other half behind it, is the first of the experts.
func (Experts) first() string { return "up_proj" }

// bias is the bias of each row's expert, op.None where experts have none.
func (Experts) bias(l *catalog.Lowering, ids op.Value, module string, features int64) op.Value {
	bias := stacked(l, module+".bias", l.Int("numExperts"), features)
	if bias == op.None {
		return op.None
	}
	return op.Index(l.P, bias, []int64{l.P.Elems(ids), features}, ids)
}

func addBias(p *op.Program, x, bias op.Value) op.Value {
	if bias == op.None {
		return x
	}
	return op.AddInPlace(p, x, bias)
}

// gated reports whether experts have a gate.
func gated(l *catalog.Lowering) bool { return l.Type.Param("gated") == nil || l.Bool("gated") }

// stacked is the weight of one map for all experts, which transformers has as one parameter; op.None where there is none.
func stacked(l *catalog.Lowering, name string, shape ...int64) op.Value {
	if k := expertWeight(l, name); k >= 0 {
		return l.P.Weight(k, shape...)
	}
	return op.None
}

// one is the weight of one expert.
func one(l *catalog.Lowering, name string, nth int64) op.Value {
	if k := expertWeight(l, name); k >= 0 {
		return l.P.WeightOf(k, nth, l.Weights[k].Shape...)
	}
	return op.None
}

func expertWeight(l *catalog.Lowering, name string) int {
	for k := range l.Weights {
		if path := l.Weights[k].Path(); strings.HasPrefix(path, "experts.") && strings.HasSuffix(path, name) {
			return k
		}
	}
	return -1
}

// sharedExperts is the network that all positions visit, op.None where there is none.
func sharedExperts(l *catalog.Lowering, x op.Value) op.Value {
	switch {
	case l.W("shared.down_proj.weight") == op.None:
		return op.None
	case !gated(l):
		return l.Map(op.OfInput(l.P, l.Map(x, "shared.up_proj")), "shared.down_proj")
	}
	y := op.Mul(l.P, op.OfInput(l.P, l.Map(x, "shared.gate_proj")), l.Map(x, "shared.up_proj"))
	y = l.Map(y, "shared.down_proj")
	if l.W("shared_gate.weight") == op.None {
		return y
	}
	return op.Mul(l.P, op.OfOutput(l.P, l.Map(x, "shared_gate")), y)
}

// exact says that a product has 32 bits where autocast is off: its factors have, whatever the weights do.
func exact(p *op.Program, v op.Value) op.Value {
	if !p.Precision.Autocast {
		p.Tensors[v].DType, p.Tensors[v].Width = op.Float32, 4
	}
	return v
}
