package action

import (
	"slices"

	"github.com/modelverifier/verifier/internal/fit/facts"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// DefaultSeqLen is the number of tokens of a sample where nothing else is said and the model does not take fewer.
const DefaultSeqLen = 2048

// Length is how many tokens a sample of text has. The zero Length is that of a model that reads no tokens.
type Length struct {
	Own  int64 // as the graph declares it
	Used int64 // in the estimates
	Kept int64 // a length that was to be used, where the model's own was kept; 0 where there is none
	Runs bool  // whether the model may run at Kept, and only its cost there is not known
}

// Sentence says how long a sample is and, where it is not as long as it was to be, why.
func (l Length) Sentence() string {
	text := quantity.Sprintf("%s tokens a sample", quantity.Grouped(l.Used))
	if l.Used == 1 {
		text = "1 token a sample"
	}
	switch {
	case l.Kept > 0 && l.Runs:
		text += ", the graph's own length, because what some of its modules cost at " + quantity.Grouped(l.Kept) + " is not known"
	case l.Kept > 0:
		text += ", the graph's own length, because it does not run at " + quantity.Grouped(l.Kept)
	}
	return text
}

// atLength walks the model with another number of tokens in a sample; without one that is asked for, with the default. A model that does
// not run at that length, or does not run at all, keeps its own, and so does one with modules whose cost is declared at its own:
// half of it would be priced at the one length and half at the other.
func (s *Study) atLength(asked int64) (*infer.Result, Length) {
	inputs := facts.Tokens(s.Walked)
	if len(inputs) == 0 {
		return s.Walked, Length{}
	}
	wanted := func(own int64) int64 {
		if asked == 0 {
			return min(own, DefaultSeqLen)
		}
		return asked
	}
	own := s.Walked.Nodes[inputs[0]].Out[0]
	l := Length{Own: own, Used: own}
	if !slices.ContainsFunc(inputs, func(i int) bool { n := s.Walked.Nodes[i].Out[0]; return n != wanted(n) }) {
		return s.Walked, l
	}
	if s.Runs() {
		res, _, runs := facts.Resized(s.Walked, wanted)
		if runs == facts.Yes && !facts.Declares(s.Walked) {
			l.Used = wanted(own)
			return res, l
		}
		l.Runs = runs != facts.No
	}
	l.Kept = wanted(own)
	return s.Walked, l
}

// RunsAt reports whether the model runs with samples of so many tokens, as far as it is known.
func (s *Study) RunsAt(tokens int64) bool {
	_, l := s.atLength(tokens)
	return l.Kept == 0 || l.Runs
}
