package edit

import (
	"maps"
	"slices"
	"strconv"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/rules"
)

// maxSteps bounds a repair. A step settles one number, and every edit is made once, so that models come nowhere near it.
const maxSteps = 1000

// Step is one finding and the edit that was made for it.
type Step struct {
	Rule      string        `json:"rule"`
	Component string        `json:"component,omitempty"`
	Detail    string        `json:"detail"`
	Fix       string        `json:"fix"`
	Edit      []action.Edit `json:"edit"`
	Blocks    int           `json:"blocks"` // findings that block after it
}

// Repair is what following the findings came to.
type Repair struct {
	Passes bool             `json:"passes"` // nothing blocks any more
	Steps  []Step           `json:"steps"`
	Left   []action.Finding `json:"left"` // what blocks still, none of it with an edit that was not made
	Before string           `json:"fingerprintBefore"`
	After  string           `json:"fingerprintAfter"`
	Graph  *graph.Graph     `json:"-"`
}

// Follow makes the edit of the first finding that blocks and has one, checks again, and goes on until nothing blocks or no edit is
// left that was not made before. An edit after which more blocks is taken back, unless more of the model came to be known by it. Nothing
// is chosen: what it cannot repair needs someone who knows what was meant.
func Follow(g *graph.Graph, limits graph.Limits) (*Repair, error) {
	r := &Repair{Steps: []Step{}, Left: []action.Finding{}, Graph: g}
	made := map[string]bool{}
	now := judge(g)
	r.Before = now.structure
	for {
		r.After, r.Left, r.Passes = now.structure, now.blocks, len(now.blocks) == 0
		next := slices.IndexFunc(now.blocks, func(f action.Finding) bool { return len(f.Edit) > 0 && !made[key(f.Edit)] })
		if next < 0 || len(r.Steps) == maxSteps {
			return r, nil
		}
		f := &now.blocks[next]
		made[key(f.Edit)] = true
		changed, err := Apply(r.Graph, opsOf(f.Edit), limits)
		if err != nil {
			return nil, err
		}
		then := judge(changed)
		if len(then.blocks) > len(now.blocks) && then.known <= now.known {
			continue
		}
		r.Graph = changed
		r.Steps = append(r.Steps, Step{Rule: f.RuleID, Component: f.Component, Detail: f.Detail, Fix: f.Fix, Edit: f.Edit, Blocks: len(then.blocks)})
		now = then
	}
}

// judgement is what a model was found to be.
type judgement struct {
	structure string
	blocks    []action.Finding
	known     int // components that are found out
}

func judge(g *graph.Graph) judgement {
	result := check.Run(&check.Request{Model: g.Clone()})
	j := judgement{structure: result.Study.Walked.Fingerprint(), blocks: Blocking(result.Findings)}
	for i := range result.Study.Walked.Nodes {
		if result.Study.Walked.Nodes[i].State != infer.Unknown {
			j.known++
		}
	}
	return j
}

// Blocking returns the findings that keep a model from running.
func Blocking(findings []action.Finding) []action.Finding {
	out := []action.Finding{}
	for _, f := range findings {
		if f.Severity == rules.Block {
			out = append(out, f)
		}
	}
	return out
}

func opsOf(edits []action.Edit) []Op {
	ops := make([]Op, len(edits))
	for i, e := range edits {
		ops[i] = Op{Path: action.Item("edit", i), Kind: Change, Component: e.Component, Params: []graph.Param{{Name: e.Param, Value: e.Value}}}
	}
	return ops
}

// key names an edit, so that one which does not help is not made again.
func key(edits []action.Edit) string {
	var b []byte
	for _, e := range edits {
		b = strconv.AppendQuote(b, e.Component)
		b = strconv.AppendQuote(b, e.Param)
		b = e.Value.AppendJSON(b)
	}
	return string(b)
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
