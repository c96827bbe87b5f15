package policy

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/rules"
)

// Override changes how severely findings count in whether a command fails, in either direction. It stands under severity: in a
// file, beside policy:, or on the command line. No request carries one, and no verdict and no body changes by it.
type Override struct {
	selection
	Severity rules.Severity // or Off
	Text     string         // as it was written: high-dropout=off
}

// ParseOverride reads rule=severity, as a flag has it.
func (n Names) ParseOverride(flag string) (Override, error) {
	name, severity, _ := strings.Cut(flag, "=")
	o, err := n.override(item{path: "--severity"}, item{path: "--severity", kind: graph.String, text: severity}, name)
	if err != nil {
		return o, err
	}
	return o, nil
}

func (n Names) override(key, value item, name string) (o Override, err *graph.Error) {
	var known []string
	if o.selection, known = n.selects(name); known != nil {
		o.selection = selection{checker: name}
		if checkers := n.checkers(); !slices.Contains(checkers, name) {
			return o, n.unknownRule(key, CodeValue, "rule or checker", name, append(known, checkers...))
		}
	}
	o.Severity = rules.Severity(value.text)
	if value.kind != graph.String || ranks[o.Severity] == 0 && o.Severity != Off {
		return o, value.errorf(CodeValue, "must be block, warn, info or off, not %q, as in high-dropout=off", clip(value.text))
	}
	o.Text = name + "=" + value.text
	return o, nil
}

// unknownRule is the error where no rule is named. A line of change: is no rule: only an approval softens it.
func (n Names) unknownRule(v item, code, what, word string, known []string) *graph.Error {
	for _, key := range changeKeys {
		if word == key || word == RuleOf(key) || word == Checker+"/"+key {
			return v.errorf(code, "%s is a line of change: which only an entry under approved: softens", key)
		}
	}
	return v.unknown(code, what, word, known)
}

func (n Names) overrides(v item) ([]Override, *graph.Error) {
	if v.kind != graph.Object {
		return nil, v.wrong("an object of rules or checkers and severities")
	}
	var out []Override
	for _, m := range v.members {
		o, err := n.override(m.item, m.item, m.name)
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// Overridden returns the override that counts for a rule of a checker, or nil: one of a rule before one of a whole checker, and
// of several the last.
func Overridden(checker, rule string, overrides []Override) *Override {
	var found *Override
	for i := range overrides {
		o := &overrides[i]
		if o.covers(checker, rule) && (found == nil || o.rule != "" || found.rule == "") {
			found = o
		}
	}
	return found
}
