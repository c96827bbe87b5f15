package estimate

import (
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	autograd "github.com/modelverifier/verifier/internal/tape"
)

// company is the models that an objective has beside the one in training, and what was found of them. Who asks for many runs of a model, or for one
// of them in several ways, needs most of it again.
type company struct {
	res    *infer.Result           // in training
	scored map[int64]*infer.Result // with the logits of the last positions alone, by how many these are
	refs   map[referred]reference  // the frozen reference
	value  *infer.Result           // of PPO; nil before it is asked for
	values map[Options]autograd.Account
}

// referred is all that the reference depends on.
type referred struct {
	InferOptions
	answer int64 // tokens that it writes before it scores; 0 where it only scores
}

// reference is a model that is used: its weights, and what it has beside them at the most.
type reference struct{ weights, most int64 }

// companyOf is that of the model of the last estimates.
func (r *Room) companyOf(res *infer.Result) *company {
	if r.company.res != res {
		r.company = company{res: res}
	}
	return &r.company
}

// scored is the model with the logits that the loss of an objective reads: those of the answers alone, where the model writes them (logits_to_keep).
func (r *Room) scored(res *infer.Result, o *Options) *infer.Result {
	if !o.Writes() || tokensOf(res) < 3 {
		return res
	}
	return again(&r.companyOf(res).scored, o.completion(res)+1, func(positions int64) *infer.Result {
		g := res.Graph.Clone()
		lastOf(res, g, positions)
		if cut := r.walk(g); len(cut.Refusals) == 0 {
			return cut
		}
		return res
	})
}

// reference follows the frozen reference: it scores answers, which it may have written before.
func (r *Room) reference(res *infer.Result, o *Options) reference {
	part, _ := o.micro()
	use := referred{InferOptions: InferOptions{Batch: o.sequences(part.Batch), Precision: usePrecision(o.Precision), Attention: o.Attention}}
	if o.Writes() {
		use.answer = o.completion(res)
	}
	c := r.companyOf(res)
	return again(&c.refs, use, func(use referred) reference {
		pass, _ := r.passOf(r.scored(res, o), use.or(res), autograd.Use{})
		ref := reference{pass.Weights, pass.Most - pass.Weights}
		if use.answer > 0 {
			use.Prompt, use.Generated = max(1, tokensOf(res)-use.answer), use.answer
			written, _ := r.replayUse(res, use.InferOptions)
			ref.most = max(ref.most, written.Reading.Most-written.Reading.Weights, written.Writing.Most-written.Writing.Weights)
		}
		return ref
	})
}

// valueAccount is a step of a model that is like another and gives one number for each position.
func (r *Room) valueAccount(res *infer.Result, o Options) autograd.Account {
	c := r.companyOf(res)
	if c.value == nil {
		g := res.Graph.Clone()
		for _, i := range mapsToLogits(res) {
			head := &g.Components[i]
			head.Type, head.Params, head.Extra = "linear", nil, nil
			head.SetParam("outFeatures", graph.IntValue(1))
			head.SetParam("bias", graph.BoolValue(false))
		}
		if c.value = r.walk(g); len(c.value.Refusals) > 0 {
			c.value = res
		}
	}
	o.Objective, o.Adapt, o.Base = "", nil, ""
	return again(&c.values, o, func(o Options) autograd.Account {
		a, _ := r.replay(c.value, o)
		return a
	})
}

// again is what a map has of a key, which it finds once.
func again[K comparable, V any](found *map[K]V, key K, find func(K) V) V {
	v, known := (*found)[key]
	if !known {
		if v = find(key); *found == nil {
			*found = map[K]V{}
		}
		(*found)[key] = v
	}
	return v
}
