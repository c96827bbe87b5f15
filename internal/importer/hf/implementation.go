package hf

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// modulesFile says how transformers' modules are written; truth/hf_modules.py reads it from their source.
//
//go:embed modules.json
var modulesFile []byte

// modules is what of the way in which transformers wrote its modules decides what autograd keeps of them.
var modules = func() (m struct {
	Softmax []string          `json:"softmax"` // model types whose eager attention takes the softmax in the width of the model
	Eager   []string          `json:"eager"`   // model types that have no other attention
	Norm    map[string]string `json:"norm"`    // model types whose RMS norms are not written as Llama's
	Loss    []string          `json:"loss"`    // classes whose loss is taken of the logits as they are
	Biased  []string          `json:"biased"`  // classes that add a buffer to their logits
	Joined  []string          `json:"joined"`  // model types whose queries and keys are joined of features that turn and others
	Router  []string          `json:"router"`  // model types whose router of experts multiplies 32-bit copies
	Gate    map[string]string `json:"gate"`    // model types whose experts have a gate of their own
	Exact   []string          `json:"exact"`   // model types whose eager attention multiplies queries and keys in 32 bits
}) {
	if err := json.Unmarshal(modulesFile, &m); err != nil {
		panic("hf: modules.json: " + err.Error())
	}
	return m
}()

// implementation says which module a component is: transformers', and which way of writing it. Package estimate reads it for
// what autograd keeps of the component, and for the loss behind it.
//
//	transformers          the usual one: Llama's norm, a softmax and a loss of 32-bit copies
//	transformers/plain    a softmax, a loss or a norm in the width that arrives
//	transformers/eager    attention whose scores are in memory whatever is asked for
//	transformers/capped   a head whose logits, or attention whose scores in memory, go through a hyperbolic tangent; a wide head has it of a 32-bit copy
//	transformers/wide     a norm that is cast back behind its scale, a layer norm, a softmax, an activation, a product or a module without a type of 32-bit copies, or experts whose router multiplies 32-bit copies
//	transformers/late     a norm that scales what arrives, and not its 32-bit copy
//	transformers/fused    one matrix for queries, keys and values, or for gate and up
//	transformers/steps    an activation, a layer norm or the gate of experts written as single operations
//	transformers/looped   experts that are multiplied one after the other
//	transformers/batched  experts that compute every position, in one product over all of them
//	transformers/detached what is computed without gradients
//	transformers/ungraded what is computed without gradients, by weights that other calls of their module train
//	transformers/scan256  a state-space recurrence in chunks of 256 positions, written as single operations
//	transformers/state16  such a recurrence with a state of 16 for each feature, where the component does not say it
//	transformers/serial   a state-space recurrence, or one with a gate for each feature, position by position
//	transformers/chunks   the gated delta rule in chunks of 64 positions, written as single operations
//	transformers/biased   a head to whose logits a buffer is added, which autocast leaves in 32 bits
//	transformers/recast   a map in front of which what arrives is cast to the width of its weights, a layer norm in front of which it is cast to that of products, or a softmax asked for in that of its scores
//	transformers/strided  attention to whose scores a bias is added that lies in memory with the heads last
//	transformers/joined   attention whose queries are joined of features that turn and others, so that the heads come first in memory
//	transformers/exact    attention with its scores in memory that multiplies queries and keys in 32 bits
//	transformers/masked   attention that is given a mask whatever it sees, with keys and values that are repeated
//	transformers/clipped  attention whose queries, keys and values are held between two numbers
//	transformers/added    a map whose bias is added to its product, which autocast leaves in 32 bits
//	transformers/inside   a product that is a part of the norm before it
//	transformers/products a GELU written as single operations without a power: gelu_fast
//	transformers/erf      a GELU written as single operations around the error function: gelu_python
//	transformers/xielu    an activation with trained numbers that is written as single operations: xIELU
//	transformers/dropped  attention, or a gated network, with dropout inside
//	transformers/clamped  attention whose scores are held above a least number in memory, or experts that bound both halves of their first map
//	transformers/banded   attention whose softmax is taken of a band of the scores of three blocks, or that band by itself: Longformer's sliding window
//	transformers/indexed  a lookup that keeps where each element came from
//	transformers/streams  a cut of the logits whose loss is taken of a copy of all of them, or attention over cuts of tensors that stay whole
//	transformers/held     a result that the model's code has a name for until its forward pass ends: what the first layer is given
//	transformers/linear   a module without a type that is linear in what arrives, of which it keeps nothing
//	transformers/paired   experts of which the first computes every position for each expert that it was not sent to, and the second those that it was: NLLB-MoE
//	transformers/frozen   a table that is a weight and not trained: sines and cosines
//	transformers/flags    a constant of truth values, a byte each
//	transformers/emptied  attention that sets weights to zero behind its softmax
//	transformers/blocks64 attention of blocks of 64 positions to a few blocks
//	transformers/random3  of which so many are drawn
//	transformers/rectified experts whose activation keeps its result alone
//	transformers/spread   a product with keys that are laid out anew for each query: that of DeepSeek's indexer
//	transformers/nested   a part of a layer that checkpointing computes again by itself, inside of a stage that it does
//	transformers/remade   a convolution or a map whose weight is computed anew in each pass
//	transformers/matrices64 the matrix memory of an mLSTM in chunks of 64 positions, written as single operations
//	transformers/scaled   attention with its scores in memory whose result is scaled by their sum and a sink
//	transformers/absent   what a call with text alone does not run
//	transformers/broadcast attention over one head of keys and values that nobody repeats
func (b *Build) implementation(typ string) string {
	how := ""
	switch typ {
	case "input", "output":
		return ""
	case "rmsNorm", "qkNorm":
		how = modules.Norm[b.modelType]
	case "moeLayer":
		if slices.Contains(modules.Router, b.modelType) {
			how = "wide"
		}
		if gate := modules.Gate[b.modelType]; gate != "" {
			how = strings.TrimPrefix(how+"/"+gate, "/")
		}
	case "attentionCore", "groupedQueryAttention", "ropeAttention", "multiHeadAttention", "crossAttention", "windowAttention":
		if slices.Contains(modules.Softmax, b.modelType) {
			how = "plain"
		}
		if slices.Contains(modules.Eager, b.modelType) {
			how = strings.TrimPrefix(how+"/eager", "/")
		}
		if slices.Contains(modules.Exact, b.modelType) {
			how = strings.TrimPrefix(how+"/exact", "/")
		}
		if b.Has("clip_qkv") && b.Float("clip_qkv") > 0 {
			how = strings.TrimPrefix(how+"/clipped", "/")
		}
		if b.Has("attn_logit_softcapping") && b.Float("attn_logit_softcapping") > 0 {
			how = strings.TrimPrefix(how+"/capped", "/")
		}
		if b.dropsScores() {
			how = strings.TrimPrefix(how+"/dropped", "/")
		}
	case "lmHead", "linear":
		if slices.Contains(modules.Loss, b.state.class) {
			how = "plain"
		}
		if typ == "lmHead" && slices.Contains(modules.Biased, b.state.class) {
			how = strings.TrimPrefix(how+"/biased", "/")
		}
		for _, key := range []string{"final_logit_softcapping", "logits_soft_cap"} {
			if typ == "lmHead" && b.Has(key) && b.Float(key) > 0 {
				how = strings.TrimPrefix(how+"/capped", "/")
			}
		}
		if typ == "lmHead" && b.Has("output_logit_soft_cap") { // of a 32-bit copy
			how = strings.TrimPrefix(how+"/capped/wide", "/")
		}
	}
	if how == "" {
		return "transformers"
	}
	return "transformers/" + how
}

// way adds a way of writing to what a component says of its implementation.
func (b *Build) way(n Node, how string) {
	c := &b.state.graph.Components[n]
	for i := range c.Extra {
		if c.Extra[i].Name == "implementation" {
			if old, err := strconv.Unquote(c.Extra[i].Raw); err == nil {
				c.Extra[i].Raw = strconv.Quote(old + "/" + how)
			}
		}
	}
}

// ways adds a way of writing to all components of a type that were added since one.
func (b *Build) ways(first int, typ, how string) {
	for n := first; n < len(b.state.graph.Components); n++ {
		if b.state.graph.Components[n].Type == typ {
			b.way(Node(n), how)
		}
	}
}

// notWay takes a way of writing back.
func (b *Build) notWay(n Node, how string) {
	c := &b.state.graph.Components[n]
	for i := range c.Extra {
		if c.Extra[i].Name == "implementation" {
			c.Extra[i].Raw = strings.Replace(c.Extra[i].Raw, "/"+how, "", 1)
		}
	}
}

// held says that the model's code has a name for a result until its forward pass ends.
func (b *Build) held(n Node) Node {
	b.way(n, "held")
	return n
}

// detach says of all that was added since a component that it is computed without gradients.
func (b *Build) detach(first int) { b.allWays(first, "detached") }

// allWays adds a way of writing to all that was added since a component.
func (b *Build) allWays(first int, how string) {
	for n := first; n < len(b.state.graph.Components); n++ {
		b.way(Node(n), how)
	}
}

// extra is what a component carries beside its parameters.
func (b *Build) extra(typ, scope string) []graph.Member {
	out := []graph.Member{{Name: "scope", Raw: strconv.Quote(scope)}}
	if how := b.implementation(typ); how != "" {
		out = append(out, graph.Member{Name: "implementation", Raw: strconv.Quote(how)})
	}
	return out
}
