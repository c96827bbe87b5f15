package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/load"
)

// row is what PyTorch gave for a class or a factory of a repository.
type row struct {
	Repo   string            `json:"repo"`
	Commit string            `json:"commit"`
	File   string            `json:"file"`
	Name   string            `json:"name"`
	Args   map[string]string `json:"args"`
	Inputs []string          `json:"inputs"`
	Runs   bool              `json:"runs"`
	Error  string            `json:"error"` // the exception, where it does not run
	Params int64             `json:"params"`
	FLOPs  int64             `json:"flops"` // of one sample
	// PerSample is what one sample more takes: beside FLOPs it says what two take together.
	PerSample int64    `json:"flopsPerSample"`
	Outputs   []output `json:"outputs"`
}

// output is a tensor of the result without its batch. Batch is the axis that grows with the batch, -1 where none does.
type output struct {
	Shape []int64 `json:"shape"`
	Batch int     `json:"batch"`
	// Folded is how many entries each sample has on that axis, 0 for one.
	Folded int64 `json:"folded"`
}

func (r *row) folder() string { return strings.Replace(r.Repo, "/", "+", 1) }

// class says how a reading compares with PyTorch.
type class string

const (
	exact        class = "full and exact"
	blocked      class = "blocked as PyTorch does"
	part         class = "part, no number wrong"
	refused      class = "refused, true reason"
	wrongCount   class = "WRONG COUNT"
	wrongFLOPs   class = "WRONG FLOPS"
	wrongShape   class = "WRONG SHAPE"
	wrongVerdict class = "WRONG VERDICT"
	falseReason  class = "FALSE REASON"
)

var classes = []class{exact, blocked, part, refused, wrongCount, wrongFLOPs, wrongShape, wrongVerdict, falseReason}

// answer is one row compared.
type answer struct {
	class class
	why   string
	took  time.Duration
}

// compare reads a row's model as `verifier check` does, and holds it against what PyTorch gave.
func compare(ctx context.Context, r *row, o *options) *answer {
	start := time.Now()
	m, err := load.Open(ctx, filepath.Join(o.repos, r.folder(), r.File)+":"+r.Name, opened(r, o))
	if err != nil {
		c, why := ofError(r, err)
		return &answer{c, why, time.Since(start)}
	}
	res := check.Run(&check.Request{Model: m.Graph})
	took := time.Since(start)
	c, why := judge(r, m, res)
	return &answer{c, why, took}
}

func opened(r *row, o *options) load.Options {
	return load.Options{Inputs: r.Inputs, Args: r.Args, SitePackages: o.sitePackages}
}

// ofError sorts a refusal. That a name is not there, that an argument is missing or that a call raises is false of what runs; that
// something is not followed is true.
func ofError(r *row, err error) (class, string) {
	why := err.Error()
	var e *graph.Error
	if !r.Runs || !errors.As(err, &e) {
		return refused, why
	}
	if e.Code != action.CodeUnsupported || mayRaise.MatchString(why) {
		return falseReason, why
	}
	return refused, why
}

var mayRaise = regexp.MustCompile(`may raise|raises|Error: `)

// judge compares a model that was read.
func judge(r *row, m *load.Model, res *check.Result) (class, string) {
	w := res.Study.Walked
	why := m.Partly
	if why == "" {
		why = res.Study.Unread()
	}
	if res.Verdict == "block" {
		if r.Runs {
			return wrongVerdict, "blocked: " + firstBlock(res)
		}
		return blocked, ""
	}
	if !r.Runs {
		if why != "" {
			return part, why
		}
		return wrongVerdict, "not blocked: " + r.Error
	}
	if c, why := counts(r, m, w); c != "" {
		return c, why
	}
	if why != "" {
		return part, why
	}
	if c, why := shapes(r, w); c != "" {
		return c, why
	}
	if w.KnownFLOPs() == nil {
		return part, "FLOPs are withheld"
	}
	if batch := readFor(m); batch == 2 && w.FLOPs*2 == r.FLOPs+r.PerSample {
		return exact, "" // what is said of two samples is compared with two
	}
	if w.FLOPs != r.FLOPs {
		return wrongFLOPs, fmt.Sprintf("%d FLOPs, PyTorch counts %d", w.FLOPs, r.FLOPs)
	}
	return exact, ""
}

func firstBlock(res *check.Result) string {
	for _, f := range res.Findings {
		if f.Severity == "block" {
			return f.Detail
		}
	}
	return res.Summary
}

// counts compares the weights: those of the constructor, and those of the graph that is priced, which may lack what is never used.
func counts(r *row, m *load.Model, w *infer.Result) (class, string) {
	withheld := len(w.ParamsWithheld()) > 0
	if m.Params >= 0 && m.Params != r.Params && !withheld {
		return wrongCount, fmt.Sprintf("%d weights are constructed, PyTorch has %d", m.Params, r.Params)
	}
	if n := w.Params; n != r.Params && n+unused(m) != r.Params && !withheld {
		return wrongCount, fmt.Sprintf("%d weights are priced, PyTorch has %d", n, r.Params)
	}
	return "", ""
}

var unusedNote = regexp.MustCompile(`^([0-9]+) of the weights (?:is|are) constructed and never used`)

// unused is how many weights the notes say that the forward never uses.
func unused(m *load.Model) int64 {
	for _, n := range m.Notes {
		if found := unusedNote.FindStringSubmatch(n); found != nil {
			count, _ := strconv.ParseInt(found[1], 10, 64)
			return count
		}
	}
	return 0
}

var batchNote = regexp.MustCompile(`read for a batch of ([0-9]+):`)

// readFor is the batch that a source was read for, 0 where it needed none.
func readFor(m *load.Model) int64 {
	for _, n := range m.Notes {
		if found := batchNote.FindStringSubmatch(n); found != nil {
			batch, _ := strconv.ParseInt(found[1], 10, 64)
			return batch
		}
	}
	return 0
}

// elements is how many numbers a tensor of a shape has.
func elements(shape []int64) int64 {
	n := int64(1)
	for _, size := range shape {
		n *= size
	}
	return n
}

// shapes compares the outputs in their order.
func shapes(r *row, w *infer.Result) (class, string) {
	var got [][]int64
	for i := range w.Nodes {
		if w.Nodes[i].Component.Type == "output" {
			got = append(got, w.Nodes[i].Out)
		}
	}
	if len(got) != len(r.Outputs) {
		return wrongShape, fmt.Sprintf("%d outputs, PyTorch gives %d", len(got), len(r.Outputs))
	}
	for i, want := range r.Outputs {
		if want.Folded > 1 && elements(got[i]) == want.Folded*elements(want.Shape) {
			continue // what is folded into the batch are axes of their own in a graph
		}
		if !slices.Equal(got[i], want.Shape) {
			return wrongShape, fmt.Sprintf("output %d is %v, PyTorch gives %v", i, got[i], want.Shape)
		}
	}
	return "", ""
}

var (
	places  = regexp.MustCompile(`[^\s:]*\.py:[0-9]+:? ?`)
	targets = regexp.MustCompile(`[^\s:]*\.py:?\w*:? ?`)
	numbers = regexp.MustCompile(`[0-9]+`)
)

// cause leaves out of a reason what differs between rows: places and numbers.
func cause(why string) string {
	why = places.ReplaceAllString(why, "")
	why = targets.ReplaceAllString(why, "")
	why = numbers.ReplaceAllString(why, "N")
	if len(why) > 150 {
		why = strings.ToValidUTF8(why[:150], "") + "…"
	}
	return why
}
