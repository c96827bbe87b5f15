package datasets

import (
	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/bench/leaderboard"
)

var _ = define(Dataset{
	order: 4, Key: "arena", Name: "Results of agents on the benchmark", Unit: "results", License: "CC-BY-4.0",
	About: "How agents did on the benchmark: one row for each agent, family and split. The first agents need no " +
		"provider and give the same results anywhere.",
	Made: "verifier bench run --policy AGENT --n N --seed SEED --output internal/bench/leaderboard/results/AGENT.json",
	Row: members(
		field("id", text, "agent, family and split"),
		field("agent", text, "who solved the tasks (docs/bench.md)"),
		field("model", words, "of a provider, as it names itself; empty for agents that need none"),
		field("family", text, "what kind of tasks they are"),
		field("split", one(bench.Train, bench.Dev, bench.Test), "train, dev or test"),
		field("seed", whole, "of the run"),
		field("from", whole, "number of the first task"),
		field("tasks", whole, "how many there were"),
		field("passed", whole, "how many of them passed"),
		field("rate", share, "the share that passed, to four digits"),
		field("quality", null(share), "mean score of the answers that passed, apart from passing; null where none did"),
		field("steps", whole, "changes that were kept, of all tasks"),
		field("gradings", whole, "how often the verifier graded a try"),
		field("solved", list(whole), "the numbers of the tasks that passed"),
	),
	lines: func() []byte { return jsonLines(arenaRows()) },
})

// arenaRow is a row of the dataset.
type arenaRow struct {
	ID       string   `json:"id"`
	Agent    string   `json:"agent"`
	Model    string   `json:"model"`
	Family   string   `json:"family"`
	Split    string   `json:"split"`
	Seed     uint64   `json:"seed"`
	From     int      `json:"from"`
	Tasks    int      `json:"tasks"`
	Passed   int      `json:"passed"`
	Rate     float64  `json:"rate"`
	Quality  *float64 `json:"quality"`
	Steps    int      `json:"steps"`
	Gradings int      `json:"gradings"`
	Solved   []int    `json:"solved"`
}

func arenaRows() (out []arenaRow) {
	for _, result := range leaderboard.Results() {
		name := result.Agent
		if result.Model != "" {
			name += " (" + result.Model + ")"
		}
		for _, r := range result.Rows {
			rate := float64(r.Passed*10_000/max(1, r.Tasks)) / 10_000
			out = append(out, arenaRow{name + "/" + r.Family + "/" + r.Split, result.Agent, result.Model, r.Family, r.Split,
				result.Seed, result.From,
				r.Tasks, r.Passed, rate, r.Quality, r.Steps, r.Gradings, r.Solved})
		}
	}
	return out
}
