package hf

// Experts is a mixture of experts.
type Experts struct {
	Dim, Count, TopK, Hidden int64
	Plain                    bool                      // two maps in an expert, not three
	Bias, RouterBias         bool                      // of the experts' maps; of the router
	Shared                   int64                     // width of the network that every token visits, 0: none
	SharedGate               string                    // name of the map that scales it, where there is one
	SharedName               string                    // shared_experts where empty
	Router                   string                    // gate where empty
	ScoreBias                string                    // name of a trained vector, one number an expert, that the router adds to its scores
	ScoreAxes                []int64                   // the shape of that vector where it has more axes
	How                      string                    // how they are written, where that is not the usual way
	List                     func(m *Build, e Experts) // lists the experts' tensors; where nil, as transformers 5 stacks them
}

// Experts adds one component for router and experts, and one for the shared network, at a place.
func (b *Build) Experts(x Node, name string, e Experts) Node {
	m := b.Scope("%s", name)
	e.Router, e.SharedName = or(e.Router, "gate"), or(e.SharedName, "shared_experts")
	args := Args{Int("embedDim", e.Dim), Int("numExperts", e.Count), Int("topK", e.TopK), Int("expertDim", e.Hidden)}
	if e.Plain {
		args = append(args, Flag("gated", false))
	}
	if e.Bias {
		args = append(args, Flag("bias", true))
	}
	if e.RouterBias {
		args = append(args, Flag("routerBias", true))
	}
	if b.Has("router_aux_loss_coef") {
		args = append(args, Num("auxLossCoef", b.Float("router_aux_loss_coef")))
	}
	y := m.Add("moeLayer", "", args, x)
	if e.How != "" {
		m.way(y, e.How)
	}
	m.weights(e.Router, e.RouterBias, e.Count, e.Dim)
	if e.List != nil {
		e.List(m, e)
	} else {
		m.stacked(e)
	}
	if e.ScoreBias != "" {
		m.scoreBias(y, e)
	}
	if e.Shared == 0 {
		return y
	}
	s := m.Gated(x, e.SharedName, Gated{Dim: e.Dim, Hidden: e.Shared, Act: "silu"})
	if e.SharedGate != "" {
		gate := m.Add("sigmoid", e.SharedGate, nil, m.Linear(x, e.SharedGate, e.Dim, 1, false))
		s = m.Add("multiply", e.SharedName, nil, gate, s)
	}
	return m.Residual(y, s)
}

// stacked lists the tensors of all experts as transformers 5 keeps them: one tensor for each map.
func (b *Build) stacked(e Experts) {
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
func (b *Build) scoreBias(experts Node, e Experts) {
	if e.RouterBias {
		fail(CodeConfig, b.path, "a router with a bias and a bias of its scores is not modelled")
	}
	b.Set(experts, "routerBias", Flag("", true).Value)
	if e.ScoreAxes == nil {
		e.ScoreAxes = []int64{e.Count}
	}
	b.Tensor(e.ScoreBias, e.ScoreAxes...)
}
