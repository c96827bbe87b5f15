// Package leaderboard is the committed results of agents on the benchmark, and the order that they have.
//
// One file of results/ is one agent; `verifier bench run --output` writes it. It decides nothing: tests run a part of every result again.
package leaderboard

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"slices"

	"github.com/modelverifier/verifier/internal/bench"
)

//go:embed results/*.json
var files embed.FS

// Results are the committed ones, in the order of their files' names.
func Results() []*bench.Result {
	names, err := fs.Glob(files, "results/*.json")
	if err != nil {
		panic("leaderboard: " + err.Error()) // the pattern is right
	}
	var out []*bench.Result
	for _, name := range names {
		data, err := files.ReadFile(name)
		if err != nil {
			panic("leaderboard: " + err.Error()) // it is embedded
		}
		r, err := bench.DecodeResult(data)
		if err != nil {
			panic(fmt.Sprintf("leaderboard: %s %v", name, err)) // a test reads every file
		}
		out = append(out, r)
	}
	return out
}

// Line is one agent on the board: all that it did, and each family of the chosen split.
type Line struct {
	Agent    string      `json:"agent"`
	Model    string      `json:"model"` // of a provider
	All      bench.Row   `json:"all"`
	Families []bench.Row `json:"families"` // in their order; those that were not run have no tasks
}

// Name is the agent, and the model that it asked.
func (l *Line) Name() string {
	if l.Model == "" {
		return l.Agent
	}
	return l.Agent + " (" + l.Model + ")"
}

// Board puts results in order for a split, "" being all splits: the share that passed, then the quality of what did, then fewer gradings,
// then the name. An agent that was not run on the split has no line.
func Board(results []*bench.Result, split string) []Line {
	lines := []Line{}
	for _, r := range results {
		var rows []bench.Row
		for _, row := range r.Rows {
			if split == "" || row.Split == split {
				rows = append(rows, row)
			}
		}
		if len(rows) == 0 {
			continue
		}
		l := Line{Agent: r.Agent, Model: r.Model, All: bench.Total(rows), Families: []bench.Row{}}
		for _, f := range bench.Families() {
			of := bench.Total(slices.DeleteFunc(slices.Clone(rows), func(row bench.Row) bool { return row.Family != f.Name }))
			of.Family = f.Name
			l.Families = append(l.Families, of)
		}
		lines = append(lines, l)
	}
	slices.SortStableFunc(lines, func(a, b Line) int {
		return cmp.Or(cmp.Compare(share(&b.All), share(&a.All)), cmp.Compare(quality(&b.All), quality(&a.All)),
			cmp.Compare(a.All.Gradings, b.All.Gradings), cmp.Compare(a.Name(), b.Name()))
	})
	return lines
}

// share is how much of a row passed, in millionths, so that no two machines order two agents in another way.
func share(r *bench.Row) int64 {
	if r.Tasks == 0 {
		return 0
	}
	return int64(r.Passed) * 1_000_000 / int64(r.Tasks)
}

func quality(r *bench.Row) float64 {
	if r.Quality == nil {
		return 0
	}
	return *r.Quality
}
