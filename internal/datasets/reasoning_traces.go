package datasets

import (
	_ "embed" // the rows
	"encoding/json"

	"github.com/modelverifier/verifier/internal/bench"
)

//go:embed data/reasoning-traces-verifier.jsonl.gz
var reasoningTraces []byte

var _ = define(Dataset{
	order: 8, Key: "reasoning-traces-verifier", Name: "Traces of a search with the verifier as judge", Unit: "traces",
	License: "MIT",
	About: "Tasks of the benchmark, solved by the agent search: each step is a change, its reason in a sentence, " +
		"and what the verifier said after it. " +
		"All of them pass. No language model wrote them, so that they can be made again anywhere; verifier bench " +
		"traces makes others.",
	Made: remake,
	Row: members(append(taskFields,
		field("agent", one("search"), "who solved it"),
		field("seed", whole, "with which seed"),
		field("steps", list(members(
			field("edits", list(object), "changes of the model before the step, as verifier's edit tool takes them"),
			field("because", text, "why"),
			field("passed", boolean, "whether the model passes now"),
			field("reason", words, "the first constraint that fails now, in words"),
			field("gradings", whole, "how often a try was graded until this step was kept"),
		)), "the steps from the start to the answer"),
		field("fingerprint", print8, "eight hex digits that name the structure of the answer"),
	)...),
	lines: func() []byte { return unpack("reasoning-traces-verifier", reasoningTraces) },
})

// traceRow is a row of reasoning-traces-verifier.
type traceRow struct {
	ID          string             `json:"id"`
	Family      string             `json:"family"`
	Split       string             `json:"split"`
	Prompt      string             `json:"prompt"`
	Start       json.RawMessage    `json:"start"`
	Constraints []bench.Constraint `json:"constraints"`
	Agent       string             `json:"agent"`
	Seed        uint64             `json:"seed"`
	Steps       []traceStep        `json:"steps"`
	Fingerprint string             `json:"fingerprint"`
}

type traceStep struct {
	Edits    json.RawMessage `json:"edits"`
	Because  string          `json:"because"`
	Passed   bool            `json:"passed"`
	Reason   string          `json:"reason"`
	Gradings int             `json:"gradings"`
}
