package bench

import "github.com/modelverifier/verifier/internal/rules"

// Quality says how good an answer is that passes. It is no part of the reward.
type Quality struct {
	Score    float64 `json:"score"`    // 0 to 1, three digits: the mean of what follows, each as a share
	Warnings int     `json:"warnings"` // findings that warn; each one more halves, thirds, … the share
	Changed  int     `json:"changed"`  // components that differ from the start; 0 where there is none
}

// quality grades a model that passed. Everything in it is a whole number until the last division.
func (s *subject) quality() *Quality {
	q := &Quality{Changed: s.changed()}
	for _, f := range s.study.Findings {
		if f.Rule.Severity == rules.Warn {
			q.Warnings++
		}
	}
	milli := 1000 / (1 + q.Warnings)
	if s.start != nil {
		milli = (milli + 1000*max(0, len(s.start.Components)-q.Changed)/max(1, len(s.start.Components))) / 2
	}
	q.Score = float64(milli) / 1000
	return q
}
