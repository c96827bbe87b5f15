package policy

import (
	"slices"
	"strings"
)

// Checker is the one whose rules are the lines of a policy.
const Checker = "policy"

// Names are what a file can name and this package does not know.
type Names struct {
	GPUs  GPUs
	Rules []Rule
	Flags func() []Command // of the commands that take defaults; nil for none
}

// Rule is a rule of a checker.
type Rule struct{ Checker, ID string }

// Command is a command with the flags that a file may fill in.
type Command struct {
	Name  string
	Flags []string
}

// RuleOf is the rule's id of the key of a line, as a violation has it: max-params of max_params, and of a severity the rule that
// it makes stricter.
func RuleOf(key string) string {
	return strings.ReplaceAll(strings.TrimPrefix(key, severityKey+"."), "_", "-")
}

// checkers lists them, sorted.
func (n Names) checkers() []string {
	out := []string{Checker}
	for _, r := range n.Rules {
		if !slices.Contains(out, r.Checker) {
			out = append(out, r.Checker)
		}
	}
	slices.Sort(out)
	return out
}

// rules lists the ids of a checker, or of all for "".
func (n Names) rules(checker string) []string {
	var out []string
	for _, r := range n.Rules {
		if checker == "" || r.Checker == checker || checker == Checker && r.Checker == structural {
			out = append(out, r.ID)
		}
	}
	if checker == "" || checker == Checker {
		for i := range lines {
			out = append(out, lines[i].key)
		}
	}
	return out
}

// structural is the checker whose rules a policy can make stricter.
const structural = "check"

// selection names the rules that a waiver or an override is about.
type selection struct {
	checker string // "" for any
	rule    string // "" for every rule of the checker
}

func (s selection) covers(checker, rule string) bool {
	return (s.checker == "" || s.checker == checker) && (s.rule == "" || s.rule == rule)
}

// selects reads an id, the key of a policy line, or either behind its checker and a slash. What it does not know it returns as
// the words that could have been meant.
func (n Names) selects(word string) (s selection, known []string) {
	checker, id, behind := strings.Cut(word, "/")
	if !behind {
		checker, id = "", word
	} else if !slices.Contains(n.checkers(), checker) {
		for _, c := range n.checkers() {
			known = append(known, c+"/"+id)
		}
		return s, known
	}
	ids := n.rules(checker)
	for _, k := range ids {
		if k == id || RuleOf(k) == id {
			return selection{checker, RuleOf(k)}, nil
		}
	}
	if behind {
		for i := range ids {
			ids[i] = checker + "/" + ids[i]
		}
	}
	return s, ids
}
