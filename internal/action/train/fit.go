package train

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/fit/data"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/rules"
)

// against is what the dataset refuses, and what the trainer cannot train.
func (r *Request) against(s *action.Study) (blocks, warns []action.Finding) {
	input, wrong := r.input(s)
	seen := map[string]bool{}
	for _, f := range data.Judge(s.Walked, r.Dataset.Facts()).Findings {
		if f.Severity == rules.Block {
			blocks, seen[f.Rule] = append(blocks, check.OfData(f)), true
		} else {
			warns = append(warns, check.OfData(f))
		}
	}
	if wrong && !seen["data-channels"] && !seen["data-image-size"] && !seen["data-columns"] {
		blocks = slices.Insert(blocks, 0, input)
	}
	if f, wrong := r.output(s); wrong && !seen["data-labels"] {
		blocks = append(blocks, f)
	}
	if f, wrong := unknown(s); wrong {
		blocks = append(blocks, f)
	}
	if len(blocks) == 0 && s.Runs() && r.Exports != nil {
		err := r.Exports(r)
		r.Exports = nil // once is enough
		if err != nil {
			blocks = append(blocks, action.Finding{Stage: action.Train, Severity: rules.Block, Title: "No PyTorch file can be made of the model", Detail: err.Error()})
		}
	}
	return blocks, warns
}

// input wants one input of floats with the shape of a sample: the trainer feeds samples as they are, and the plan is that of the shape
// which the graph declares.
func (r *Request) input(s *action.Study) (action.Finding, bool) {
	f := action.Finding{Stage: action.Data, Severity: rules.Block, Title: "The model does not take the samples of the dataset"}
	sample := catalog.Shape(r.Dataset.Shape)
	reads := nodes(s, infer.InputID)
	switch {
	case len(reads) == 0:
		return f, false // a rule says so
	case len(reads) > 1:
		f.Detail = quantity.Sprintf("the model has %d inputs, and a sample of %s is one tensor of %s", len(reads), r.Dataset.Name, sample)
	case reads[0].OutIsInt:
		f.Detail = "the model reads integers, and a sample of " + r.Dataset.Name + " is " + sample.String() + " of floats"
	case reads[0].Out != nil && !reads[0].Out.Equal(sample):
		f.Detail = "a sample of " + r.Dataset.Name + " is " + sample.String() + " and the model takes " + reads[0].Out.String()
	default:
		return f, false
	}
	f.Component = reads[0].Component.ID
	return f, true
}

// output wants one row of logits for each sample, as cross-entropy over the dataset's classes does.
func (r *Request) output(s *action.Study) (action.Finding, bool) {
	f := action.Finding{Stage: action.Data, Severity: rules.Block, Title: "The model does not give logits for the classes of the dataset"}
	gives := nodes(s, "output")
	switch {
	case len(gives) == 0 || !s.Runs():
		return f, false // a rule says so, or what comes out is not known
	case len(gives) > 1:
		f.Detail = quantity.Sprintf("the model has %d outputs, and cross-entropy takes the logits of one", len(gives))
	case gives[0].Out != nil && (len(gives[0].Out) != 1 || gives[0].Out[0] < r.Dataset.Classes):
		f.Detail = quantity.Sprintf("cross-entropy over the %d classes of %s takes [%d] for each sample, and the model gives %s", r.Dataset.Classes, r.Dataset.Name,
			r.Dataset.Classes, gives[0].Out)
	default:
		return f, false
	}
	f.Component = gives[0].Component.ID
	return f, true
}

// unknown refuses what only its author can compute: the PyTorch file would hold a place for it, and train something else.
func unknown(s *action.Study) (action.Finding, bool) {
	var open []string
	for i := range s.Walked.Nodes {
		n := &s.Walked.Nodes[i]
		if n.Type != nil && n.Type.Has(catalog.IsOpaque) || n.State == infer.Withheld {
			open = append(open, n.Component.Label())
		}
	}
	if len(open) == 0 {
		return action.Finding{}, false
	}
	const most = 5
	names := strings.Join(open[:min(most, len(open))], ", ")
	if len(open) > most {
		names += quantity.Sprintf(" and %d more", len(open)-most)
	}
	return action.Finding{Stage: action.Train, Severity: rules.Block, Title: "What a component computes is not known",
		Detail: "the graph does not say what " + names + " computes, so that no PyTorch file of it can be trained"}, true
}

// nodes are the components of a type that take part in the call.
func nodes(s *action.Study, typ string) (found []*infer.Node) {
	for i := range s.Walked.Nodes {
		if n := &s.Walked.Nodes[i]; n.Type != nil && n.Type.ID == typ && n.State != infer.Absent {
			found = append(found, n)
		}
	}
	return found
}

func contains(names []string, name string) bool { return slices.Contains(names, name) }
