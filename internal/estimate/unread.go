package estimate

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// spent is the unit of what a component keeps whose result goes nowhere: it is freed with the results of the forward pass.
const spent = -1

// neverRead reports whether a component is a tensor of the model that nothing reads: no copy of it is made for a sample.
func neverRead(res *infer.Result, i int) bool {
	return res.Nodes[i].Type.Has(catalog.IsTensor) && len(res.Wiring.Outputs(i)) == 0
}

// findUnread finds components of transformers' models whose results reach no output: a pooler beside the features that a classifier
// reads, or a tensor that this use of the class leaves alone. No gradient comes to their weights, and so no optimizer keeps states for them.
func (s *stepper) findUnread() {
	s.unread = s.room.bools.Make(len(s.res.Nodes))
	found := false
	for p := len(s.order) - 1; p >= 0; p-- {
		i := s.order[p]
		n := &s.res.Nodes[i]
		if n.Type.Has(catalog.IsVirtual) {
			found = found || len(n.In) > 0
			continue
		}
		s.unread[i] = s.how[i].has(transformers) && s.goesNowhere(i)
	}
	for i := range s.unread {
		s.unread[i] = s.unread[i] && found
		if s.unread[i] {
			s.shares[i] = share{}
		}
		if s.passing == nil && (s.unread[i] || s.how[i].has(detached)) {
			s.passing = s.room.int64s.Make(len(s.order))
		}
	}
}

// isUnread reports whether a component is one of them; a model that is only used has none.
func (s *stepper) isUnread(i int) bool { return s.unread != nil && s.unread[i] }

// goesNowhere reports whether all that read a component's result are unread themselves.
func (s *stepper) goesNowhere(i int) bool {
	for _, j := range s.res.Wiring.Outputs(i) {
		if s.at[j] < 0 || !s.unread[j] {
			return false
		}
	}
	return true
}

// keptFor is the unit that what the component at a position keeps belongs to.
func (s *stepper) keptFor(p int) int32 {
	if i := s.order[p]; !s.unread[i] {
		return s.unitOf(i)
	}
	return spent
}

// hold lets a result that the model's code has a name for live until the forward pass ends.
func (s *stepper) hold(i int) {
	if s.how[i].has(held) {
		s.last[s.source(i)] = int32(len(s.order) - 1)
	}
}
