package mcp

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/action/rank"
)

var _ = define(tool{
	name: "rank", title: "Put candidates in order",
	doc: `Which of up to 20 designs to try: those that do not run come last; two that run are ordered only by what has been measured, so most are ties unless tieBreak says how to break them.`,
	input: `"candidates":{"type":"array","maxItems":20,"items":{"type":"object","properties":{"id":{"type":"string"},"model":{"type":["string","object"]}},"required":["model"]},"description":"model: as in check"},` +
		`"tieBreak":{"enum":["cost","params"]},` + policyProperty,
	required: []string{"candidates"},
	output:   []field{{"ranked", "array"}, {"recommended", "string?"}, {"recommendation", "string"}, {"budget", "object"}, {"calibration", "object"}, {"tieBreak", "object"}},
	run: act("rank", func(r *rank.Result) string {
		return fmt.Sprintf("%s\n%d of %d candidates run\n", r.Recommendation, r.Budget.Legal, r.Budget.Candidates)
	}),
})
