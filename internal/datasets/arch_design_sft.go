package datasets

import (
	_ "embed" // the rows
	"encoding/json"

	"github.com/modelverifier/verifier/internal/bench"
)

//go:embed data/arch-design-sft.jsonl.gz
var archDesign []byte

var _ = define(Dataset{
	order: 6, Key: "arch-design-sft", Name: "Verified examples of designing and changing models",
	Unit: "verified examples", License: "MIT",
	About: "Prompts with answers that pass, for supervised fine-tuning: models designed under budgets, and changes " +
		"of models that were given. " +
		"All are of the split train, and every answer was graded by the verifier.",
	Made: remake,
	Row: members(append(taskFields,
		field("answer", kind(map[string]any{"type": "object", "minProperties": 1, "maxProperties": 1}),
			"an answer that passes: model, or edits of the start"),
		field("grade", members(
			field("passed", kind(map[string]any{"const": true}), "always true"),
			field("fingerprint", print8, "eight hex digits that name the structure of the answer"),
			field("quality", object, "how good it is beside passing: score, warnings, components that were changed"),
		), "what the verifier says of it"),
	)...),
	lines: func() []byte { return unpack("arch-design-sft", archDesign) },
})

// exampleRow is a row of arch-design-sft.
type exampleRow struct {
	ID          string             `json:"id"`
	Family      string             `json:"family"`
	Split       string             `json:"split"`
	Prompt      string             `json:"prompt"`
	Start       json.RawMessage    `json:"start"`
	Constraints []bench.Constraint `json:"constraints"`
	Answer      json.RawMessage    `json:"answer"`
	Grade       exampleGrade       `json:"grade"`
}

type exampleGrade struct {
	Passed      bool           `json:"passed"`
	Fingerprint string         `json:"fingerprint"`
	Quality     *bench.Quality `json:"quality"`
}
