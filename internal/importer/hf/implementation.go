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
//	transformers/plain    a softmax or a loss in the width that arrives
//	transformers/eager    attention whose scores are in memory whatever is asked for
//	transformers/capped   a head whose logits go through a hyperbolic tangent
//	transformers/wide     a norm that is cast back behind its scale
//	transformers/late     a norm that scales what arrives, and not its 32-bit copy
//	transformers/fused    one matrix for queries, keys and values, or for gate and up
//	transformers/steps    an activation or a layer norm written as single operations
//	transformers/biased   a head to whose logits a buffer is added, which autocast leaves in 32 bits
//	transformers/recast   a map in front of which what arrives is cast to the width of its weights
//	transformers/strided  attention to whose scores a bias is added that lies in memory with the heads last
//	transformers/broadcast attention over one head of keys and values that nobody repeats
func (b *Build) implementation(typ string) string {
	how := ""
	switch typ {
	case "input", "output":
		return ""
	case "rmsNorm", "qkNorm":
		how = modules.Norm[b.modelType]
	case "attentionCore", "groupedQueryAttention", "ropeAttention", "multiHeadAttention", "crossAttention", "windowAttention":
		if slices.Contains(modules.Softmax, b.modelType) {
			how = "plain"
		}
		if slices.Contains(modules.Eager, b.modelType) {
			how = strings.TrimPrefix(how+"/eager", "/")
		}
	case "lmHead", "linear":
		if slices.Contains(modules.Loss, b.state.class) {
			how = "plain"
		}
		if typ == "lmHead" && slices.Contains(modules.Biased, b.state.class) {
			how = strings.TrimPrefix(how+"/biased", "/")
		}
		if typ == "lmHead" && b.Has("final_logit_softcapping") && b.Float("final_logit_softcapping") > 0 {
			how = strings.TrimPrefix(how+"/capped", "/")
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

// extra is what a component carries beside its parameters.
func (b *Build) extra(typ, scope string) []graph.Member {
	out := []graph.Member{{Name: "scope", Raw: strconv.Quote(scope)}}
	if how := b.implementation(typ); how != "" {
		out = append(out, graph.Member{Name: "implementation", Raw: strconv.Quote(how)})
	}
	return out
}
