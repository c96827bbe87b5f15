package figures

import (
	"fmt"
	"regexp"
	"strings"
)

// What an entry of a text says: weights, operations, and what a run takes. What stands in no answer about the whole model is taken out
// first: what a card has and costs, and what one component holds.
var (
	weights    = regexp.MustCompile(`(?i)\d[\d.,]* ?[KMBT]?\)? (trained )?parameters?\b|\bparameters[ |]+\d[\d.,]*|\bweights (take )?\d[\d.,]*`)
	operations = regexp.MustCompile(`\d[\d.,]* ?[KMGTPE]?FLOPs?\b`)
	taken      = regexp.MustCompile(`\$\d[\d.]*|\d[\d.,]* ([KMGT]i)?B\b|\d[\d.,]* [KMGT]B\b|\b\d[\d.,]* (ms|s|min|h|hours?|days?)\b|±\d+`)
	bounded    = regexp.MustCompile(`at (the )?least|lower bound|not estimated: |≥`)
	elsewhere  = regexp.MustCompile(`\$\d[\d.,]*\s+an\s+hour|of the \d[\d.,]* [KMGT]i?B that|,? has \d[\d.,]* [KMGT]i?B|of \d[\d.,]* [KMGT]i?B\b|takes \d[\d.,]* [KMGT]i?B for one sample.*|\d+ layers keep .* for each token.*`)
	weighed    = regexp.MustCompile(`(?i)\bweights (take )?\d[\d.,]* ([KMGT]i)?B(, \d[\d.,]* ([KMGT]i)?B in 8 bits)?`)
	continued  = regexp.MustCompile(`\n +`)
)

// Text returns the first entry of a text that has a figure which lacks components and does not say that it is a lower bound; nil where
// there is none. An entry is a line with those that continue it, which begin with spaces. Operations have no lower bound: they are known
// or not shown.
func (l Lack) Text(text string) error {
	for entry := range strings.SplitSeq(continued.ReplaceAllString(text, " "), "\n") {
		if err := l.entry(entry); err != nil {
			return fmt.Errorf("%w in the entry %q", err, entry)
		}
	}
	return nil
}

func (l Lack) entry(entry string) error {
	rest := elsewhere.ReplaceAllString(entry, "")
	if op := operations.FindString(rest); op != "" && len(l.FLOPs) > 0 {
		return fmt.Errorf("%q lacks the FLOPs of %q", op, first(l.FLOPs))
	}
	if bounded.MatchString(rest) {
		return nil
	}
	if n := weights.FindString(rest); n != "" && len(l.Params) > 0 {
		return fmt.Errorf("%q lacks the weights of %q", n, first(l.Params))
	}
	if n := taken.FindString(weighed.ReplaceAllString(rest, "")); n != "" && len(l.Memory) > 0 {
		return fmt.Errorf("%q lacks what %q hold in memory", n, first(l.Memory))
	}
	return nil
}

func first(ids []string) []string { return ids[:min(len(ids), 3)] }
