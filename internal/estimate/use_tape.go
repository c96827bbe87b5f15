package estimate

import (
	"iter"
	"slices"
	"strings"

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
func (t *Inference) follow(res *infer.Result) {
	u, _ := t.replay(res)
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
	t := Inference{Options: o.or(res)}
	t.foreign = isForeign(res)
	t.remember(res, activationSize(t.Options.Precision))
	return t.replay(res)
}

// replay follows the passes of a model: one, or those over the prompt and over the last token that is read.
func (t *Inference) replay(res *infer.Result) (u Used, missing string) {
	o := t.Options
	if o.Prompt == 0 {
		u.Reading, missing = passOf(res, o, autograd.Use{})
		return u, missing
	}
	prompt, token, length := atLength(res, o.Prompt, true), atLength(res, 1, false), o.Prompt
	if prompt == nil || token == nil { // it does not run at these lengths
		prompt, token, length = res, nil, max(1, tokensOf(res))
		missing = "another length"
	}
	var why string
	if u.Reading, why = passOf(prompt, o, autograd.Use{Caches: true, Sampled: true}); missing == "" {
		missing = why
	}
	var lacks []remembered // layers whose operations have no cache, as those of PyTorch's modules
	for _, r := range caches(res) {
		if !slices.Contains(u.Reading.Caching, r.node) {
			lacks, missing = append(lacks, r), "a cache"
		}
	}
	u.Reading.Most = plus(u.Reading.Most, t.remembers(lacks, o.Prompt))
	recurs := slices.ContainsFunc(lacks, func(r remembered) bool { return r.kind == CacheState })
	switch {
	case o.Generated < 2: // the last token is not read
	case token == nil || recurs: // the state makes one token of what was computed of all
		held := u.Reading.Most - u.Reading.Weights - u.Reading.Cache - t.remembers(lacks, o.Prompt)
		u.Reading.Most -= max(0, held) - scale(max(0, held), o.Prompt, length)
		u.Writing.Weights, u.Writing.Cache = u.Reading.Weights, t.CacheBytes
		u.Writing.Most = plus(u.Writing.Weights, t.CacheBytes, scale(max(0, held), 1, length))
	default:
		u.Writing, _ = passOf(token, o, autograd.Use{Caches: true, Sampled: true, Past: o.Prompt + o.Generated - 2})
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
func passOf(res *infer.Result, o InferOptions, use autograd.Use) (p autograd.Pass, missing string) {
	until, layers := heldUntil(res, true)
	use.Layer = func(node int32) int32 { return layers[node] }
	t := autograd.Options{Batch: o.Batch, Precision: autograd.Precision{Weights: activationSize(o.Precision)}, Eager: o.Attention == "eager", Use: &use}
	t.Until = func(node int32) int32 { return until[node] }
	t.Module, t.Undropped = library.In(res, false), true
	t.Idle = func(n *infer.Node) bool { return n.State == infer.Absent }
	model, missing := autograd.Of(res, t)
	return model.Pass(), missing
}

// heldUntil is for each component that behind which its result is free, where a caller has a name for it longer than the last component that reads
// it: what a module of transformers' is called with lives until the module is through, and what one looks up until that one is; -1 elsewhere. It also
// returns the last component of the layer that each lies in, itself where it is in none. A list of modules is called by nobody; what the first of it
// is called with stays with it where lists count, as the runs of models in use show (gpt2, mistral), and those of training do not (mobilenet_v1).
func heldUntil(res *infer.Result, listed bool) (out, layers []int32) {
	_, foreign := library.ModelOf(res)
	layers = make([]int32, len(res.Nodes))
	out = make([]int32, len(res.Nodes))
	at := make([]int, len(res.Nodes))
	scopes, through, begins, final := make([]string, len(res.Nodes)), map[string]int32{}, map[string]int{}, int32(-1)
	for p, i := range res.Wiring.Order {
		if out[i], at[i] = -1, p; !foreign || res.Nodes[i].Type == nil || res.Nodes[i].Type.Has(catalog.IsVirtual) {
			continue
		}
		scopes[i], final = res.Nodes[i].Component.Scope()+".", int32(i)
		for m := range modules(scopes[i]) {
			if _, of := through[m]; of || len(m) < len(scopes[i]) && (listed || !lists(m, scopes[i])) { // a module of others
				if through[m] = int32(i); !of {
					begins[m] = p
				}
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
		if scopes[i] == "" {
			continue
		}
		for m := range modules(scopes[i]) { // the innermost that has a number
			if end, of := through[m]; of && layerOf(m[strings.LastIndexByte(m[:len(m)-1], '.')+1:len(m)-1]) != "" {
				layers[i] = end
			}
		}
		if res.Nodes[i].Type.Has(catalog.IsEmbedding) {
			caller := final
			for m := range modules(scopes[i]) {
				if end, of := through[m]; of && len(m) < len(scopes[i]) {
					caller = end
				}
			}
			later(int32(i), caller)
		}
		for _, j := range res.Wiring.Inputs(i) {
			for m := range modules(scopes[i]) {
				if end, of := through[m]; of && !strings.HasPrefix(scopes[j], m) && at[j] < begins[m] { // called with it
					later(j, end)
				}
			}
		}
	}
	return out, layers
}

// lists reports whether a module in front of a scope has others by number alone, as torch.nn.ModuleList: nobody calls such a one.
func lists(module, scope string) bool {
	next, _, _ := strings.Cut(scope[len(module):], ".")
	return next != "" && strings.Trim(next, "0123456789") == ""
}

// atLength walks a model with samples of another length. Where only the last position matters, as to generate, its logits alone are computed
// (logits_to_keep=1). It returns nil where the model does not run so.
func atLength(res *infer.Result, length int64, last bool) *infer.Result {
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
	again := infer.Walk(g)
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
