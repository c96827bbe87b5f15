// Package fix turns findings into changes of the files that a model is read from.
//
// It is deterministic: a finding and the source give candidates, and a candidate is a patch only after the source was read and judged
// again with it. What is not certain is listed as a choice, or left. Nothing is written, run or kept, and no network is reached.
package fix

import (
	"context"
	"io/fs"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/patch"
)

// Request is what is to be mended.
type Request struct {
	Files    []patch.File // that may be changed
	Rest     fs.FS        // what may be read beside them, by the same names; nil for nothing
	Targets  []Target
	Findings []Wanted // empty for all that block
	Max      int      // patches, at most; 0 for no bound

	// Judge is what a model is checked for beside the model itself: policy, data, layout. Its Model is not looked at.
	Judge check.Request
	// Limits bound graphs; the zero value is that of the command line.
	Limits graph.Limits
}

// Target is a model among the files.
type Target struct {
	Path   string            // of a file
	Symbol string            // of a PyTorch source: the class or function
	Args   map[string]string // of that
	Inputs []string          // of its forward, as --input takes them
	// Command is a launch command of a serving engine, which is judged with the model at Path and may be changed itself.
	Command string
}

// Name is how a target is named to a person.
func (t Target) Name() string {
	if t.Symbol == "" {
		return t.Path
	}
	return t.Path + ":" + t.Symbol
}

// Wanted names findings by what is known of them; an empty field fits every finding.
type Wanted struct{ Title, Detail, Stage string }

func (w Wanted) fits(f *action.Finding) bool {
	return (w.Title == "" || w.Title == f.Title) && (w.Detail == "" || w.Detail == f.Detail) && (w.Stage == "" || w.Stage == f.Stage)
}

// Patch is a change of one file that mends findings.
type Patch struct {
	Path          string
	Edits         []patch.Edit // of the files as they were sent
	Diff          string
	FindingTitles []string
	Findings      []action.Finding
	Target        string
	Line          int // the first that is changed
	Why           string
	// Proved is whether everything was read and judged again with this and all other patches made, the findings are gone and none is new.
	Proved                    bool
	ParamsBefore, ParamsAfter int64 // -1 where they are not known
}

// Choice is a finding that several changes would mend, none of which is certain.
type Choice struct {
	Finding action.Finding
	Target  string
	Why     string
	Options []Option
}

// Option is one of them. Each was proved for itself.
type Option struct {
	Path        string
	Line        int
	Edits       []patch.Edit
	Diff        string
	Why         string
	ParamsAfter int64
}

// Left is a finding without a patch.
type Left struct {
	Finding action.Finding
	Target  string
	Why     string
}

// Dropped is a change that was tried and disproved.
type Dropped struct {
	Path, Change, Why string
	Line              int
}

// Result is what came of a request.
type Result struct {
	Patches []Patch
	Choices []Choice
	Left    []Left
	Dropped []Dropped
	// Files are those that were sent, with all patches made.
	Files []patch.File
}

// Propose mends what it is certain of.
func Propose(ctx context.Context, r Request) (Result, error) {
	p, err := open(ctx, &r)
	if err != nil {
		return Result{}, err
	}
	out := Result{Files: r.Files}
	for i := range r.Targets {
		if err := p.mend(&r.Targets[i], &out); err != nil {
			return Result{}, err
		}
	}
	return out, p.together(&out)
}
