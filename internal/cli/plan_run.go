package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/load"
	"github.com/modelverifier/verifier/internal/runfile"
)

// runFileFlags declares the run as a file.
func runFileFlags(c *cobra.Command) {
	c.Flags().String("run", "", "read the run from the configuration `file` of a trainer; flags override it")
	c.Flags().String("trainer", "", "whose file --run names: `one` of "+strings.Join(runfile.Trainers(), ", ")+"; without it the keys tell")
	offer(c, "trainer", runfile.Trainers()...)
	each := c.RunE
	c.Args = func(cmd *cobra.Command, args []string) error {
		if given(cmd, "run") == "" {
			return cobra.MinimumNArgs(1)(cmd, args)
		}
		return nil
	}
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			report, err := runOf(cmd)
			if err != nil {
				return err
			}
			model, err := modelOf(cmd, report)
			if err != nil {
				return err
			}
			args = []string{model}
		}
		return each(cmd, args)
	}
}

// runOf reads the file that --run names, nil where it names none. A file that contradicts itself is refused with all that does.
func runOf(cmd *cobra.Command) (*runfile.Report, error) {
	name := given(cmd, "run")
	if name == "" {
		if cmd.Flags().Changed("trainer") {
			return nil, errors.New("--trainer needs --run")
		}
		return nil, nil
	}
	data, err := readAll(cmd, name)
	if err != nil {
		return nil, err
	}
	open := func(other string) ([]byte, error) {
		if name == stdin || filepath.IsAbs(other) {
			return nil, errors.New("only files beside it are read")
		}
		data, err := readFound(filepath.Dir(name), filepath.Clean(other), false)
		if errors.Is(err, fs.ErrNotExist) { // trainers start where the command is run
			return readFound(".", filepath.Clean(other), false)
		}
		return data, err
	}
	report, err := runfile.Parse(name, data, runfile.Options{Trainer: given(cmd, "trainer"), Open: open})
	if err != nil {
		return nil, err
	}
	var refused []string
	for _, f := range report.Blocked() {
		refused = append(refused, findingLine(report, &f))
	}
	if len(refused) > 0 {
		return nil, errors.New(strings.Join(refused, "\n"))
	}
	return report, nil
}

// findingLine is a finding of a run's file on one line.
func findingLine(r *runfile.Report, f *runfile.Finding) string {
	file := f.File
	if file == "" {
		file = r.File
	}
	if f.Line > 0 {
		file = fmt.Sprintf("%s:%d", file, f.Line)
	}
	line := file + ": " + f.Message
	if f.Fix != "" {
		line += "; " + f.Fix
	}
	return line
}

// modelOf is the model that a run's file names: a path that is here, or a bundled model of that name.
func modelOf(cmd *cobra.Command, r *runfile.Report) (string, error) {
	if r.Run.Model == nil {
		return "", fmt.Errorf("%s names no model: give one beside it, as verifier plan --run %s MODEL", r.File, r.File)
	}
	ref := r.Run.Model.Value
	if _, err := os.Stat(ref); err == nil {
		return ref, nil
	}
	id := strings.ToLower(path.Base(filepath.ToSlash(ref)))
	if _, ok := load.Bundled(id); ok {
		if id != ref {
			note(cmd, fmt.Sprintf("%s names the model %s, which is not here: the bundled model %s is taken", r.File, ref, id))
		}
		return id, nil
	}
	return "", fmt.Errorf("%s: %s is %q, which is neither here nor a bundled model: give one beside it, as verifier plan --run %s MODEL",
		r.File, r.Run.Model.From, ref, r.File)
}

// runPlan is a plan of a run that a file says.
type runPlan struct {
	*plan.Result
	Run          *runfile.Report `json:"runFile"`
	NotEstimated []string        `json:"notEstimated"`
}

// applyRun puts what a file says of a run into the request, and returns what of it has no estimate.
func applyRun(q *plan.Request, r *runfile.Report) (notEstimated []string) {
	e := &estimated{run: r.Run, to: &q.Training}
	e.fill()
	if n, ok := e.tokens(); ok {
		q.SeqLen = n
	}
	return e.without
}

// checkRun refuses targets that the model does not have, at the key that has them.
func checkRun(q *plan.Request, r *runfile.Report) error {
	err := q.CheckNames(graph.LocalLimits)
	if err == nil || r == nil {
		return err
	}
	key := "adapters"
	for _, from := range []string{fromKey(r.Run.LoRA.Targets), fromKey(r.Run.LoRA.Pattern)} {
		if from != "" {
			key = from
		}
	}
	return fmt.Errorf("%s: %s: %w", r.File, key, err)
}

func fromKey[T any](s *runfile.Setting[T]) string {
	if s == nil {
		return ""
	}
	return s.From
}

// runText is what a plan says below about the file.
func runText(r *runfile.Report, without []string) string {
	var b strings.Builder
	row := func(label, text string) { fmt.Fprintf(&b, "%-12s%s\n", label, text) }
	keys := fmt.Sprintf("%s, read as a file of %s %s; keys: %d read, %d without effect on memory or time, %d not known", r.File,
		r.Run.Trainer, r.Run.Version, r.Count(runfile.Read), r.Count(runfile.NoEffect), r.Count(runfile.Unknown))
	row("run", keys)
	for i := range r.Findings {
		row("found", findingLine(r, &r.Findings[i]))
	}
	for _, w := range without {
		row("beware", "not estimated: "+w)
	}
	return b.String()
}
