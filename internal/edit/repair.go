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
	Passes bool             `json:"passes"` // nothing blocks any more, and nothing was withheld
	Steps  []Step           `json:"steps"`
	Left   []action.Finding `json:"left"` // what blocks still, none of it with an edit that was not made
	Before string           `json:"fingerprintBefore"`
	After  string           `json:"fingerprintAfter"`
	// Withheld is why nothing is said of a part of the model, "" where all of it was checked.
	Withheld string       `json:"withheld,omitempty"`
	Graph    *graph.Graph `json:"-"`
}

// Follow makes the edit of the first finding that blocks and has one, checks again, and goes on until nothing blocks or no edit is
// left that was not made before. An edit after which more blocks is taken back, unless more of the model came to be known by it. Nothing
// is chosen: what it cannot repair needs someone who knows what was meant.
//
// Text is the model's call with text alone, which a block of what reads pictures or sounds names.
//
// A graph that stands for a source is read again after every edit, with all of them, since a source may go on behind what was repaired.
// Where the edits cannot be made there, reread returns nil: the graph is then changed alone, and the repair does not pass.
func Follow(g *graph.Graph, limits graph.Limits, text action.TextCall, reread func([]action.Edit) (*graph.Graph, error)) (*Repair, error) {
	r := &Repair{Steps: []Step{}, Left: []action.Finding{}, Graph: g}
	made, all, lost := map[string]bool{}, []action.Edit(nil), false
	now := judge(g, text)
	r.Before = now.structure
	for {
		r.After, r.Left, r.Withheld = now.structure, now.blocks, now.withheld
		if r.Withheld == "" && lost {
			r.Withheld = "the source was not read again with the edits made, since they are not those of a layer that it constructs"
		}
		r.Passes = len(now.blocks) == 0 && r.Withheld == ""
		next := slices.IndexFunc(now.blocks, func(f action.Finding) bool { return len(f.Edit) > 0 && !made[key(f.Edit)] })
		if next < 0 || len(r.Steps) == maxSteps {
			return r, nil
		}
		f := &now.blocks[next]
		made[key(f.Edit)] = true
		tried := append(slices.Clone(all), f.Edit...)
		changed, again, err := changedBy(r.Graph, f.Edit, tried, limits, reread)
		if err != nil {
			return nil, err
		}
		then := judge(changed, text)
		if len(then.blocks) > len(now.blocks) && then.known <= now.known {
			continue
		}
		r.Graph, now, all, lost = changed, then, tried, lost || !again
		r.Steps = append(r.Steps, Step{Rule: f.RuleID, Component: f.Component, Detail: f.Detail, Fix: f.Fix, Edit: f.Edit, Blocks: len(now.blocks)})
	}
}

// judgement is what a model was found to be.
type judgement struct {
	structure string
	blocks    []action.Finding
	known     int    // components that are found out
	withheld  string // why no verdict is given on a part, "" where one is given on all of it
}

func judge(g *graph.Graph, text action.TextCall) judgement {
	result := check.Run(&check.Request{Model: g.Clone(), Text: text})
	j := judgement{structure: result.Study.Walked.Fingerprint(), blocks: Blocking(result.Findings), withheld: withheld(result)}
	for i := range result.Study.Walked.Nodes {
		if result.Study.Walked.Nodes[i].State != infer.Unknown {
			j.known++
		}
	}
	return j
}

// changedBy is the model with one more edit: the source read again with all of them, where there is one and it has their places,
// else the graph with that edit. again says that nothing but the edits stands between the source and the graph.
func changedBy(g *graph.Graph, one, all []action.Edit, limits graph.Limits, reread func([]action.Edit) (*graph.Graph, error)) (changed *graph.Graph, again bool, err error) {
	if reread != nil {
		if changed, err = reread(all); err != nil || changed != nil {
			return changed, true, err
		}
	}
	changed, err = Apply(g, opsOf(one), limits)
	return changed, reread == nil, err
}

// withheld says why no verdict is given on a part of a model.
func withheld(r *check.Result) string {
	if why := r.Study.Unread(); why != "" {
		return why
	}
	if why := r.Study.Asked(); why != "" {
		return why
	}
	if n := len(r.Study.Withheld); n == 1 {
		return "the shape of " + r.Study.Withheld[0] + " is not known"
	} else if n > 1 {
		return "the shapes of " + strconv.Itoa(n) + " components are not known, the first of them " + r.Study.Withheld[0]
	}
	return ""
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
		if e.Op == action.Insert {
			ops[i] = Op{Path: action.Item("edit", i), Kind: Insert, Component: e.Component, Type: e.Type, From: []string{e.From}, To: []string{e.To}}
		}
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
		b = strconv.AppendQuote(b, e.Type+"\n"+e.From+"\n"+e.To)
	}
	return string(b)
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
