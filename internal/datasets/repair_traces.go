package datasets

import (
	_ "embed" // the rows
	"encoding/json"
)

//go:embed data/repair-traces-verifier.jsonl.gz
var repairTraces []byte

var _ = define(Dataset{
	order: 9, Key: "repair-traces-verifier", Name: "Traces of repairs that follow the verifier's findings",
	Unit: "traces", License: "MIT",
	About: "Graphs of grounding-264 that PyTorch refused, repaired by following one finding after the other as " +
		"verifier loop does: each step is a finding, " +
		"the change that certainly repairs it, and what still blocks after it. In the end nothing does.",
	Made: remake,
	Row: members(
		field("id", text, "of the graph in grounding-264"),
		field("family", text, "what kind of network it is"),
		field("variant", text, "how it was broken"),
		field("error", text, "PyTorch's exception"),
		field("model", model, "the graph that PyTorch refused"),
		field("steps", list(members(
			field("rule", text, "id of the finding's rule"),
			maybe("component", text, "id of the component that it is about"),
			field("detail", text, "the finding in words"),
			field("fix", text, "the change in words"),
			field("edit", list(members(
				field("component", text, ""),
				maybe("param", text, ""),
				maybe("value", kind(map[string]any{}), ""),
				maybe("op", text, "insert, of a component that is put into a connection"),
				maybe("type", text, ""),
				maybe("from", text, ""),
				maybe("to", text, ""),
			)), "the change"),
			field("blocks", whole, "findings that block after it"),
		)), "the steps to a graph that runs"),
		field("fingerprintBefore", print8, "eight hex digits that name the structure of the graph"),
		field("fingerprintAfter", print8, "the same of the repaired one"),
		field("repaired", model, "the repaired graph"),
	),
	lines: func() []byte { return unpack("repair-traces-verifier", repairTraces) },
})

// repairRow is a row of repair-traces-verifier.
type repairRow struct {
	ID       string          `json:"id"`
	Family   string          `json:"family"`
	Variant  string          `json:"variant"`
	Error    string          `json:"error"`
	Model    json.RawMessage `json:"model"`
	Steps    json.RawMessage `json:"steps"` // a list of edit.Step
	Before   string          `json:"fingerprintBefore"`
	After    string          `json:"fingerprintAfter"`
	Repaired json.RawMessage `json:"repaired"`
}
