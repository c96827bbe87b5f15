package action

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// DefaultSeqLen is the number of tokens of a sample where nothing else is said and the model does not take fewer.
const DefaultSeqLen = 2048

// Length is how many tokens a sample of text has. The zero Length is that of a model that reads no tokens.
type Length struct {
	Own  int64 // as the graph declares it
	Used int64 // in the estimates
	Kept int64 // a length that was to be used and at which the model does not run; 0 where there is none
}

// atLength walks the model at another length: the first axis of every input of tokens is replaced. A model that does not run
// at that length, or does not run at all, keeps its own.
func (s *Study) atLength(asked int64) (*infer.Result, Length) {
	inputs := s.tokenInputs()
	if len(inputs) == 0 {
		return s.Walked, Length{}
	}
	own := s.Walked.Nodes[inputs[0]].Out[0]
	l := Length{Own: own, Used: own}
	wanted := asked
	if asked == 0 {
		wanted = min(own, DefaultSeqLen)
	}
	var resized *graph.Graph
	for _, i := range inputs {
		shape := s.Walked.Nodes[i].Out
		length := wanted
		if asked == 0 {
			length = min(shape[0], DefaultSeqLen)
		}
		if length != shape[0] {
			if resized == nil {
				resized = s.Graph.Clone()
			}
			resized.Components[i].SetParam("shape", graph.IntsValue(append([]int64{length}, shape[1:]...)...))
		}
	}
	if resized == nil {
		return s.Walked, l
	}
	if s.Runs() {
		if res := infer.Walk(resized); len(res.Refusals) == 0 {
			l.Used = wanted
			return res, l
		}
	}
	l.Kept = wanted
	return s.Walked, l
}

// RunsAt reports whether the model runs with samples of so many tokens.
func (s *Study) RunsAt(tokens int64) bool {
	_, l := s.atLength(tokens)
	return l.Kept == 0
}

// tokenInputs returns the inputs that an embedding reads, by position.
func (s *Study) tokenInputs() []int {
	var out []int
	for i := range s.Walked.Nodes {
		n := &s.Walked.Nodes[i]
		if n.Type == nil || n.Type.ID != infer.InputID || !n.OutIsInt || len(n.Out) == 0 {
			continue
		}
		for _, j := range s.Walked.Wiring.Outputs(i) {
			if s.Walked.Nodes[j].Type.Has(catalog.IsEmbedding) {
				out = append(out, i)
				break
			}
		}
	}
	return out
}
