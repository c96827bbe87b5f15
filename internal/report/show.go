package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/modelverifier/verifier/internal/rules"
)

// Unread is a model that could not be read, and why: it has no Run, and whatever shows several models must not pass over it.
type Unread struct {
	Model, Message string
}

// Paths says which path a file has in the repository, with slashes; the file as it was given where it is in none.
type Paths func(file string) string

// Where is the file that a finding lies in, as it was given: that of its component, else that of the model, else the reference.
func (r *Run) Where(f *Finding) string {
	switch {
	case f.File != "":
		return f.File
	case r.Source != "":
		return r.Source
	}
	return r.Model
}

// Locate says where the components were written: in a file of their own, or in the model's where that is "".
func (r *Run) Locate(source string, place func(component int) (file string, line int)) {
	r.Source = source
	for i := range r.Findings {
		if f := &r.Findings[i]; f.at >= 0 && f.Component != "" {
			if f.File, f.Line = place(f.at); f.File == source {
				f.File = ""
			}
		}
	}
}

// Relate says where the sizes that a component refuses were set. It follows Locate, whose places it takes.
func (r *Run) Relate(origins func(component int) []int, place func(component int) (file string, line int)) {
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.at < 0 || f.Component == "" || f.Severity != rules.Block {
			continue
		}
		own := Spot{r.Where(f), f.Line}
		for _, j := range origins(f.at) {
			s := Spot{}
			if s.File, s.Line = place(j); s.Line > 0 && s != own && !slices.Contains(f.Related, s) {
				f.Related = append(f.Related, s)
			}
		}
	}
}

// Origin says in words where the sizes were set, "" where that is not known.
func (f *Finding) Origin(paths Paths) string {
	if len(f.Related) == 0 {
		return ""
	}
	words := make([]string, len(f.Related))
	for i, s := range f.Related {
		words[i] = fmt.Sprintf("%s:%d", paths(s.File), s.Line)
	}
	return "its input is computed at " + strings.Join(words, ", ")
}

// Softened says why a finding that is worth failing for does not make the command fail, or "".
func (f *Finding) Softened() string {
	switch {
	case f.Gates:
		return ""
	case f.Waived:
		return "waived: " + Plain(f.Reason)
	case f.Baseline == Existing:
		return "in the baseline"
	case f.Effective != f.Severity && rank(f.Effective) > rank(f.Severity):
		return fmt.Sprintf("counted as %s", f.Effective)
	}
	return ""
}

// rank orders severities, the worst first; what is switched off comes last.
func rank(s rules.Severity) int {
	switch s {
	case rules.Block:
		return 0
	case rules.Warn:
		return 1
	case rules.Info:
		return 2
	}
	return 3
}

// Identities give each finding a word that it keeps when lines move, the wording changes or others come and go: it is made of the
// file, the model, the rule and the component, and of a number where all of those are the same.
func (r *Run) Identities(paths Paths) []string {
	seen := map[string]int{}
	out := make([]string, len(r.Findings))
	for i := range r.Findings {
		f := &r.Findings[i]
		_, symbol, _ := strings.Cut(r.Model, ":") // of a source file, the class; the path may be written in several ways
		key := strings.Join([]string{paths(r.Where(f)), symbol, f.Test(), f.Component}, "\x00")
		seen[key]++
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", key, seen[key]))
		out[i] = hex.EncodeToString(sum[:16])
	}
	return out
}

// Plain is text on one line: what a terminal, a log or a page would not show as it is becomes a question mark. What a model is
// named cannot break a line or reach the controls of what shows it.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}
