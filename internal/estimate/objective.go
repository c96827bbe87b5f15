package estimate

import (
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	autograd "github.com/modelverifier/verifier/internal/tape"
)

// Objectives are losses of log-probabilities, beside the model's own: DPO of pairs, whose answers go through the model together (the batch counts
// pairs), and GRPO and PPO of answers that the model writes inside the step (the batch counts answers). All have a frozen reference, which is
// the model without its adapters where these alone are trained. PPO also has a frozen reward model and a value model that is trained with it, both like
// the model with a head of one number.
var Objectives = []string{"dpo", "grpo", "ppo"}

// Writes reports whether the model writes what it is trained on.
func (o *Options) Writes() bool { return o.Objective == "grpo" || o.Objective == "ppo" }

// MaxCompletion is how many tokens an answer has at the most.
const MaxCompletion = 1 << 20

// sequences is how many sequences go through the model at once for a batch.
func (o *Options) sequences(batch int64) int64 {
	if o.Objective == "dpo" {
		return times(2, batch)
	}
	return batch
}

// completion is how many tokens of a sample the model writes: half of them where nothing is said.
func (o *Options) completion(res *infer.Result) int64 {
	length := tokensOf(res)
	if o.Completion > 0 {
		return min(o.Completion, max(1, length-1))
	}
	return max(1, length/2)
}

// others are the models that an objective has beside the one in training, where it has them.
type others struct {
	reference reference
	value     autograd.Account
}

// othersOf follows them, before the model in training: the tape of that is read until the end.
func (r *Room) othersOf(res *infer.Result, o Options) (with others) {
	if o.Objective != "" {
		with.reference = r.reference(res, &o)
	}
	if o.Objective == "ppo" {
		with.value = r.valueAccount(res, o)
	}
	return with
}

// beside is what a step of an objective holds beside training: models, with the gradients and states of one that is trained, and by how much the
// peak grows beyond all of them.
type beside struct{ weights, gradients, states, more int64 }

func (b *beside) sum() int64 { return plus(b.weights, b.gradients, b.states, b.more) }

// beside finds it. The reference of DPO reads while what the model saved is there; of others before.
func (with *others) beside(o *Options, a *autograd.Account) (b beside) {
	if o.Objective == "" {
		return b
	}
	ref := &with.reference
	if o.Adapt == nil || o.Adapt.LoRA == nil {
		b.weights = ref.weights
	}
	most := plus(a.Kept, ref.most)
	if o.Writes() {
		most = plus(a.Held[autograd.Weights], a.Held[autograd.States], ref.most)
	}
	trained := a.Most()
	if o.Objective == "ppo" {
		v := &with.value
		b.weights, b.gradients, b.states = plus(b.weights, times(2, v.Held[autograd.Weights])), v.Held[autograd.Gradients], v.Held[autograd.States]
		own := v.Held[autograd.Weights] + v.Held[autograd.States]
		// Its graph is the later one, and goes back first; what it leaves is its gradients.
		trained = max(a.Kept+max(v.Forward, v.Backward)-own, max(a.Forward, a.Backward)+v.Held[autograd.Gradients], a.Step+v.Step-own)
	}
	b.more = max(most, trained) - a.Most() - b.gradients
	return b
}

// usePrecision is the precision in which a model in training is used.
func usePrecision(precision string) string {
	if precision == "bf16" {
		return "bf16"
	}
	return "fp32"
}

// lastOf puts a slice of the last positions in front of the map to the logits.
func lastOf(res *infer.Result, g *graph.Graph, positions int64) {
	first := map[string]int{} // connection into each component
	for k := range g.Connections {
		if to := g.Connections[k].To; to != "" {
			if _, found := first[to]; !found {
				first[to] = k
			}
		}
	}
	for _, i := range mapsToLogits(res) {
		n := &res.Nodes[i]
		if n.Out.Rank() < 2 {
			continue
		}
		slice := graph.Component{ID: n.Component.ID + "/last", Type: "slice"}
		slice.SetParam("dim", graph.IntValue(1))
		slice.SetParam("start", graph.IntValue(-positions))
		if k, found := first[n.Component.ID]; found {
			g.Connections = append(g.Connections, graph.Connection{From: g.Connections[k].From, To: slice.ID})
			g.Connections[k].From = slice.ID
		}
		g.Components = append(g.Components, slice)
	}
}

// objectiveText says what a step does beside training.
func (t *Training) objectiveText() string {
	switch o := &t.Options; o.Objective {
	case "dpo":
		return ", DPO of pairs, whose time is without the reference and of one answer each"
	case "grpo", "ppo":
		return ", " + strings.ToUpper(o.Objective) + " of answers of " + strconv.FormatInt(t.completion, 10) + " tokens, whose time is without other models and generation"
	}
	return ""
}
