package estimate

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// implementation is whose module a component is, where its importer says so, and how that is written. It decides what autograd
// keeps and what the loss needs, and nothing else.
type implementation uint64

// The ways; internal/importer/hf says which components have them. The zero value is PyTorch's own module.
const (
	transformers implementation = 1 << iota
	plain                       // a softmax, a loss or a norm in the width that arrives
	wide                        // a norm that is cast back behind its scale, a layer norm, a softmax, an activation, a product or a module without a type of 32-bit copies, or a router of experts in 32 bits
	late                        // a norm that scales what arrives, and not its 32-bit copy
	fused                       // one matrix for queries, keys and values, or for gate and up
	steps                       // an activation written as single operations
	eager                       // attention whose scores are in memory whatever is asked for
	capped                      // a head whose logits, or attention whose scores in memory, go through a hyperbolic tangent
	broadcast                   // attention over one head of keys and values that nobody repeats
	biased                      // a head to whose logits a buffer is added
	recast                      // a map of what was cast to the width of its weights, a layer norm of what was cast to that of products, or a softmax asked for in that of its scores
	strided                     // attention with a bias that lies in memory with the heads last
	joined                      // attention whose queries lie in memory with the heads first
	exact                       // attention with scores in memory that multiplies queries and keys in 32 bits
	masks                       // attention that is given a mask whatever it sees
	clipped                     // attention whose queries, keys and values are held between two numbers
	added                       // a map whose bias is added to its product
	inside                      // a product that is a part of the norm before it
	products                    // a GELU of products, without a power
	erf                         // a GELU around the error function
	xielu                       // an activation with trained numbers, of single operations
	dropped                     // attention, or a gated network, with dropout inside
	clamped                     // attention whose scores are held above a least number, or experts that bound both halves of their first map
	banded                      // attention whose softmax is taken of a band of the scores of three blocks, or that band by itself
	indexed                     // a lookup that keeps where each element came from
	streams                     // a cut of the logits whose loss is taken of a copy of all of them, or attention over cuts of tensors that stay whole
	remade                      // a convolution or a map whose weight is computed anew in each pass
	held                        // a result that the model's code has a name for until its forward pass ends
	looped                      // experts that are multiplied one after the other
	batched                     // experts that compute every position, in one product over all of them
	chunks                      // the gated delta rule in chunks of 64 positions, written as single operations
	scan                        // a state-space recurrence in chunks, written as single operations; behind it the positions of a chunk
	serial                      // a state-space recurrence, or one with a gate for each feature, position by position
	detached                    // computed without gradients, so that what it has of weights is not trained
	scaled                      // attention with scores in memory whose result is scaled by their sum
	matrices                    // the matrix memory of an mLSTM in chunks, written as single operations; behind it the positions of a chunk
	absent                      // what is there and does not run: what reads pictures, where there are none
	ungraded                    // computed without gradients, by weights that other calls train
	linear                      // a module without a type that is linear in what arrives
	paired                      // experts of which the first computes every position for each expert that it was not sent to, and the second those that it was
	frozen                      // a table that is a weight and not trained
	flags                       // a constant of truth values, a byte each
	emptied                     // attention that sets weights to zero behind its softmax
	blocks                      // attention of blocks to a few blocks; behind it the positions of one, and of those that are drawn how many
	rectified                   // experts whose activation keeps its result alone
	spread                      // a product of which one side is laid out anew for each position of the other
	nested                      // a part of a layer that checkpointing computes again by itself, inside of a stage that it does
)

func (w implementation) has(all implementation) bool { return w&all == all }

func implementationOf(c *graph.Component) implementation {
	library, words, _ := strings.Cut(c.Implementation(), "/")
	if library != libraryName {
		return 0
	}
	out := transformers
	for words != "" {
		var word string
		word, words, _ = strings.Cut(words, "/")
		out |= ways[strings.TrimRight(word, digits)].bit
	}
	return out
}

// sizeOf is the number behind a word of a component's implementation, 0 where there is none.
func sizeOf(c *graph.Component, name string) int64 {
	for word := range strings.SplitSeq(c.Implementation(), "/") {
		if number, found := strings.CutPrefix(word, name); found {
			if n, err := strconv.ParseInt(number, 10, 32); err == nil {
				return n
			}
		}
	}
	return 0
}

// Ways are the names of the ways, in order.
func Ways() []string { return slices.Sorted(maps.Keys(ways)) }
