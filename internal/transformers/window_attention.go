package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// WindowAttention is the attention of SwinLayer inside windows of an image, with what cuts the image and puts it together again: the attention of
// a window is that of an encoder, behind a bias.
type WindowAttention struct{ EncoderAttention }

// cuts is how an image is cut into windows.
type cuts struct {
	count, area, across, heads, features int64 // across is how many stand side by side
	shifted, padded                      bool
}

func cutsOf(l *catalog.Lowering) cuts {
	size, shift, in := l.Dims("windowSize"), l.Dims("shiftSize"), l.In[0]
	high, wide := (in[0]+size[0]-1)/size[0], (in[1]+size[1]-1)/size[1]
	return cuts{count: high * wide, area: size[0] * size[1], across: wide, heads: l.Int("numHeads"), features: l.Int("embedDim"),
		shifted: shift[0] > 0 || shift[1] > 0, padded: high*size[0] != in[0] || wide*size[1] != in[1]}
}

// Lower is SwinLayer.forward between its first norm and its residual connection.
func (a WindowAttention) Lower(l *catalog.Lowering) op.Value {
	p, w := l.P, cutsOf(l)
	all, e := w.count*w.area, w.features
	image := op.Padded(p, l.X[0], all, e) // constant_pad_nd copies where nothing is padded, too
	x := image
	if w.shifted {
		x = op.Copied(p, x, all, e)
	}
	x = w.cut(p, x)
	attended := a.attendWindows(l, x, w)
	out := w.cut(p, attended)
	if w.shifted {
		out = op.Copied(p, out, all, e)
	}
	if w.padded {
		out = op.Contiguous(p, op.View(p, out, l.Out...), l.Out...)
	}
	named(p, image, x, attended)
	return op.View(p, out, l.Out...)
}

// cut is window_partition, or window_reverse: a copy where windows stand side by side.
func (w cuts) cut(p *op.Program, x op.Value) op.Value {
	rows, e := w.count*w.area, w.features
	if w.across == 1 {
		return op.View(p, x, rows, e)
	}
	return op.Contiguous(p, op.Reshaped(p, x, rows, e), rows, e)
}

// attendWindows is SwinAttention.
func (a WindowAttention) attendWindows(l *catalog.Lowering, x op.Value, w cuts) op.Value {
	p, e := l.P, w.features
	var maps [3]op.Value
	for k := range maps {
		maps[k] = l.LinearOf(x, part(l, "qkv.weight", k, e, e), part(l, "qkv.bias", k, e))
	}
	h := op.Heads{Queries: w.area, Keys: w.area, Count: w.count * w.heads, Features: e / w.heads, Values: e / w.heads}
	out := l.LinearOf(a.attendHeads(l, maps, a.bias(l, w), w, h), l.W("proj.weight"), l.W("proj.bias"))
	named(p, maps[:]...)
	return out
}

// bias is what is added to the scores: a number for each head and relative position, and for each window what it must not see where it is shifted.
func (a WindowAttention) bias(l *catalog.Lowering, w cuts) op.Value {
	p := l.P
	places := p.Buffer(op.Int64, w.area*w.area)
	table := op.Index(p, l.W("relative_position_bias_table"), []int64{w.area * w.area, w.heads}, places)
	bias := op.Contiguous(p, op.Reshaped(p, table, w.heads, w.area, w.area), w.heads, w.area, w.area)
	if !w.shifted {
		return bias
	}
	mask := op.Constant(p, op.Float, false, w.count, 1, w.area, w.area)
	return op.Add(p, mask, bias)
}

// attendHeads attends inside of each window.
func (a WindowAttention) attendHeads(l *catalog.Lowering, maps [3]op.Value, bias op.Value, w cuts, h op.Heads) op.Value {
	p := l.P
	rows := []int64{w.count * w.area, w.features}
	if !a.Eager && !l.Eager {
		return op.View(p, op.Attention(p, maps[0], maps[1], maps[2], bias, h), rows...)
	}
	apart := func(x op.Value) op.Value { // the heads lie between the positions
		if w.heads == 1 {
			return op.View(p, x, h.Count, w.area, h.Features)
		}
		return op.Contiguous(p, op.Reshaped(p, x, h.Count, w.area, h.Features), h.Count, w.area, h.Features)
	}
	width := p.Width(maps[0])
	scores := op.Scale(p, op.Scores(p, apart(maps[0]), apart(maps[1]), op.None, h))
	scores = op.Add(p, op.View(p, scores, w.count, w.heads, w.area, w.area), bias)
	weights := a.softmax(p, scores, width)
	if a.Dropout > 0 {
		weights = op.Dropout(p, weights)
	}
	out := op.Weigh(p, op.View(p, weights, h.Count, w.area, w.area), apart(maps[2]), h)
	named(p, weights)
	if w.heads == 1 {
		return op.View(p, out, rows...)
	}
	return op.Contiguous(p, op.Reshaped(p, out, rows...), rows...)
}
