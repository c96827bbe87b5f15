package serve

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/fit/facts"
)

// judged notes rules that are looked at with everything that they need: the engine's version, the values of the flags, the sizes of
// the model, the card. It is called where that is certain, after the conditions for it.
func (l *launch) judged(rules ...string) {
	for _, r := range rules {
		l.seen[r] = true
	}
}

// judgedWhere notes rules where a condition is true.
func (l *launch) judgedWhere(known bool, rules ...string) {
	if known {
		l.judged(rules...)
	}
}

// ofTheText are the rules about the text of a command, whatever variables and files add to it.
var ofTheText = []string{"command-syntax", "command-unread", "unknown-engine-command", "shell-pipeline", "shell-comment", "shell-variable", "prints-help"}

// ofTheFlags are the rules that need the command and the engine's table alone, and nothing of the model.
var ofTheFlags = []string{"flag-", "docker-", "extra-argument", "config-file"}

// lookedAt lists the rules that were judged. What was found was found out. Beside it, where a variable or a file that is not there may
// say anything, only the text was; where components of the model are not known, nothing that adds their weights was; and where no
// config.json says the sizes of such a model, nothing that needs them.
func (l *launch) lookedAt() []string {
	out, whole := []string{}, facts.Counted(l.walked)
	for _, r := range ruleOrder {
		if !l.seen[r] {
			continue
		}
		text := slices.Contains(ofTheText, r)
		flags := slices.ContainsFunc(ofTheFlags, func(p string) bool { return strings.HasPrefix(r, p) })
		sums := strings.HasPrefix(r, "mem-") || r == "max-total-tokens-clipped"
		switch {
		case slices.ContainsFunc(l.out.Findings, func(f Finding) bool { return f.Rule == r }):
		case l.soften != "" && !text, !whole && sums, !whole && l.config == nil && !text && !flags:
			continue
		}
		out = append(out, r)
	}
	slices.Sort(out)
	return out
}

// flagsJudged notes what is found out of every flag by itself: of a version whose table was read, and of values that are known.
func (l *launch) flagsJudged() {
	l.judgedWhere(l.certain(), "flag-unknown", "flag-removed", "flag-not-yet", "flag-wrong-engine")
	l.judgedWhere(l.versed(), "flag-ambiguous-prefix", "flag-bool-value", "flag-value-missing", "flag-duplicate", "flag-deprecated", "extra-argument")
	for i := range l.args {
		for _, v := range l.args[i].values {
			if !v.known() {
				return
			}
		}
	}
	l.judgedWhere(l.versed(), "flag-value", "flag-choice", "flag-json", "flag-value-range")
}
