package site

import (
	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/bench/agent"
	"github.com/modelverifier/verifier/internal/bench/leaderboard"
)

// benchPath is the leaderboard of the benchmark.
const benchPath = "/bench.html"

// board is the leaderboard of one split.
type board struct {
	Split string
	Lines []leaderboard.Line
}

// addBench publishes the leaderboard, from the committed results alone.
func (s *Site) addBench() {
	s.addPage(page{Path: benchPath, Title: "Benchmark", Section: "data", Description: "How agents do that design, change and repair models, graded by the verifier."},
		"bench", func() any {
			results := leaderboard.Results()
			var boards []board
			for _, split := range []string{bench.Test, bench.Dev, bench.Train} {
				boards = append(boards, board{split, leaderboard.Board(results, split)})
			}
			docs := map[string]string{}
			for _, name := range agent.Names() {
				if e, err := agent.Lookup(name); err == nil {
					docs[name] = e.Doc
				}
			}
			return map[string]any{"Families": bench.Families(), "Boards": boards, "Agents": agent.Names(), "Docs": docs, "N": results[0].N}
		})
}

// passed is how much of a row passed; a dash where it was not run.
func passed(r bench.Row) string {
	if r.Tasks == 0 {
		return "–"
	}
	return percent(float64(r.Passed) / float64(r.Tasks))
}

// score is a mean quality; a dash where nothing passed.
func score(q *float64) string {
	if q == nil {
		return "–"
	}
	return decimal(*q)
}
