package fix

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/patch"
	"github.com/modelverifier/verifier/internal/pythontest"
)

// sample is a class that runs in PyTorch, with how it is made and called.
type sample struct {
	file, name string // the file's name is unique among samples
	text       string
	args       map[string]string
	inputs     []string
	training   bool
	batch      int64 // 2 where it is 0
}

// Job is one run of testdata/run.py of the importer's tests.
type job struct {
	File     string            `json:"file"`
	Name     string            `json:"name"`
	Args     map[string]string `json:"args"`
	Inputs   []jobInput        `json:"inputs"`
	Training bool              `json:"training"`
	Batch    int64             `json:"batch"`
}

type jobInput struct {
	Shape []int64 `json:"shape"`
	DType string  `json:"dtype,omitempty"`
}

// ran is what PyTorch made of a source.
type ran struct {
	Params int64
	Output []int64
	Error  string
}

const torchTests = "../importer/torch/testdata"

// corpusSamples reads the classes that were written for the importer's tests. The last four depend on values or on chance.
func corpusSamples(t *testing.T) []sample {
	t.Helper()
	files, err := filepath.Glob(torchTests + "/corpus/*.py")
	if err != nil || len(files) == 0 {
		t.Fatal("no corpus", err)
	}
	var out []sample
	for _, f := range files {
		if slices.Contains([]string{"stochastic_resnet.py", "nano_gpt.py", "data_dependent.py", "switch_moe_sparse.py"}, filepath.Base(f)) {
			continue
		}
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		s := sample{file: filepath.Base(f), text: string(data), args: map[string]string{}, training: true}
		for line := range strings.Lines(s.text) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			switch key {
			case "# model":
				s.name = value
			case "# arg":
				k, v, _ := strings.Cut(value, "=")
				s.args[k] = v
			case "# input":
				s.inputs = strings.Split(strings.ReplaceAll(value, "scalar", ""), ", ")
			case "# evaluation":
				s.training = false
			}
		}
		if s.training {
			out = append(out, s)
		}
	}
	return out
}

// rowSamples reads measured classes of public repositories, whose files need nothing beside them: FIX_ROWS is a list of them, one JSON object a
// line, and FIX_REPOS the folder with the checkouts.
func rowSamples(t *testing.T, rows, repos string) []sample {
	t.Helper()
	data, err := os.ReadFile(rows)
	if err != nil {
		t.Fatal(err)
	}
	var out []sample
	for line := range strings.Lines(string(data)) {
		var row struct {
			Repo, File, Name, Device string
			Args                     map[string]string
			Inputs                   []string
			Runs                     bool
			Params                   int64
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(repos, strings.ReplaceAll(row.Repo, "/", "+"), row.File))
		if err != nil || !row.Runs || row.Device != "cpu" || row.Params == 0 || row.Params > 5e6 || len(row.Inputs) == 0 || strings.Contains(string(text), "from .") {
			continue
		}
		s := sample{file: fmt.Sprintf("s%d.py", len(out)), name: row.Name, text: string(text), args: row.Args, inputs: row.Inputs, training: true}
		req := s.request(s.text)
		p := project{ctx: context.Background(), Request: &req}
		p.Limits = graph.LocalLimits
		if p.judge(req.Files, &req.Targets[0]).clean() {
			out = append(out, s)
		}
	}
	return out
}

// allSamples are our classes and those of other repositories, where they are named.
func allSamples(t *testing.T) []sample {
	t.Helper()
	samples := corpusSamples(t)
	if rows := os.Getenv("FIX_ROWS"); rows != "" {
		samples = append(samples, rowSamples(t, rows, os.Getenv("FIX_REPOS"))...)
	}
	return samples
}

// run runs sources in PyTorch.
func run(t *testing.T, python string, samples []sample) []ran {
	t.Helper()
	dir := t.TempDir()
	var jobs []job
	for i, s := range samples {
		path := filepath.Join(dir, fmt.Sprintf("m%d.py", i))
		if err := os.WriteFile(path, []byte(s.text), 0o644); err != nil {
			t.Fatal(err)
		}
		j := job{File: path, Name: s.name, Args: s.args, Training: s.training, Batch: cmp.Or(s.batch, 2)}
		for _, in := range s.inputs {
			shape, dtype, _ := strings.Cut(in, ":")
			one := jobInput{DType: dtype}
			for _, n := range strings.Split(strings.TrimPrefix(shape, "1,"), "x") {
				var v int64
				if _, err := fmt.Sscan(n, &v); err == nil {
					one.Shape = append(one.Shape, v)
				}
			}
			j.Inputs = append(j.Inputs, one)
		}
		jobs = append(jobs, j)
	}
	raw, err := json.Marshal(jobs)
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "jobs.json")
	if err := os.WriteFile(list, raw, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, torchTests+"/run.py", list)
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1") // threads that wait for each other on a busy machine take ten times as long
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var out []ran
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func (s *sample) request(text string) Request {
	return Request{Files: []patch.File{{Path: s.file, Text: text}}, Targets: []Target{{Path: s.file, Symbol: s.name, Args: s.args, Inputs: s.inputs}}}
}

// mutant is a sample that was broken, and what became of it.
type mutant struct {
	sample
	how    breakage
	from   int // index of the sample
	result Result
	ran    ran // broken
	fixed  ran
}

// figures are the counts of a run, by kind of breakage.
type figures struct{ crash, blocked, placed, patched, good, inverse, chosen, wrong int }

func (f figures) plus(g figures) figures {
	return figures{f.crash + g.crash, f.blocked + g.blocked, f.placed + g.placed, f.patched + g.patched, f.good + g.good, f.inverse + g.inverse,
		f.chosen + g.chosen, f.wrong + g.wrong}
}

func TestMendsWhatWasBroken(t *testing.T) {
	python := cmp.Or(os.Getenv("FIX_PYTHON"), pythontest.Debian)
	if testing.Short() || !pythontest.Has(python, "torch") {
		t.Skip("runs PyTorch, which is not installed or takes seconds")
	}
	want, seed := 12, uint64(18)
	for name, to := range map[string]any{"FIX_BENCH": &want, "FIX_SEED": &seed} {
		if n := os.Getenv(name); n != "" {
			if _, err := fmt.Sscan(n, to); err != nil {
				t.Fatal(name, err)
			}
		}
	}
	samples := allSamples(t)
	t.Logf("%d classes", len(samples))
	tally := bench(t, python, samples, want, seed)
	var sum figures
	for _, kind := range []string{"number", "name", "attribute", "typo", "keyword", "swap", "call", "line"} {
		f := tally[kind]
		t.Logf("%-10s %3d crash, %3d blocked, %3d on the line, %3d patched, %3d as good, %3d inverse, %3d with a choice, %d wrong",
			kind, f.crash, f.blocked, f.placed, f.patched, f.good, f.inverse, f.chosen, f.wrong)
		sum = sum.plus(f)
	}
	t.Logf("together: %+v", sum)
	if sum.wrong > 0 {
		t.Errorf("%d patches are said to be proved and do not hold in PyTorch", sum.wrong)
	}
}

func bench(t *testing.T, python string, samples []sample, want int, seed uint64) map[string]figures {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 2))
	right := run(t, python, samples)
	var all []mutant
	for tries := 0; len(all) < want*5/2 && tries < want*20; tries++ {
		i := rng.IntN(len(samples))
		if right[i].Error != "" {
			continue
		}
		how, text, ok := draw(rng, samples[i].file, samples[i].text)
		if !ok {
			continue
		}
		m := mutant{sample: samples[i], how: how, from: i}
		m.text = text
		all = append(all, m)
	}
	kept := crashing(t, python, all)
	kept = kept[:min(want, len(kept))]
	for i := range kept {
		m := &kept[i]
		r, err := Propose(context.Background(), m.request(m.text))
		if err != nil {
			t.Errorf("%s, %v: %v", m.file, m.how, err)
		}
		m.result = r
	}
	mended := slices.Clone(kept)
	for i := range mended {
		if len(mended[i].result.Files) > 0 {
			mended[i].text = mended[i].result.Files[0].Text
		}
	}
	for i, r := range run(t, python, texts(mended)) {
		kept[i].fixed = r
	}
	return tallied(t, samples, right, kept)
}

// crashing leaves the mutants that PyTorch refuses whatever the batch is: what it refuses for a batch of 2 is run for others, too, 1 and 3
// and those that the exception names.
func crashing(t *testing.T, python string, all []mutant) []mutant {
	t.Helper()
	kept := all[:0]
	for i, r := range run(t, python, texts(all)) {
		if all[i].ran = r; r.Error != "" {
			kept = append(kept, all[i])
		}
	}
	var again []sample
	var of []int
	for i, m := range kept {
		if slices.ContainsFunc([]string{"AttributeError", "NameError", "UnboundLocalError", "KeyError"}, func(e string) bool { return strings.HasPrefix(m.ran.Error, e) }) {
			continue // no batch changes a name
		}
		for _, n := range append([]int64{1, 3}, numbersOf(m.ran.Error)...) {
			if n == 1 || n > 2 && n <= 64 {
				s := m.sample
				s.batch = n
				again, of = append(again, s), append(of, i)
			}
		}
	}
	runs := map[int]bool{}
	for i, r := range run(t, python, again) {
		runs[of[i]] = runs[of[i]] || r.Error == ""
	}
	out := []mutant{}
	for i, m := range kept {
		if !runs[i] {
			out = append(out, m)
		}
	}
	return out
}

// lineFound is the line that the first finding is shown at: that which made its component, or that of the exception.
func lineFound(v *verdict) int {
	i := slices.IndexFunc(v.source.Graph.Components, func(c graph.Component) bool { return c.ID == v.blocks[0].Component })
	switch {
	case i >= 0 && i < len(v.source.Lines) && v.source.Lines[i].Line > 0:
		return v.source.Lines[i].Line
	case len(v.source.Problems) > 0:
		return v.source.Problems[0].Line
	}
	return 0
}

func texts(list []mutant) []sample {
	out := make([]sample, len(list))
	for i, m := range list {
		out[i] = m.sample
	}
	return out
}

func tallied(t *testing.T, samples []sample, right []ran, kept []mutant) map[string]figures {
	t.Helper()
	tally := map[string]figures{}
	for _, m := range kept {
		f := tally[m.how.kind]
		f.crash++
		p := project{ctx: context.Background(), Request: &Request{}}
		req := m.request(m.text)
		p.Request = &req
		p.Limits = graph.LocalLimits
		before := p.judge(req.Files, &req.Targets[0])
		var is string
		if before.err == nil && len(before.blocks) > 0 {
			f.blocked++
			is = before.blocks[0].Detail
		} else if before.err != nil {
			is = "refused: " + before.err.Error()
		} else {
			is = "not blocked: " + before.why
		}
		verdict := "left"
		switch {
		case len(m.result.Patches) > 0 && m.fixed.Error == "" && slices.Equal(m.fixed.Output, right[m.from].Output):
			f.patched++
			f.good++
			verdict = "good"
			if m.result.Files[0].Text == samples[m.from].text {
				f.inverse++
				verdict = "inverse"
			}
		case len(m.result.Patches) > 0:
			f.patched++
			verdict = "patched, and " + m.fixed.Error + fmt.Sprint(m.fixed.Output, right[m.from].Output)
			if m.result.Patches[0].Proved && m.fixed.Error != "" {
				f.wrong++
				verdict = "WRONG " + verdict
			}
		case len(m.result.Choices) > 0:
			f.chosen++
			verdict = "choice"
			for _, o := range m.result.Choices[0].Options {
				verdict += fmt.Sprintf(" | %d: %s", o.Line, o.Why)
			}
		}
		line := strings.Count(samples[m.from].text[:m.how.edit.Start], "\n") + 1
		if f.blocked > tally[m.how.kind].blocked && lineFound(before) == line {
			f.placed++
		}
		tally[m.how.kind] = f
		was := samples[m.from].text[m.how.edit.Start:m.how.edit.End]
		t.Logf("%s:%d %s %q -> %q: torch %s: %s => %s", m.file, line, m.how.kind, was, m.how.edit.New, m.ran.Error, is, verdict)
		for _, p := range m.result.Patches {
			t.Logf("      line %d %s", p.Line, p.Why)
		}
	}
	return tally
}

// TestLeavesAloneWhatIsRight gives classes that run to the fixer, which must not touch them.
func TestLeavesAloneWhatIsRight(t *testing.T) {
	samples := allSamples(t)
	for _, s := range samples {
		r, err := Propose(context.Background(), s.request(s.text))
		if err != nil || len(r.Patches)+len(r.Choices)+len(r.Arguments)+len(r.Left) > 0 {
			t.Errorf("%s: %v, %+v", s.file, err, r)
		}
	}
	t.Logf("%d classes that are right", len(samples))
}
