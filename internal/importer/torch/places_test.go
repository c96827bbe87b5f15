package torch

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/infer"
)

// broken is a file of the corpus with one line changed.
type broken struct {
	File     string            `json:"file"`
	Name     string            `json:"name"`
	Args     map[string]string `json:"args"`
	Inputs   []traceInput      `json:"inputs"`
	Training bool              `json:"training"`

	opt   Options
	what  string
	lines []int // the line that was changed, and the others of its statement
}

var (
	sized   = regexp.MustCompile(`nn\.(Linear|Conv|BatchNorm|LayerNorm|Embedding|LSTM|GRU|Multihead|Transformer|GroupNorm|ConvT)|\.view\(|\.reshape\(|\.chunk\(|\.split\(`)
	numbers = regexp.MustCompile(`\b[1-9][0-9]*\b`)
	flat    = regexp.MustCompile(`\.flatten\([^()]*\)|torch\.flatten\((\w+)[^()]*\)|nn\.Flatten\(\), `)
)

// breakLine changes one line of a source: a number of a layer or of a view, or a flatten that is left out.
func breakLine(rng *rand.Rand, src string) (changed, what string, line int, ok bool) {
	lines := strings.Split(src, "\n")
	var candidates []int
	for i, l := range lines {
		if (sized.MatchString(l) && numbers.MatchString(l) || flat.MatchString(l)) && !strings.HasPrefix(strings.TrimSpace(l), "#") {
			candidates = append(candidates, i)
		}
	}
	if len(candidates) == 0 {
		return "", "", 0, false
	}
	at := candidates[rng.IntN(len(candidates))]
	old := lines[at]
	if flat.MatchString(old) && rng.IntN(2) == 0 {
		lines[at] = flat.ReplaceAllString(old, "$1")
	} else {
		places := numbers.FindAllStringIndex(old, -1)
		if len(places) == 0 {
			return "", "", 0, false
		}
		p := places[rng.IntN(len(places))]
		n, _ := strconv.Atoi(old[p[0]:p[1]])
		lines[at] = old[:p[0]] + strconv.Itoa([]int{n + 1, n * 2, max(n/2, 1), n + 3}[rng.IntN(4)]) + old[p[1]:]
	}
	return strings.Join(lines, "\n"), strings.TrimSpace(old) + " becomes " + strings.TrimSpace(lines[at]), at + 1, lines[at] != old
}

// findingLines are the lines that the finding of a model names: where it is, and the other place whose size disagrees.
func findingLines(m *Model) []int {
	if m.Raises {
		return append([]int{m.Problems[0].Line}, related(m, -1)...)
	}
	for _, f := range infer.Walk(m.Graph).Refusals {
		return append([]int{m.Lines[f.Node].Line}, related(m, f.Node)...)
	}
	return nil
}

// TestFindingsAreWhereTheSourceWasBroken breaks one line of a file of the corpus, sees that PyTorch crashes, and measures how often the source
// is blocked, and how often the finding is on that line or on that of the other layer whose size disagrees. PLACES is how many changes.
func TestFindingsAreWhereTheSourceWasBroken(t *testing.T) {
	needTorch(t)
	count := 120
	if s := os.Getenv("PLACES"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		count = n
	}
	rng := rand.New(rand.NewPCG(18, 1))
	dir, files := t.TempDir(), corpus(t)
	var jobs []broken
	for i := 0; len(jobs) < count && i < 10*count; i++ {
		file := files[rng.IntN(len(files))]
		if slices.Contains(unlike, filepath.Base(file)) {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		src, what, line, ok := breakLine(rng, string(data))
		if !ok {
			continue
		}
		path := filepath.Join(dir, fmt.Sprintf("m%d.py", i))
		if err := os.WriteFile(path, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		name, opt := request(t, path)
		j := broken{File: path, Name: name, Args: opt.Args, Training: !opt.Evaluate, opt: opt, lines: []int{line}, what: fmt.Sprintf("%s:%d: %s", filepath.Base(file), line, what)}
		for _, in := range opt.Inputs {
			j.Inputs = append(j.Inputs, traced(in))
		}
		jobs = append(jobs, j)
	}
	crashed := runBroken(t, dir, jobs)
	blocks, exact, good := 0, 0, 0
	for _, j := range crashed {
		m, err := importAt(context.Background(), dir, filepath.Base(j.File), j.Name, j.opt)
		if err != nil {
			t.Logf("%s: refused: %v", j.what, err)
			continue
		}
		rule, message := blocked(t, m)
		if rule == "" {
			t.Logf("%s: not blocked: %v", j.what, m.Problems)
			continue
		}
		blocks++
		lines := findingLines(m)
		switch {
		case lines[0] == j.lines[0]:
			exact++
		case slices.Contains(lines, j.lines[0]):
			good++
		default:
			t.Logf("%s: at %v: %s", j.what, lines, message)
		}
	}
	t.Logf("%d of %d changes crash; %d blocked, %d on the line, %d on the other of the two", len(crashed), len(jobs), blocks, exact, good)
	if blocks*10 < len(crashed)*9 {
		t.Errorf("%d of %d are blocked, fewer than 90 %%", blocks, len(crashed))
	}
	if (exact+good)*10 < blocks*8 {
		t.Errorf("%d of %d findings are where the source was changed, fewer than 80 %%", exact+good, blocks)
	}
}

// runBroken runs sources in PyTorch, and returns those that crash.
func runBroken(t *testing.T, dir string, jobs []broken) []broken {
	t.Helper()
	raw, _ := json.Marshal(jobs)
	list := filepath.Join(dir, "jobs.json")
	if err := os.WriteFile(list, raw, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(debianPython, "testdata/run.py", list).Output()
	if err != nil {
		t.Fatal(err)
	}
	var results []struct{ Error string }
	if err := json.Unmarshal(out, &results); err != nil {
		t.Fatal(err)
	}
	var crashed []broken
	for i, r := range results {
		if r.Error != "" {
			crashed = append(crashed, jobs[i])
		}
	}
	return crashed
}

// related are the lines of what sets the sizes that arrive at a component.
func related(m *Model, node int) []int {
	walked := infer.Walk(m.Graph)
	var out []int
	for i := range m.Graph.Components {
		if _, raises := m.Graph.Components[i].Param("raises"); i == node || node < 0 && raises {
			for _, j := range walked.Origins(i) {
				out = append(out, m.Lines[j].Line)
			}
		}
	}
	return out
}
