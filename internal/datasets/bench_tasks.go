package datasets

import (
	_ "embed" // the rows
	"encoding/json"

	"github.com/modelverifier/verifier/internal/bench"
)

// remake is the command that makes the files of data/ again; KEY is that of a dataset.
const remake = "go test ./internal/datasets -run TestMake/KEY -update -timeout 60m"

//go:embed data/bench-tasks.jsonl.gz
var benchTasks []byte

var _ = define(Dataset{
	order: 5, Key: "bench-tasks", Name: "Tasks of the benchmark, with answers that pass and answers that must fail",
	Unit: "tasks", License: "MIT",
	About: "The first twelve tasks of every family and split. Each has eight fixtures: an answer that passes, and " +
		"seven that must fail, with the reason. " +
		"There are as many tasks as anyone asks for; verifier bench tasks prints others.",
	Made: remake,
	Row: members(append(taskFields,
		field("fixtures", list(members(
			field("name", text, "what kind of answer it is"),
			field("answer", text, "the answer as it is sent, which may be no JSON"),
			field("passed", boolean, "whether it passes"),
			field("reason", words, "the first constraint that fails, in words"),
		)), "answers with their grades"),
	)...),
	lines: func() []byte { return unpack("bench-tasks", benchTasks) },
})

// taskFields are the members of a row that is about a task.
var taskFields = []Field{
	field("id", text, "family, split and number: the task follows from it alone"),
	field("family", text, "what kind of task it is"),
	field("split", one(bench.Train, bench.Dev, bench.Test), "train, dev or test"),
	field("prompt", text, "the specification in words"),
	field("start", null(model), "the graph to begin with, or null"),
	field("constraints", list(kind(map[string]any{"type": "object", "required": []string{"kind"}})),
		"what an answer must meet (docs/bench.md)"),
}

// taskRow is a row of bench-tasks.
type taskRow struct {
	ID          string             `json:"id"`
	Family      string             `json:"family"`
	Split       string             `json:"split"`
	Prompt      string             `json:"prompt"`
	Start       json.RawMessage    `json:"start"`
	Constraints []bench.Constraint `json:"constraints"`
	Fixtures    []fixture          `json:"fixtures"`
}

type fixture struct {
	Name   string `json:"name"`
	Answer string `json:"answer"`
	Passed bool   `json:"passed"`
	Reason string `json:"reason"`
}
