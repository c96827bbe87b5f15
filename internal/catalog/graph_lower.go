package catalog

import "github.com/modelverifier/verifier/internal/op"

// edges are those of a batch of graphs as one, with one from each node to itself where loops are asked for:
// where they begin and end.
func (l *Lowering) edges(loops bool) (from, to op.Value, n int64) {
	p, nodes, n := l.P, l.In[0][0], l.In[1][1]
	all := op.Copied(p, l.X[1], 2, n)
	if loops {
		all = op.Concatenate(p, Of(2, n+nodes), all, op.Constant(p, op.Int64, false, 2, nodes))
		n += nodes
	}
	return op.View(p, all, n), op.View(p, all, n), n
}

// lowerGCN weighs each edge by the degrees of its ends, which have no gradient.
func lowerGCN(l *Lowering) op.Value {
	p, nodes, out := l.P, l.In[0][0], l.Int("outChannels")
	from, to, n := l.edges(true)
	norm := op.Constant(p, op.Float, false, n)
	x := l.Map(l.X[0], "lin")
	messages := op.Mul(p, op.View(p, norm, n, 1), op.Index(p, x, Of(n, out), from))
	return l.biased(op.ScatterAdd(p, messages, to, nodes, out))
}

// biased adds the component's bias, where it has one.
func (l *Lowering) biased(x op.Value) op.Value {
	if bias := l.W("bias"); bias != op.None {
		return op.Add(l.P, x, bias)
	}
	return x
}

// lowerGAT weighs each edge by a softmax of scores over the edges that end at a node.
func lowerGAT(l *Lowering) op.Value {
	p, nodes, heads, out := l.P, l.In[0][0], l.Int("heads"), l.Int("outChannels")
	x := op.View(p, op.Linear(p, l.X[0], l.W("lin.weight"), op.None), nodes, heads, out)
	share := func(weight string) op.Value { return op.Sum(p, op.Mul(p, x, l.W(weight)), nodes, heads) }
	source, target := share("att_src"), share("att_dst")
	from, to, n := l.edges(true)
	scores := op.Add(p, op.Index(p, source, Of(n, heads), from), op.Index(p, target, Of(n, heads), to))
	most := op.Constant(p, op.Float, false, n, heads) // of each node's edges, without a gradient
	powers := op.WideOfOutput(p, op.Sub(p, op.OfInput(p, scores), most))
	sums := op.Index(p, op.Scale(p, op.ScatterAdd(p, powers, to, nodes, heads)), Of(n, heads), to)
	weights := op.Div(p, powers, sums)
	messages := op.Mul(p, op.View(p, weights, n, heads, 1), op.Index(p, x, Of(n, heads, out), from))
	y := op.ScatterAdd(p, messages, to, nodes, heads, out)
	if l.Bool("concat") {
		return l.biased(op.View(p, y, nodes, heads*out))
	}
	return l.biased(op.Mean(p, y, nodes, out))
}

// lowerGIN sums the neighbours and (1+eps) times the node itself, and takes two linear layers of that.
func lowerGIN(l *Lowering) op.Value {
	p, nodes, features := l.P, l.In[0][0], l.In[0][1]
	from, to, n := l.edges(false)
	around := op.ScatterAdd(p, op.Index(p, l.X[0], Of(n, features), from), to, nodes, features)
	eps := l.W("eps")
	if eps == op.None {
		eps = p.Buffer(op.Float, 1)
	}
	sum := op.Add(p, around, op.Mul(p, l.X[0], op.Scale(p, eps)))
	return l.Map(l.activate("relu", l.Map(sum, "nn.0")), "nn.2")
}

// lowerAggregating maps what is taken of the neighbours and the node itself, and adds both.
func lowerAggregating(l *Lowering, neighbours, root string) op.Value {
	p, nodes, features := l.P, l.In[0][0], l.In[0][1]
	from, to, n := l.edges(false)
	messages := op.Index(p, l.X[0], Of(n, features), from)
	var aggregate op.Value
	switch l.aggregation() {
	case "add", "sum":
		aggregate = op.ScatterAdd(p, messages, to, nodes, features)
	case "mean":
		counts := op.Constant(p, op.Float, false, nodes, 1)
		aggregate = op.Div(p, op.ScatterAdd(p, messages, to, nodes, features), counts)
	default:
		aggregate = op.ScatterReduce(p, messages, to, nodes, features)
	}
	return op.Add(p, l.Map(aggregate, neighbours), l.Map(l.X[0], root))
}
