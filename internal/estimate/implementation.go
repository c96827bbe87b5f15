package estimate

import (
	"github.com/modelverifier/verifier/internal/infer"
	registry "github.com/modelverifier/verifier/internal/transformers"
)

// implementation is whose module a component is, where it names one, and how that is written. It decides what autograd keeps and what the
// loss needs, and nothing else.
type implementation uint64

// The ways; internal/transformers says which modules have them. The zero value is PyTorch's own module.
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
	scan                        // a state-space recurrence in chunks, written as single operations; a parameter says the positions of a chunk
	serial                      // a state-space recurrence, or one with a gate for each feature, position by position
	detached                    // computed without gradients, so that what it has of weights is not trained
	scaled                      // attention with scores in memory whose result is scaled by their sum
	matrices                    // the matrix memory of an mLSTM in chunks, written as single operations; a parameter says the positions of a chunk
	ungraded                    // computed without gradients, by weights that other calls train
	linear                      // a module without a type that is linear in what arrives
	paired                      // experts of which the first computes every position for each expert that it was not sent to, and the second those that it was
	frozen                      // a table that is a weight and not trained
	flags                       // a constant of truth values, a byte each
	emptied                     // attention that sets weights to zero behind its softmax
	blocks                      // attention of blocks to a few blocks; its parameters say of how many positions, and how many are drawn
	rectified                   // experts whose activation keeps its result alone
	spread                      // a product of which one side is laid out anew for each position of the other
	nested                      // a part of a layer that checkpointing computes again by itself, inside of a stage that it does
)

func (w implementation) has(all implementation) bool { return w&all == all }

// habitual are the ways by the habits of a registered module.
var habitual = map[string]implementation{
	"plain": plain, "wide": wide, "late": late, "fused": fused, "steps": steps, "eager": eager, "capped": capped, "broadcast": broadcast,
	"biased": biased, "recast": recast, "strided": strided, "joined": joined, "exact": exact, "masked": masks, "clipped": clipped, "added": added,
	"inside": inside, "products": products, "erf": erf, "xielu": xielu, "dropped": dropped, "clamped": clamped, "banded": banded,
	"indexed": indexed, "streams": streams, "remade": remade, "held": held, "looped": looped, "batched": batched, "paired": paired,
	"rectified": rectified, "chunks": chunks, "scan": scan, "serial": serial, "matrices": matrices, "scaled": scaled, "linear": linear,
	"flags": flags, "emptied": emptied, "blocks": blocks, "spread": spread, "nested": nested, "detached": detached, "ungraded": ungraded,
	"frozen": frozen, "leaf": 0, "newgelu": 0, // what operations alone tell
}

// registered are the ways of every registered module.
var registered = func() map[*registry.Variant]implementation {
	out := make(map[*registry.Variant]implementation, len(registry.All()))
	for _, v := range registry.All() {
		how := transformers
		for _, word := range registry.Words(v.Module) {
			way, known := habitual[word]
			if how |= way; !known {
				panic("estimate: nothing is known of " + word)
			}
		}
		out[v] = how
	}
	return out
}()

// implementationOf is that of a component by itself, with what its parameters turn on.
func implementationOf(n *infer.Node) implementation {
	as := n.Component.As()
	if as == "" || n.Type == nil {
		return 0
	}
	how := registered[registry.Lookup(n.Type.ID, as)]
	if how == 0 {
		return 0
	}
	return how | turnedOn(n)
}

// turnedOn is what the parameters of a component say that a config turns on.
func turnedOn(n *infer.Node) (how implementation) {
	for k := range n.Args {
		if !(n.Args[k].Float() > 0) {
			continue
		}
		switch n.Type.Params[k].Name {
		case "dropout":
			how |= dropped
		case "softcap":
			how |= capped
		case "clip":
			how |= clipped
		}
	}
	return how
}

// implementations are those of all components. An output that names a model of the library says of all of them that they are its modules,
// whether its layers are checkpointed inside of stages, too, and how its loss is taken.
func implementations(res *infer.Result, out []implementation) []implementation {
	model := implementation(0)
	for i := range res.Nodes {
		out[i] = implementationOf(&res.Nodes[i])
		if t := res.Nodes[i].Type; t != nil && t.ID == "output" {
			model, out[i] = model|out[i], 0
		}
	}
	leaveGradients(res, out)
	if model == 0 {
		return out
	}
	for i := range res.Nodes {
		switch t := res.Nodes[i].Type; {
		case t == nil || t.ID == infer.InputID || t.ID == "output" || t.ID == "stickyNote":
		case t.ID == "linear" || t.ID == "lmHead" || t.ID == "add": // whose result may be logits
			out[i] |= model | turnedOn(&res.Nodes[i])
		default:
			out[i] |= model &^ plain
		}
	}
	return out
}

// leaveGradients says what is computed without gradients: by weights that other calls train, or that nothing does.
func leaveGradients(res *infer.Result, out []implementation) {
	less := res.WithoutGradients()
	called := map[int32]bool{}
	for i := range less {
		if k := res.Nodes[i].Shares; k > 0 && !less[i] {
			called[k-1] = true
		}
	}
	for i := range less {
		switch {
		case !less[i]:
		case called[int32(i)] || res.Nodes[i].Shares > 0:
			out[i] |= ungraded
		default:
			out[i] |= detached
		}
	}
}
