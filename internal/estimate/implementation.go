package estimate

import (
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// implementation is whose module a component is, where its importer says so, and how that is written. It decides what autograd
// keeps and what the loss needs, and nothing else.
type implementation uint16

// The ways; internal/importer/hf says which components have them. The zero value is PyTorch's own module.
const (
	transformers implementation = 1 << iota
	plain                       // a softmax or a loss in the width that arrives
	wide                        // a norm that is cast back behind its scale
	late                        // a norm that scales what arrives, and not its 32-bit copy
	fused                       // one matrix for queries, keys and values, or for gate and up
	steps                       // an activation written as single operations
	eager                       // attention whose scores are in memory whatever is asked for
	capped                      // a head whose logits go through a hyperbolic tangent
	broadcast                   // attention over one head of keys and values that nobody repeats
	biased                      // a head to whose logits a buffer is added
	recast                      // a map of what was cast to the width of its weights
	strided                     // attention with a bias that lies in memory with the heads last
)

var ways = map[string]implementation{"plain": plain, "wide": wide, "late": late, "fused": fused, "steps": steps, "eager": eager, "capped": capped, "broadcast": broadcast,
	"biased": biased, "recast": recast, "strided": strided}

func (w implementation) has(all implementation) bool { return w&all == all }

func implementationOf(c *graph.Component) implementation {
	for i := range c.Extra {
		m := &c.Extra[i]
		if m.Name != "implementation" || !strings.HasPrefix(m.Raw, `"transformers`) {
			continue
		}
		out := transformers
		_, words, _ := strings.Cut(strings.Trim(m.Raw, `"`), "/")
		for words != "" {
			var word string
			word, words, _ = strings.Cut(words, "/")
			out |= ways[word]
		}
		return out
	}
	return 0
}
