package datasets

import (
	"encoding/json"
	"fmt"

	"github.com/modelverifier/verifier/internal/rules"
)

var _ = define(Dataset{
	order: 2, Key: "checks", Name: "Structural checks", Unit: "checks", License: "CC-BY-4.0",
	About: "Every rule with its source, what was measured of it on trained designs, and its examples as graphs " +
		"with what is found in them: " +
		"some that set it off, some that do not.",
	Row: members(
		field("id", text, "the rule's name in findings"),
		field("title", text, "what it finds, in a few words"),
		field("severity", one("block", "warn", "info"), "block: PyTorch does not run such a model; the others are advice"),
		field("trigger", text, "what sets it off, with an example"),
		field("provenance", text, "who decides it, and on what ground"),
		field("source", text, "the paper, code or measurement that it follows"),
		field("page", path, "path of its page on the site"),
		field("doc", text, "what happens, why it matters, what to do"),
		field("outcome", null(members(
			field("weight", whole, "what it counts for in the order of rank; 0 where it orders nothing"),
			field("designs", whole, "trained designs that it fires on, among those that rules were found with"),
			field("pairs", whole, "pairs of designs for one dataset, further apart than the noise between seeds, of "+
				"which it fires on one"),
			field("worse", share, "share of those pairs in which the design that it fires on came out worse"),
			field("low", share, "lower end of the interval, corrected for all that was tried"),
			field("high", share, "upper end of it"),
			field("sealedPairs", whole, "such pairs among designs that were kept aside"),
			field("sealedWorse", share, "share of those in which the design that it fires on came out worse"),
		)), "what was measured of it on designs that were trained; null where no design that was trained sets it off"),
		field("examples", list(members(
			field("fires", boolean, "whether the rule finds something in the example"),
			field("notation", words, "the example in the short notation"),
			field("model", object, "the same as the graph that a request carries"),
			field("findings", list(members(
				field("rule", text, ""),
				field("severity", one("block", "warn", "info"), ""),
				maybe("component", text, "id of the component, where it is about one"),
				maybe("type", text, ""),
				field("message", text, ""),
				maybe("fix", text, "the change that certainly repairs it"),
			)), "what the engine finds in it, of this rule and of others"),
		)), "graphs that set it off, and graphs that do not"),
	),
	lines: func() []byte { return jsonLines(checkRows()) },
})

// RulePath is where the page of a rule is published.
func RulePath(id string) string { return "/r/" + id + ".html" }

// checkRow is a row of the dataset.
type checkRow struct {
	ID         string         `json:"id"`
	Title      string         `json:"title"`
	Severity   string         `json:"severity"`
	Trigger    string         `json:"trigger"`
	Provenance string         `json:"provenance"`
	Source     string         `json:"source"`
	Page       string         `json:"page"`
	Doc        string         `json:"doc"`
	Outcome    *rules.Outcome `json:"outcome"`
	Examples   []checkExample `json:"examples"`
}

type checkExample struct {
	Fires    bool            `json:"fires"`
	Notation string          `json:"notation"`
	Model    json.RawMessage `json:"model"`
	Findings []Finding       `json:"findings"`
}

func checkRows() []checkRow {
	var out []checkRow
	for _, r := range rules.Rules() {
		row := checkRow{ID: r.ID, Title: r.Title, Severity: string(r.Severity), Trigger: Trigger(r),
			Provenance: Provenance(r), Source: r.Source,
			Page: RulePath(r.ID), Doc: r.Doc, Outcome: r.Outcome()}
		for _, text := range r.Examples {
			e := RunRule(r, text)
			if e.Findings == nil {
				e.Findings = []Finding{}
			}
			row.Examples = append(row.Examples, checkExample{e.Fires, e.Notation, e.Graph.AppendJSON(nil), e.Findings})
		}
		out = append(out, row)
	}
	return out
}

// Trigger says what sets a rule off: its title, and what it found in its own first example that fires.
func Trigger(r *rules.Rule) string {
	for _, text := range r.Examples {
		for _, f := range RunRule(r, text).Findings {
			if f.Rule == r.ID && f.Type != "" {
				return fmt.Sprintf("%s. For example %s: %s", r.Title, f.Type, f.Message)
			}
			if f.Rule == r.ID {
				return fmt.Sprintf("%s. For example: %s", r.Title, f.Message)
			}
		}
	}
	return r.Title
}

// Provenance says who decides a rule, and on what ground.
func Provenance(r *rules.Rule) string {
	switch {
	case r.Severity != rules.Block:
		return "advice with the evidence that its source names; it never refuses a model"
	case r.Whole == nil:
		return "decided for one component and what arrives at it, as PyTorch decides when it is called"
	}
	return "decided from the wiring of the whole graph: no forward pass exists"
}
