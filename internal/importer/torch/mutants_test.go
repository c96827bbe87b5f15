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

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// unlike are files that an installed PyTorch need not run as they are read: two depend on values, one on chance, and one takes another
// branch where PyTorch is older than 2.
var unlike = append([]string{"stochastic_resnet.py", "nano_gpt.py"}, notFollowed...)

// withBatch reports whether a shape is another one with the batch of 2 somewhere in it.
func withBatch(shape, full []int64) bool {
	for i := range full {
		if full[i] == 2 && slices.Equal(shape, slices.Concat(full[:i], full[i+1:])) {
			return true
		}
	}
	return false
}

// TestChangedNumbersAgreeWithPyTorch changes numbers of the corpus, runs every change in PyTorch, and holds that no count and no shape
// is wrong in silence: what runs and is read fully has PyTorch's parameters and shape, what is read fully runs.
func TestChangedNumbersAgreeWithPyTorch(t *testing.T) {
	needTorch(t)
	seed, count := uint64(7), 120
	if s := os.Getenv("MUTANTS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		seed, count = uint64(n), n
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	dir := t.TempDir()
	files := corpus(t)
	number := regexp.MustCompile(`\b[0-9]+\b`)
	type job struct {
		File     string            `json:"file"`
		Name     string            `json:"name"`
		Args     map[string]string `json:"args"`
		Inputs   []traceInput      `json:"inputs"`
		Training bool              `json:"training"`
		opt      Options
		what     string
	}
	var jobs []job
	for i := range count {
		file := files[rng.IntN(len(files))]
		if slices.Contains(unlike, filepath.Base(file)) {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		places := number.FindAllIndex(data, -1)
		at := places[rng.IntN(len(places))]
		old, _ := strconv.Atoi(string(data[at[0]:at[1]]))
		next := []int{old + 1, old * 2, max(old-1, 0), old / 2, 1}[rng.IntN(5)]
		src := string(data[:at[0]]) + strconv.Itoa(next) + string(data[at[1]:])
		path := filepath.Join(dir, fmt.Sprintf("m%d.py", i))
		if err := os.WriteFile(path, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		name, opt := request(t, path)
		j := job{File: path, Name: name, Args: opt.Args, Training: !opt.Evaluate, opt: opt, what: fmt.Sprintf("%s at byte %d: %d becomes %d", filepath.Base(file), at[0], old, next)}
		for _, in := range opt.Inputs {
			j.Inputs = append(j.Inputs, traced(in))
		}
		jobs = append(jobs, j)
	}
	raw, _ := json.Marshal(jobs)
	list := filepath.Join(dir, "jobs.json")
	if err := os.WriteFile(list, raw, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(debianPython, "testdata/run.py", list).Output()
	if err != nil {
		t.Fatal(err)
	}
	var results []struct {
		Params int64
		Output []int64
		Error  string
	}
	if err := json.Unmarshal(out, &results); err != nil {
		t.Fatal(err)
	}
	tally := map[string]int{}
	for i, j := range jobs {
		real := results[i]
		m, err := importAt(context.Background(), dir, filepath.Base(j.File), j.Name, j.opt)
		switch {
		case err != nil && real.Error != "":
			tally["both refuse"]++
		case err != nil:
			tally["refused, runs"]++
			t.Logf("%s: refused (%v), but PyTorch runs it", j.what, err)
		case m.Raises && real.Error == "":
			t.Errorf("%s: said to raise (%v), but PyTorch runs it", j.what, m.Problems)
		case m.Raises:
			tally["raises"]++
		case real.Params >= 0 && m.Params != real.Params:
			t.Errorf("%s: %d parameters, PyTorch has %d", j.what, m.Params, real.Params)
		case m.Status != Full && real.Error == "":
			tally["partly, runs"]++
			t.Logf("%s: %v, but PyTorch runs it", j.what, m.Problems)
		case m.Status != Full:
			tally["partly, crashes"]++
			if rule, _ := blocked(t, m); rule == "" {
				tally["of which withheld"]++
				t.Logf("%s: withheld (%v), PyTorch says %s", j.what, m.Problems, real.Error)
			}
		case real.Error != "" && slices.ContainsFunc(m.Notes, func(n Problem) bool { return n.Message == interp.Unchecked }):
			tally["read, crashes at an assertion that a note names"]++
		case real.Error != "":
			tally["read, crashes"]++
			t.Errorf("%s: read fully, but PyTorch says %s", j.what, real.Error)
		default:
			tally["agree"]++
			folded := slices.ContainsFunc(m.Notes, func(n Problem) bool { return strings.HasPrefix(n.Message, foldedResult) })
			if output, _ := outcome(m); !withBatch(output, real.Output) && !folded {
				t.Errorf("%s: gives %v, PyTorch %v", j.what, output, real.Output)
			}
		}
	}
	t.Logf("%d changes: %v", len(jobs), tally)
}
