// Package fix turns findings into changes of the files that a model is read from.
//
// It is deterministic: a finding and the source give candidates, and a candidate is a patch only after the source was read and judged
// again with it. What is not certain is listed as a choice, or left. Nothing is written, run or kept, and no network is reached.
package fix

import (
	"context"
	"io/fs"
	"slices"

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
	// SitePackages is a folder of installed packages that it imports from, "" for none. Only the command line gives it.
	SitePackages string
	// Command is a file with the launch command of a serving engine, which is judged with the model and may be changed: a shell script, a
	// Docker Compose file or a Kubernetes manifest. Cards and version are those of Judge.Serve; "" for none.
	Command string
	Judge   *check.Request // in place of that of the request; nil for that
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
	Path          string           `json:"path"`
	Edits         []patch.Edit     `json:"-"` // of the files as they were sent
	Diff          string           `json:"diff"`
	FindingTitles []string         `json:"-"`
	Findings      []action.Finding `json:"findings"`
	Target        string           `json:"target"`
	Line          int              `json:"line"` // the first that is changed
	Why           string           `json:"why"`
	// Proved is whether everything was read and judged again with this and all other patches made, the findings are gone and none is new.
	Proved       bool  `json:"proved"`
	ParamsBefore int64 `json:"paramsBefore"` // -1 where they are not known
	ParamsAfter  int64 `json:"paramsAfter"`
}

// Argument is a finding that is mended by another argument of the caller's, and by no change of a file.
type Argument struct {
	Finding      action.Finding `json:"finding"`
	Target       string         `json:"target"`
	Name         string         `json:"name"`
	Was          string         `json:"was"`
	Value        string         `json:"value"`
	ParamsBefore int64          `json:"paramsBefore"`
	ParamsAfter  int64          `json:"paramsAfter"`
}

// Choice is a finding that several changes would mend, none of which is certain.
type Choice struct {
	Finding action.Finding `json:"finding"`
	Target  string         `json:"target"`
	Why     string         `json:"why"`
	Options []Option       `json:"options"`
}

// Option is one of them. Each was proved for itself.
type Option struct {
	Path        string       `json:"path"`
	Line        int          `json:"line"`
	Edits       []patch.Edit `json:"-"`
	Diff        string       `json:"diff,omitempty"`
	Why         string       `json:"why"`
	ParamsAfter int64        `json:"paramsAfter"`
}

// Left is a finding without a patch.
type Left struct {
	Finding action.Finding `json:"finding"`
	Target  string         `json:"target"`
	Why     string         `json:"why"`
}

// Dropped is a change that was tried and disproved.
type Dropped struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Change string `json:"change"`
	Why    string `json:"why"`
}

// Result is what came of a request.
type Result struct {
	Patches   []Patch    `json:"patches"`
	Arguments []Argument `json:"arguments"`
	Choices   []Choice   `json:"choices"`
	Left      []Left     `json:"left"`
	Dropped   []Dropped  `json:"dropped"`
	// Unread are the targets that could not be read, with why: nothing is known of them.
	Unread map[string]string `json:"unread"`
	// Files are those that were sent, with all patches made.
	Files []patch.File `json:"-"`
}

// Propose mends what it is certain of.
func Propose(ctx context.Context, r Request) (Result, error) {
	r.Targets = slices.Clone(r.Targets)
	p, err := open(ctx, &r)
	if err != nil {
		return Result{}, err
	}
	out := Result{Patches: []Patch{}, Arguments: []Argument{}, Choices: []Choice{}, Left: []Left{}, Dropped: []Dropped{}, Unread: map[string]string{}, Files: r.Files}
	for i := range r.Targets {
		if err := p.mend(&r.Targets[i], &out); err != nil {
			return Result{}, err
		}
	}
	return out, p.together(&out)
}
