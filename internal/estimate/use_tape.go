package estimate

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	autograd "github.com/modelverifier/verifier/internal/tape"
	library "github.com/modelverifier/verifier/internal/transformers"
)

// Used is a model that is used, followed operation by operation: one pass, or the reading of a prompt and the writing of the last token.
type Used struct {
	Reading, Writing autograd.Pass
}

// Most is the most that is allocated.
func (u *Used) Most() int64 { return max(u.Reading.Most, u.Writing.Most) }

// follow takes the peak from the operations of a model.
func (r *Room) follow(res *infer.Result, t *Inference) {
	u, _ := r.use(res, t)
	if t.PeakBytes = max(u.Most(), t.WeightBytes); fewBits(t.Options.Precision) { // some buffers are in no operation
		t.PeakBytes = plus(t.WeightBytes, max(0, u.Reading.Most-u.Reading.Weights, u.Writing.Most-u.Writing.Weights))
	}
	cache := t.cacheRead()
	if u.Writing.Most > u.Reading.Most {
		cache = t.CacheBytes
	}
	t.ActivationBytes = max(0, t.PeakBytes-t.WeightBytes-cache)
}

// fewBits reports whether matrices are held in 8 bits or 4, and computed in 16.
func fewBits(precision string) bool { return precision == "int8" || precision == "int4" }

// ReplayUse follows a model in use. It returns the type of the first component that no operations are known of, or what else is not, if something is
// not.
func ReplayUse(res *infer.Result, o InferOptions) (u Used, missing string) {
	return new(Room).replayUse(res, o)
}

func (r *Room) replayUse(res *infer.Result, o InferOptions) (u Used, missing string) {
	t := Inference{Options: o.or(res)}
	t.foreign = isForeign(res)
	t.remember(res, activationSize(t.Options.Precision))
	return r.use(res, &t)
}

// use follows the passes of a model: one, or those over the prompt and over the last token that is read.
func (r *Room) use(res *infer.Result, t *Inference) (u Used, missing string) {
	o := t.Options
	if o.Prompt == 0 {
		u.Reading, missing = r.passOf(res, o, autograd.Use{})
		return u, missing
	}
	prompt, token, length := r.atLength(res, o.Prompt, true), r.atLength(res, 1, false), o.Prompt
	if prompt == nil || token == nil { // it does not run at these lengths
		prompt, token, length = res, nil, max(1, tokensOf(res))
		missing = "another length"
	}
	var why string
	if u.Reading, why = r.passOf(prompt, o, autograd.Use{Caches: true, Sampled: true}); missing == "" {
		missing = why
	}
	var lacks []remembered // layers whose operations have no cache, as those of PyTorch's modules
	for _, layer := range caches(res) {
		if !slices.Contains(u.Reading.Caching, layer.node) {
			lacks, missing = append(lacks, layer), "a cache"
		}
	}
	u.Reading.Most = plus(u.Reading.Most, t.remembers(lacks, o.Prompt))
	recurs := slices.ContainsFunc(lacks, func(layer remembered) bool { return layer.kind == CacheState })
	held := max(0, u.Reading.Most-u.Reading.Weights-u.Reading.Cache-t.remembers(lacks, o.Prompt))
	u.Reading.Most -= held - scale(held, o.Prompt, length)
	switch {
	case o.Generated < 2: // the last token is not read
	case token == nil || recurs: // the state makes one token of what was computed of all
		u.Writing.Weights, u.Writing.Cache = u.Reading.Weights, t.CacheBytes
		u.Writing.Most = plus(u.Writing.Weights, t.CacheBytes, scale(held, 1, length))
	default:
		u.Writing, _ = r.passOf(token, o, autograd.Use{Caches: true, Sampled: true, Past: o.Prompt + o.Generated - 2})
		u.Writing.Most = plus(u.Writing.Most, t.remembers(lacks, o.Prompt+o.Generated))
	}
	return u, missing
}

// remembers is what layers remember of so many tokens of all sequences.
func (t *Inference) remembers(layers []remembered, tokens int64) (sum int64) {
	for k := range layers {
		sum = plus(sum, times(layers[k].bytes(tokens, activationSize(t.Options.Precision)), t.Options.Batch))
	}
	return sum
}

// passOf follows one pass.
func (r *Room) passOf(res *infer.Result, o InferOptions, use autograd.Use) (p autograd.Pass, missing string) {
	until, layers := heldUntil(res, true)
	use.Layer = func(node int32) int32 { return layers[node] }
	t := autograd.Options{Batch: o.Batch, Precision: autograd.Precision{Weights: activationSize(o.Precision)}, Eager: o.Attention == "eager", Use: &use, PeakOnly: true}
	t.Until = func(node int32) int32 { return until[node] }
	t.Module, t.Undropped = library.In(res, false), true
	t.Idle = func(n *infer.Node) bool { return n.State == infer.Absent }
	r.lastMeasured = measured{}
	model, missing := r.tapes.Of(res, t)
	r.made(model)
	return model.Pass(), missing
}

// heldUntil is for each component that behind which its result is free, where a caller has a name for it longer than the last component that reads
// it: what a module of transformers' is called with lives until the module is through, and what one looks up until that one is; -1 elsewhere. It also
// returns the last component of the layer that each lies in, itself where it is in none. A list of modules is called by nobody; what the first of it
// is called with stays with it where lists count, as the runs of models in use show (gpt2, mistral), and those of training do not (mobilenet_v1).
func heldUntil(res *infer.Result, listed bool) (out, layers []int32) {
	layers, out = make([]int32, len(res.Nodes)), make([]int32, len(res.Nodes))
	at, in, final := make([]int, len(res.Nodes)), nestOf(res), int32(-1)
	for p, i := range res.Wiring.Order {
		out[i], at[i] = -1, p
		path := in.paths[i]
		if path == nil {
			continue
		}
		final = int32(i)
		for d, k := range path {
			switch m := &in.modules[k]; {
			case m.through >= 0:
				m.through = int32(i)
			case d < len(path)-1 && (listed || !in.modules[path[d+1]].item): // a module of others
				m.through, m.begins = int32(i), p
			}
		}
	}
	later := func(j int32, than int32) {
		if out[j] < 0 || at[than] > at[out[j]] {
			out[j] = than
		}
	}
	for _, i := range res.Wiring.Order {
		layers[i] = int32(i)
		path := in.paths[i]
		if path == nil {
			continue
		}
		caller := final
		for d, k := range path {
			m := &in.modules[k]
			if m.through >= 0 && m.item { // the innermost that has a number
				layers[i] = m.through
			}
			if m.through >= 0 && d < len(path)-1 {
				caller = m.through
			}
		}
		if res.Nodes[i].Type.Has(catalog.IsEmbedding) {
			later(int32(i), caller)
		}
		for _, j := range res.Wiring.Inputs(i) {
			for d, k := range path {
				if m := &in.modules[k]; m.through >= 0 && at[j] < m.begins && !in.has(j, d, k) { // called with it
					later(j, m.through)
				}
			}
		}
	}
	return out, layers
}

// nest is the modules of a model of transformers': which of them each component lies in, from the outermost to its own; nil for what runs in none.
type nest struct {
	modules []module
	paths   [][]int32
}

// module is one of them.
type module struct {
	item    bool  // of a list, by its number
	through int32 // the last component in it, -1 where it has no other module
	begins  int   // where the first is in the order
}

// named is a module by the one that it lies in and its name there.
type named struct {
	outer int32
	name  string
}

func nestOf(res *infer.Result) nest {
	in := nest{paths: make([][]int32, len(res.Nodes))}
	if _, foreign := library.ModelOf(res); !foreign {
		return in
	}
	known := map[named]int32{}
	for _, i := range res.Wiring.Order {
		n := &res.Nodes[i]
		if n.Type == nil || n.Type.Has(catalog.IsVirtual) {
			continue
		}
		path, outer, from := []int32{}, int32(-1), 0
		for m := range graph.Modules(n.Component.Scope()) {
			key := named{outer, m[from:]}
			k, found := known[key]
			if !found {
				k = int32(len(in.modules))
				in.modules = append(in.modules, module{item: graph.IsNumbered(m), through: -1})
				known[key] = k
			}
			path, outer, from = append(path, k), k, len(m)
		}
		in.paths[i] = path
	}
	return in
}

// has reports whether a component lies in a module of a depth.
func (in *nest) has(component int32, depth int, module int32) bool {
	path := in.paths[component]
	return depth < len(path) && path[depth] == module
}

// atLength walks a model with samples of another length. Where only the last position matters, as to generate, its logits alone are computed
// (logits_to_keep=1). It returns nil where the model does not run so.
func (r *Room) atLength(res *infer.Result, length int64, last bool) *infer.Result {
	own, g := tokensOf(res), res.Graph.Clone()
	for i := range res.Nodes {
		n := &res.Nodes[i]
		if n.Type != nil && n.Type.ID == infer.InputID && n.OutIsInt && n.Out.Rank() > 0 && n.Out[0] == own {
			g.Components[i].SetParam("shape", graph.IntsValue(append([]int64{length}, n.Out[1:]...)...))
		}
	}
	if last && length > 1 {
		lastOf(res, g, 1)
	}
	again := r.walk(g)
	if len(again.Refusals) > 0 {
		return nil
	}
	return again
}

// mapsToLogits are the maps to the logits: those of such a type, or else what gives the result.
func mapsToLogits(res *infer.Result) (out []int) {
	for i := range res.Nodes {
		if n := &res.Nodes[i]; known(n) && n.Type != nil && n.Type.Has(catalog.IsHead) {
			out = append(out, i)
		}
	}
	for i := 0; len(out) == 0 && i < len(res.Nodes); i++ {
		if n := &res.Nodes[i]; known(n) && n.Type != nil && givesLogits(res, i) {
			out = append(out, i)
		}
	}
	return out
}
