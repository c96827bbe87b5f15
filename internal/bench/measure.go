package bench

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

// measured is a design of a family, looked at as an answer would be: budgets are made of what a design takes.
func measured(d *design) *subject {
	g, err := graph.Decode(d.json(), "model", Limits) // as an answer is read
	if err != nil {
		return nil
	}
	return examine(&Task{}, nil, g)
}

// begun is a design as a start, and another as an answer to it.
func begun(start, answer *design) *subject {
	s := measured(answer)
	if s == nil {
		return nil
	}
	s.start = start.Clone()
	s.start.Normalize(catalog.Vocabulary)
	s.olds = indexOf(s.start)
	return s
}

// mostShare is the share of the weights that the largest component holds, in percent, rounded up.
func (s *subject) mostShare() int64 {
	most := int64(0)
	for i := range s.walked.Nodes {
		most = max(most, s.walked.Nodes[i].Params)
	}
	return (100*most + s.walked.Params - 1) / max(1, s.walked.Params)
}

// percent is a share of a number, without overflow for the numbers of models.
func percent(n int64, share int64) int64 { return n/100*share + n%100*share/100 }

// largest is a bound on the share of one component, a little above that of a design.
func largest(s *subject, room int64) int64 { return min(99, max(25, s.mostShare()+room)) }
