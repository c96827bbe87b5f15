package view

import (
	"unicode/utf16"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/fit/serve"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
)

var _ = define(call{"serve", launch})

// Launch is what is found of a launch command, and what would become of it with other sizes.
type Launch struct {
	*serve.Result
	Findings []Marked      `json:"findings"`
	Capacity []serve.Room  `json:"capacity"` // empty without a card, or where the engine has no flag for it
	Splits   []serve.Split `json:"splits"`   // every tensor-parallel size; empty where the engine has no flag for it
	Open     []string      `json:"open"`     // what was not judged, and for want of what
	GPU      string        `json:"gpu"`
}

// Marked is a finding with the parts of the command that it is about, in UTF-16 units, as a browser counts, and the changes that do away
// with it.
type Marked struct {
	serve.Finding
	Places [][2]int     `json:"places"`
	Mends  []serve.Mend `json:"mends"`
}

// mostSplit is the largest tensor-parallel size that is looked at: that of two machines.
const mostSplit = 16

func launch(body []byte, limits graph.Limits) (any, error) {
	f := action.Read(body, limits, action.Model)
	model := f.Model()
	r := &serve.Request{Command: f.Str("command"), GPU: hardware.Lookup(f.GPU("card"))}
	r.EngineVersion = f.Str("engine_version")
	r.GPUs, _ = f.Int("gpus", 1)
	r.Images, _ = f.Int("images", 1)
	contexts := f.Ints("context", 1)
	if r.Command == "" {
		f.Fail(action.Errorf(graph.CodeMissing, "command", "must be the launch command of a serving engine"))
	}
	tooMany(f, "context", len(contexts))
	if err := f.Err(); err != nil {
		return nil, err
	}
	model.Normalize(catalog.Vocabulary)
	got := serve.Check(infer.Walk(model), r)
	out := &Launch{Result: got, Findings: []Marked{}, Capacity: []serve.Room{},
		Splits: []serve.Split{}, Open: []string{}}
	if r.GPU != nil {
		out.GPU = r.GPU.Name
	}
	for i := range got.Findings {
		m := Marked{Finding: got.Findings[i], Places: [][2]int{}, Mends: []serve.Mend{}}
		m.Mends = append(m.Mends, got.Mends(&got.Findings[i])...)
		for _, p := range got.Places(&got.Findings[i]) {
			m.Places = append(m.Places, [2]int{units(r.Command[:p.From]), units(r.Command[:p.To])})
		}
		out.Findings = append(out.Findings, m)
	}
	out.Capacity = append(out.Capacity, got.Capacity(contexts)...)
	out.Splits = append(out.Splits, got.Splits(mostSplit)...)
	for _, o := range got.Open() {
		out.Open = append(out.Open, o.Why)
	}
	return out, nil
}

// units is the length of a text in UTF-16.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}
