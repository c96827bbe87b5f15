package nn

import (
	"cmp"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/transformers"
)

// Experts is a mixture of experts.
type Experts struct {
	Dim, Count, TopK, Hidden int64
	Plain                    bool   // two projects in an expert, not three
	Bias, RouterBias         bool   // of the experts' projections; of the router
	Shared                   int64  // width of the network that every token visits, 0: none
	SharedGate               string // name of the projection that scales it, where there is one
	SharedName               string // shared_experts where empty
	Router                   string // gate where empty
	// name of a trained vector, one number an expert, that the router adds to its scores
	ScoreBias  string
	ScoreAxes  []int64               // the shape of that vector where it has more axes
	Run        transformers.Dispatch // how positions come to their experts
	WideRouter bool                  // the router multiplies 32-bit copies
	Rectified  bool                  // the activation of experts without a gate saves its result alone
	// lists the experts' tensors; where nil, as transformers 5 stacks them
	List func(m *build.Build, e Experts)
}

// AddExperts adds one component for router and experts, and one for the shared network, at a place.
func AddExperts(b *build.Build, x build.Node, name string, e Experts) build.Node {
	m := b.Scope("%s", name)
	e.Router, e.SharedName = cmp.Or(e.Router, "gate"), cmp.Or(e.SharedName, "shared_experts")
	args := build.Args{build.Int("embedDim", e.Dim), build.Int("numExperts", e.Count), build.Int("topK", e.TopK),
		build.Int("expertDim", e.Hidden)}
	if e.Plain {
		args = append(args, build.Flag("gated", false))
	}
	if e.Bias {
		args = append(args, build.Flag("bias", true))
	}
	if e.RouterBias {
		args = append(args, build.Flag("routerBias", true))
	}
	if b.Has("router_aux_loss_coef") {
		args = append(args, build.Num("auxLossCoef", b.Float("router_aux_loss_coef")))
	}
	y := m.Add("moeLayer", "", args, x)
	build.Written(m, y, func(x *transformers.Experts) {
		x.Run, x.Rectified, x.WideRouter = e.Run, e.Rectified, x.WideRouter || e.WideRouter
	})
	if e.List == nil {
		build.Activated(m, y)
	}
	m.Weights(e.Router, e.RouterBias, e.Count, e.Dim)
	if e.List != nil {
		e.List(m, e)
	} else {
		Stacked(m, e)
	}
	if e.ScoreBias != "" {
		scoreBias(m, y, e)
	}
	if e.Shared == 0 {
		return y
	}
	s := GatedMLP(m, x, e.SharedName, Gated{Dim: e.Dim, Hidden: e.Shared, Act: "silu"})
	if e.SharedGate != "" {
		gate := m.Add("sigmoid", e.SharedGate, nil, m.Linear(x, e.SharedGate, e.Dim, 1, false))
		s = m.Add("multiply", e.SharedName, nil, gate, s)
	}
	return m.Residual(y, s)
}

// Stacked lists the tensors of all experts as transformers 5 keeps them: one tensor for each projection.
func Stacked(b *build.Build, e Experts) {
	first, width := "experts.gate_up_proj", 2*e.Hidden
	if e.Plain {
		first, width = "experts.up_proj", e.Hidden
	}
	b.Tensor(first, e.Count, width, e.Dim)
	b.Tensor("experts.down_proj", e.Count, e.Dim, e.Hidden)
	if e.Bias {
		b.Tensor(first+"_bias", e.Count, width)
		b.Tensor("experts.down_proj_bias", e.Count, e.Dim)
	}
}

// scoreBias turns the trained vector into the router's bias, which has its size and its place in the sum.
func scoreBias(b *build.Build, experts build.Node, e Experts) {
	if e.RouterBias {
		config.Fail(config.CodeConfig, b.PathOf(""), "a router with a bias and a bias of its scores is not modelled")
	}
	b.Set(experts, "routerBias", build.Flag("", true).Value)
	if e.ScoreAxes == nil {
		e.ScoreAxes = []int64{e.Count}
	}
	b.Tensor(e.ScoreBias, e.ScoreAxes...)
}
