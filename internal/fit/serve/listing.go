package serve

import "fmt"

// mostOfRule is how many findings of one rule are listed. Each is compared with the others, sorted, mended and shown, and a list of a
// megabyte may have a fault in every word.
const mostOfRule = 64

// listing counts the findings of a rule.
type listing struct {
	found int
	more  int // the place of the finding that says that there are more, 0 where none does
}

// room reports whether another finding of a rule is listed. The first that is not says so, and weighs as much as the heaviest of those
// that are not.
func (l *launch) room(f Finding) bool {
	of := l.listed[f.Rule]
	if of == nil {
		of = &listing{}
		l.listed[f.Rule] = of
	}
	if of.found++; of.found <= mostOfRule {
		return true
	}
	if of.more == 0 {
		of.more = len(l.out.Findings)
		f.Detail = fmt.Sprintf("more than %d of these were found: the others are not listed", mostOfRule)
		l.out.Findings, l.remedies = append(l.out.Findings, f), append(l.remedies, nil)
	} else if f.Severity == Block {
		l.out.Findings[of.more].Severity = Block
	}
	return false
}

// full reports whether another finding of a rule and of a severity would change nothing.
func (l *launch) full(s Severity, rule string) bool {
	of := l.listed[rule]
	return of != nil && of.more > 0 && (s == Warn || l.soften != "" || l.out.Findings[of.more].Severity == Block)
}
