package estimate

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/op"
)

// starter counts what the two passes of a step start, component by component.
type starter struct {
	res    *infer.Result
	o      Options
	how    []implementation
	shares []share // what of each component's weights is trained
	trains []bool  // whether a component's result depends on a weight, so that a gradient is computed for it

	lowering catalog.Lowering

	kernels, scattered, units int64
	foreign                   bool // it has modules of transformers
	dropless                  bool // there is dropout of a config that is not counted
}

// starts counts what a run starts.
func starts(res *infer.Result, o Options) *starter {
	size := len(res.Nodes)
	s := &starter{res: res, o: o, lowering: catalog.Lowering{P: &op.Program{}}, how: implementations(res, make([]implementation, size)), shares: shares(res, o.Adapt, make([]share, size))}
	for i := range res.Nodes {
		s.foreign = s.foreign || s.how[i].has(transformers)
		if !o.Dropout {
			s.dropless = s.dropless || s.how[i].has(dropped) || s.how[i].has(transformers) && known(&res.Nodes[i]) && res.Nodes[i].Type.Has(catalog.IsDropout)
			s.how[i] &^= dropped
		}
		if s.how[i].has(detached) || s.how[i].has(frozen) {
			s.shares[i] = share{}
		}
	}
	s.leaveUnread()
	s.findTrained()
	for _, i := range res.Wiring.Order {
		switch {
		case !known(&res.Nodes[i]):
		case s.trains[i]:
			s.kernels, s.scattered = plus(s.kernels, s.starts(i)), plus(s.scattered, s.scatters(i))
		default: // it runs forward only
			s.kernels = plus(s.kernels, s.starts(i)/3)
		}
	}
	if o.Checkpointing {
		s.countUnits()
	}
	return s
}

// leaveUnread finds components of transformers' models whose results reach no output. No gradient comes to their weights.
func (s *starter) leaveUnread() {
	unread, found := make([]bool, len(s.res.Nodes)), false
	order := s.res.Wiring.Order
	for p := len(order) - 1; p >= 0; p-- {
		i := order[p]
		n := &s.res.Nodes[i]
		switch {
		case !known(n):
		case n.Type.Has(catalog.IsVirtual):
			found = found || len(n.In) > 0
		default:
			unread[i] = s.how[i].has(transformers)
			for _, j := range s.res.Wiring.Outputs(i) {
				unread[i] = unread[i] && unread[j]
			}
		}
	}
	for i := range unread {
		if found && unread[i] {
			s.shares[i] = share{}
		}
	}
}

// findTrained finds the components whose results depend on a weight that is trained.
func (s *starter) findTrained() {
	s.trains = make([]bool, len(s.res.Nodes))
	for _, i := range s.res.Wiring.Order {
		n := &s.res.Nodes[i]
		if !known(n) || n.OutIsInt || s.how[i].has(detached) || s.how[i].has(ungraded) {
			continue
		}
		s.trains[i] = len(trainedNode(n, s.shares[i], s.o.Adapt).Weights) > 0
		for _, j := range s.res.Wiring.Inputs(i) {
			s.trains[i] = s.trains[i] || s.trains[j] && !n.Type.Has(catalog.IsTensor)
		}
	}
}

// countUnits counts what checkpointing computes again together.
func (s *starter) countUnits() {
	name, seen := unitName(s.res), map[string]bool{}
	for _, i := range s.res.Wiring.Order {
		if n := &s.res.Nodes[i]; known(n) && n.Component != nil {
			if layer, part := name(n); layer != "" {
				seen[layer+part] = true
			}
		}
	}
	s.units = int64(len(seen))
}

// skips reports whether a component is dropout that does nothing: where a config's probabilities are not asked for.
func (s *starter) skips(i int) bool {
	return s.res.Nodes[i].Type.Has(catalog.IsDropout) && !s.o.Dropout && s.how[i].has(transformers)
}
