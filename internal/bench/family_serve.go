package bench

import (
	"strconv"

	"github.com/modelverifier/verifier/internal/fit/serve"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/quantity"
)

var _ = defineFamily(Family{
	Name:  "serve",
	Title: "Make a launch command serve the model",
	Doc: "A launch command of a serving engine refuses the start: its heads do not divide over the cards, its " +
		"weights do not fit, or one sequence's KV cache does not. The command stays; the model is changed.",
	draw: drawServe,
})

// launches are how the engines are asked for so many cards and tokens.
var launches = []func(tp, length string) string{
	func(tp, length string) string {
		return "vllm serve ./model --tensor-parallel-size " + tp + " --max-model-len " + length
	},
	func(tp, length string) string {
		return "python -m sglang.launch_server --model-path ./model --tp " + tp + " --context-length " + length
	},
	func(tp, length string) string {
		return "trtllm-serve ./model --tp_size " + tp + " --max_seq_len " + length
	},
}

func drawServe(r *rng) *draft {
	good := drawLarge(r)
	tp := pick(r, 2, 4, 8)
	bad, what := good, ""
	switch r.below(3) {
	case 0: // query heads that do not divide
		good.heads = multiple(good.heads, 100, tp)
		bad.heads = good.heads + pick(r, 1, 2, 3, 5)
		good.kv, bad.kv = pick(r, 1, 2, tp), 1
		good.kv = min(good.kv, good.heads)
		good.dim = 64 * good.heads
		bad.dim = good.dim
		bad.headDim, good.headDim = 64, 64
		if good.heads%good.kv != 0 {
			return nil
		}
		what = "heads"
	case 1: // more layers than the cards hold
		bad.layers = good.layers + r.from(8, 64)
		what = "weights"
	case 2: // a cache that does not fit
		good.heads = 32
		good.kv, bad.kv = pick(r, 1, 2, 4), 32
		bad.heads = 32
		good.dim, bad.dim = 32*good.headDim, 32*good.headDim
		what = "cache"
	}
	return serveDraft(r, good, bad, tp, what)
}

// serveDraft looks for a card on which the command refuses the one model and serves the other.
func serveDraft(r *rng, good, bad decoder, tp int, what string) *draft {
	ref, start := good.buildHeads(), bad.buildHeads()
	s, before := measured(ref), measured(start)
	cards := hardware.GPUs()
	for range 12 {
		card := cards[r.below(len(cards))]
		length := 1024 * pick(r, 2, 4, 8, 16, 32, 64, 128)
		c := Constraint{Kind: "serves", GPU: card.Name, GPUs: int64(tp), Command: pick(r, launches...)(strconv.Itoa(tp),
			strconv.Itoa(length))}
		if held, _ := kinds["serves"].Holds(&c, before); held {
			continue
		}
		if held, _ := kinds["serves"].Holds(&c, s); !held {
			continue
		}
		in, out := interfaceOf(ref)
		d := &draft{start: start, reference: ref, constraints: []Constraint{{Kind: "runs"}, in, out, c}}
		d.prompt = []string{
			"This decoder has to be served with a launch command that cannot be changed, and the engine refuses it: " +
				firstBlock(before, &c) + ". Change the model so that the command serves it.",
			"The changed model must meet all of this:",
		}
		keep := Constraint{Kind: "keeps", Components: []string{"tokens", "last", "head"}}
		d.constraints = append(d.constraints, keep, Constraint{Kind: "params", Min: percent(s.walked.Params, 97)})
		if what != "weights" {
			d.constraints = append(d.constraints, Constraint{Kind: "edits", Max: int64(begun(start, ref).changed())})
		}
		return d
	}
	return nil
}

// firstBlock is why the engine refuses a model.
func firstBlock(s *subject, c *Constraint) string {
	out := serve.Check(s.walked, &serve.Request{Command: c.Command, GPU: hardware.Lookup(c.GPU), GPUs: c.GPUs})
	for _, f := range out.Findings {
		if f.Severity == serve.Block {
			return f.Title
		}
	}
	return quantity.Sprintf("it does not say why")
}

// buildHeads builds a decoder whose attention says how large its heads are, so that their number can change alone.
func (d decoder) buildHeads() *design {
	g := d.build()
	for i := range g.Components {
		if c := &g.Components[i]; c.Type == "ropeAttention" {
			c.SetParam("headDim", valueOf(d.headDim))
		}
	}
	return g
}
