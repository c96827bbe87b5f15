package mcp

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/action/rank"
)

var _ = define(tool{
	name: "rank", title: "Put candidates in order",
	doc:      `Which of up to 20 designs to try: those that do not run come last; others are ordered only by what has been measured, so most are ties unless tieBreak.`,
	input:    `"candidates":{"type":"array","description":"of {id, model}","items":{"type":"object"}},"tieBreak":{"enum":["cost","params"]},` + policyLikeCheck,
	required: []string{"candidates"},
	output:   []string{"ranked", "recommended", "recommendation", "budget", "calibration", "tieBreak"},
	run: act("rank", func(r *rank.Result) string {
		return fmt.Sprintf("%s\n%d of %d candidates run\n", r.Recommendation, r.Budget.Legal, r.Budget.Candidates)
	}),
})
