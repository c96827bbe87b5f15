package estimate

import (
	"iter"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// use follows a model through a pass without gradients.
type use struct {
	loads   []load
	logits  int64 // of one position of each sequence, with the 32-bit copy that is sampled from: those of others are not computed
	foreign bool  // it has modules of transformers
}

// load is what is alive while a component runs: what grows with the positions that are read, scores, which grow with all that those see, too, and what a
// recurrence makes of whole chunks of a prompt.
type load struct{ linear, square, chunked, chunk int64 }

// most is the largest moment where a model that was walked at a length reads so many positions, which see so many: those of a prompt, or the next one.
func (u *use) most(read, seen, length int64, prompt bool) int64 {
	most := int64(0)
	for _, l := range u.loads {
		sum := plus(scale(l.linear, read, length), scale(scale(l.square, read, length), seen, length))
		if l.chunk > 0 && prompt {
			sum = plus(sum, scale(l.chunked, (read+l.chunk-1)/l.chunk, (length+l.chunk-1)/l.chunk))
		}
		most = max(most, sum)
	}
	return most
}

// inUse walks the components in the order in which they run.
func inUse(res *infer.Result, o InferOptions, size int64) use {
	s := &stepper{room: new(Room), res: res, o: Options{Batch: o.Batch, Attention: o.Attention, Precision: map[int64]string{2: "bf16", 4: "fp32"}[size]}, rests: true}
	s.how = make([]implementation, len(res.Nodes))
	for i := range res.Nodes {
		s.how[i] = implementationOf(res.Nodes[i].Component)
	}
	s.walkOrder()
	u := use{loads: make([]load, 0, 2*len(s.order)), foreign: slices.ContainsFunc(s.how, func(how implementation) bool { return how.has(transformers) })}
	ends, layers := s.ends()
	freed, unnamed := make([]int64, len(s.order)), make([]int64, len(s.order))
	live, scores := int64(0), s.maskBytes(size)
	for p, i := range s.order {
		n, own := &res.Nodes[i], int64(0)
		switch {
		case s.source(i) != i || n.Out == nil || n.Type.Has(catalog.IsTensor) || n.Type.Has(catalog.IsVirtual) && n.Type.ID != infer.InputID:
		case o.Prompt > 0 && s.isHead(i) && n.Out.Rank() > 0:
			u.logits = plus(u.logits, block(times(o.Batch, max(0, n.Out.At(-1)), size+4)))
		default:
			own = block(times(max(0, n.Out.Size()), o.Batch, elemSize(n, size)))
			freed[ends[i]] = plus(freed[ends[i]], own)
		}
		inside, last := s.insideUse(i, size)
		before, beside := s.heldScores(i, size)
		space, _ := blockSpace(n, o.Batch, size)
		if s.how[i].has(spread) {
			space = s.spreadBytes(n)
		}
		chunked, chunk := s.insideChunks(i, size)
		u.loads = append(u.loads, load{plus(live, inside, space), plus(scores, before), chunked, chunk}, load{plus(live, own, last, space), plus(scores, beside), 0, 0})
		if h, ok := s.headsOf(i); ok {
			all := times(h.queries, h.count, h.keys, o.Batch)
			switch s.kernel(i, h) {
			case "math": // before the scores are masked
				first := block(times(h.queries, h.count, h.features, o.Batch, 4))
				u.loads = append(u.loads, load{plus(live, inside, times(2, first), space), plus(scores, times(all, 4)), 0, 0})
			case "eager": // a layer has a name for the weights, too, that its attention gives
				bytes := block(times(all, size))
				scores, unnamed[layers[i]] = plus(scores, bytes), plus(unnamed[layers[i]], bytes)
			}
		}
		live, scores = plus(live, own), scores-unnamed[p]
		live -= min(live, freed[p])
	}
	return u
}

// ends is the position behind which each component's result is free. In transformers' models what a module is called with stays until it is
// through, whatever it does with it first, and what is looked up has a name until the pass ends. It also returns where each component's layer is.
func (s *stepper) ends() (out, layers []int32) {
	out, layers = make([]int32, len(s.res.Nodes)), make([]int32, len(s.res.Nodes))
	scopes, through, final := make([]string, len(s.res.Nodes)), map[string]int32{}, int32(0)
	for p, i := range s.order {
		out[i] = max(int32(p), s.last[i])
		if s.res.Nodes[i].Type.ID == infer.InputID { // whoever calls has it
			out[i] = int32(len(s.order) - 1)
		}
		if s.how[i].has(transformers) {
			scopes[i], final = s.res.Nodes[i].Component.Scope()+".", int32(p)
			for m := range modules(scopes[i]) {
				if len(m) < len(scopes[i]) || through[m] > 0 { // a module of others
					through[m] = int32(p)
				}
			}
		}
	}
	for _, i := range s.order {
		if layers[i] = int32(s.at[i]); scopes[i] == "" {
			continue
		}
		for m := range modules(scopes[i]) { // the innermost that has a number
			if layerOf(m[strings.LastIndexByte(m[:len(m)-1], '.')+1:len(m)-1]) != "" {
				layers[i] = max(int32(s.at[i]), through[m])
			}
		}
		if s.res.Nodes[i].Type.ID == "embedding" {
			out[i] = final
		}
		for j := range s.inputs(i) {
			for m := range modules(scopes[i]) {
				if from := s.source(j); !strings.HasPrefix(scopes[j], m) { // called from outside
					out[from] = max(out[from], through[m])
				}
			}
		}
	}
	return out, layers
}

// modules yields the modules that a path lies in, and itself, each with the point behind it.
func modules(scope string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at, c := range scope {
			if c == '.' && !yield(scope[:at+1]) {
				return
			}
		}
	}
}

// maskBytes is the mask that scores in memory are added to, one for each sequence, for all layers of a model of transformers'.
func (s *stepper) maskBytes(size int64) int64 {
	if s.o.Attention != "eager" {
		return 0
	}
	for _, i := range s.order {
		if n := &s.res.Nodes[i]; s.how[i].has(transformers) && looksBack(n) && s.plainShapes(n) {
			return block(times(n.In[0][0], n.In[min(1, len(n.In)-1)][0], s.o.Batch, size))
		}
	}
	return 0
}

func elemSize(n *infer.Node, size int64) int64 {
	if n.OutIsInt {
		return 8
	}
	return size
}
