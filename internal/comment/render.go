package comment

import (
	"cmp"
	"fmt"
	"math/big"
	"strings"

	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/report"
	"github.com/modelverifier/verifier/internal/report/markdown"
)

// MaxBytes is how long a comment may be: GitHub takes 65,536 characters, GitLab more.
const MaxBytes = 65_536

// mostRows is how many models the shortest form shows.
const mostRows = 100

// Tag begins the comment. It is not shown; by it the comment is found again. A name keeps those of several workflows apart.
func Tag(name string) string {
	name = strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' {
			return c
		}
		return '_' // no dash: two of them would end an HTML comment
	}, name)
	return strings.TrimSuffix("<!-- model-verifier comment "+name[:min(len(name), 100)], " ") + " -->"
}

// form is how much of a comment is written.
type form struct {
	plans    bool // the whole plans, folded away
	findings bool // those that fail nothing, too
	details  bool // sections at all
	rows     int
}

// Markdown writes the comment, shorter where it would be too long.
func Markdown(r *Record, tag, version string) string {
	forms := []form{{true, true, true, mostRows}, {false, true, true, mostRows}, {false, false, true, mostRows}}
	for rows := mostRows; rows > 0; rows /= 2 {
		forms = append(forms, form{rows: rows})
	}
	text := ""
	for i, f := range forms {
		if text = write(r, tag, version, f, i > 0); len(text) <= MaxBytes {
			return text
		}
	}
	return text // one row and one heading are never too long
}

func write(r *Record, tag, version string, f form, short bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n### %s\n", tag, heading(r))
	shown := worth(r)
	table(&b, shown, f.rows)
	if n := len(r.Models) - len(shown); n > 0 {
		fmt.Fprintf(&b, "\nOf %d more nothing is worth showing: %s.\n", n, quiet(r))
	}
	for _, m := range shown {
		if f.details && b.Len() <= MaxBytes { // beyond that it is not used
			section(&b, m, f, len(r.Models) > 1)
		}
	}
	if short {
		b.WriteString("\nShortened, because a comment cannot be longer: the job's log and its files have everything.\n")
	}
	fmt.Fprintf(&b, "\n<sub>%s</sub>\n", foot(r, version))
	return b.String()
}

// worth are the models that the comment is about: all of them where none is worth one, as in a comment that is corrected.
func worth(r *Record) (out []*Model) {
	all := !r.Worth()
	for i := range r.Models {
		if m := &r.Models[i]; all || m.Worth() {
			out = append(out, m)
		}
	}
	return out
}

// quiet names the first of those that are not.
func quiet(r *Record) string {
	var names []string
	for i := range r.Models {
		if m := &r.Models[i]; !m.Worth() && len(names) < 5 {
			names = append(names, markdown.Code(short(m.Path))+" "+m.words())
		}
	}
	return strings.Join(names, ", ")
}

// heading is the verdict on all models.
func heading(r *Record) string {
	if len(r.Models) == 0 {
		return "✅ No model has changed"
	}
	bad, worst := 0, &r.Models[0]
	for i := range r.Models {
		m := &r.Models[i]
		if m.bad() {
			bad++
		}
		if rank(m) < rank(worst) {
			worst = m
		}
	}
	mark := worst.mark()
	switch {
	case len(r.Models) == 1:
		return mark + " " + markdown.Code(short(worst.Path)) + " " + worst.words()
	case bad == 1:
		return fmt.Sprintf("%s 1 of %d models: %s %s", mark, len(r.Models), markdown.Code(short(worst.Path)), worst.words())
	case bad > 1:
		return fmt.Sprintf("%s %d of %d models are refused", mark, bad, len(r.Models))
	}
	return fmt.Sprintf("%s %d models pass", mark, len(r.Models))
}

// rank orders models: what is worse comes first.
func rank(m *Model) int {
	switch {
	case m.bad():
		return 0
	case m.warned():
		return 1
	}
	return 2
}

// bad reports whether a model fails the job. One that does not run need not, where that is waived or was so before.
func (m *Model) bad() bool { return m.Error != "" || m.Refused || m.Head == nil }

func (m *Model) warned() bool {
	if !m.Head.Legal {
		return true
	}
	for i := range m.Findings {
		if f := &m.Findings[i]; !f.Waived && f.Baseline != report.Existing && f.Effective == "warn" {
			return true
		}
	}
	return false
}

func (m *Model) mark() string { return [...]string{"❌", "⚠️", "✅"}[rank(m)] }

// words say what became of a model.
func (m *Model) words() string {
	b, h := m.Base, m.Head
	switch {
	case m.Error != "" || h == nil:
		return "could not be read"
	case b == nil && !h.Legal:
		return "is new and does not run"
	case !h.Legal && b.Legal:
		return "no longer runs"
	case !h.Legal:
		return "does not run, as before"
	case m.Gate == report.Refused:
		return "grows more than the policy allows"
	case m.Refused:
		return "runs, and is refused"
	case b == nil:
		return "is new and runs"
	case !b.Legal:
		return "now runs"
	case !m.Changed:
		return "has not changed"
	case !b.Known || !h.Known:
		return "changed"
	}
	size := cmp.Or(cmp.Compare(*h.Params, *b.Params), cmp.Compare(*h.CardBytes, *b.CardBytes), cmp.Compare(*h.FLOPs, *b.FLOPs))
	switch cost := cmp.Compare(*h.CostMicroUSD, *b.CostMicroUSD); {
	case cost > 0:
		return "got dearer"
	case cost < 0:
		return "got cheaper"
	case size > 0:
		return "got larger at the same cost"
	case size < 0:
		return "got smaller at the same cost"
	}
	return "changed at the same cost"
}

// short keeps a path in a row: the end of it says most.
func short(path string) string {
	const most = 120
	if letters := []rune(report.Plain(path)); len(letters) > most {
		return "…" + string(letters[len(letters)-most+1:])
	}
	return path
}

// table has one row for each model that figures are known of.
func table(b *strings.Builder, models []*Model, rows int) {
	written, left := 0, 0
	for _, m := range models {
		switch {
		case m.Head == nil:
		case written == rows:
			left++
		default:
			if written == 0 {
				b.WriteString("\n| | Parameters | Compute, one sample | Memory to train, estimated | Cost to train, estimated |\n|---|---|---|---|---|\n")
			}
			written++
			row(b, m)
		}
	}
	if left > 0 {
		fmt.Fprintf(b, "\nAnd %d more.\n", left)
	}
}

func row(b *strings.Builder, m *Model) {
	fmt.Fprintf(b, "| %s %s |", m.mark(), strings.ReplaceAll(markdown.Code(short(m.Path)), "|", "\\|"))
	for _, c := range columns {
		b.WriteString(" " + c.cell(m) + " |")
	}
	b.WriteString("\n")
}

// column is one figure of a row.
type column struct {
	of     func(*Figures) *int64
	words  func(int64) string
	bounds bool // whether it is a lower bound where components are withheld; the others are complete or null
}

var columns = []column{
	{func(f *Figures) *int64 { return f.Params }, quantity.Grouped, false},
	{func(f *Figures) *int64 { return f.FLOPs }, quantity.FLOPs, false},
	{func(f *Figures) *int64 { return f.CardBytes }, quantity.Bytes, true},
	{func(f *Figures) *int64 { return f.CostMicroUSD }, quantity.AboutDollars, true},
}

// written is the figure of a version in words, and whether it is that of the whole.
func (c *column) written(f *Figures) (string, bool) {
	n := c.of(f)
	switch {
	case n == nil:
		return "not known", false
	case c.bounds && len(f.Withheld) > 0:
		return "at least " + c.words(*n), false
	}
	return c.words(*n), true
}

// cell has what there was, what there is, and the change.
func (c *column) cell(m *Model) string {
	now, whole := c.written(m.Head)
	if m.Base == nil {
		return now
	}
	before, wasWhole := c.written(m.Base)
	if !whole || !wasWhole {
		if before == now {
			return now
		}
		return before + " → " + now
	}
	from, to := *c.of(m.Base), *c.of(m.Head)
	if from == to {
		return now
	}
	delta := change(from, to)
	if before == now { // they differ by less than is shown
		return now + delta
	}
	return before + " → **" + now + "**" + delta
}

// change is a change in percent with one digit; as a factor from ten times on.
func change(before, after int64) string {
	if before <= 0 {
		return ""
	}
	sign, diff := "+", new(big.Int).Sub(big.NewInt(after), big.NewInt(before))
	if diff.Sign() < 0 {
		sign = "−"
		diff.Neg(diff)
	}
	was := big.NewInt(before)
	tenths := diff.Mul(diff, big.NewInt(2000)) // twice as many, so that half of the amount before rounds up
	tenths.Quo(tenths.Add(tenths, was), new(big.Int).Lsh(was, 1))
	switch {
	case tenths.Sign() == 0:
		return " (" + "less than " + sign + "0.1 %)"
	case tenths.Cmp(big.NewInt(9000)) >= 0 && sign == "+":
		return " (×" + quantity.Grouped(new(big.Int).Quo(big.NewInt(after), was).Int64()) + ")"
	}
	whole, rest := new(big.Int).QuoRem(tenths, big.NewInt(10), new(big.Int))
	return " (" + sign + whole.String() + "." + rest.String() + " %)"
}

// section has what there is to say about one model: findings first, the rest folded away.
func section(b *strings.Builder, m *Model, f form, several bool) {
	run := &report.Run{Model: m.Path}
	for i := range m.Findings {
		if g := &m.Findings[i]; f.findings || g.Gates {
			run.Findings = append(run.Findings, g.report())
		}
	}
	found := markdown.Findings(run, func(file string) string { return file })
	if several && (m.Error != "" || found != "" || f.plans && m.Plan != "") {
		fmt.Fprintf(b, "\n#### %s %s %s\n", m.mark(), markdown.Code(short(m.Path)), m.words())
	}
	if m.Error != "" {
		fmt.Fprintf(b, "\n%s\n", markdown.Code(m.Error))
	}
	b.WriteString(found)
	if f.plans && m.Plan != "" {
		_, text, _ := strings.Cut(m.Plan, "\n") // behind the tag of its own
		fmt.Fprintf(b, "\n<details><summary>The whole plan</summary>\n\n%s\n</details>\n", text)
	}
}

func (f *Finding) report() report.Finding {
	return report.Finding{Checker: f.Checker, Rule: f.Rule, Severity: f.Severity, Effective: f.Effective, Gates: f.Gates, Waived: f.Waived, Reason: f.Reason,
		Baseline: f.Baseline, Title: f.Title, Detail: f.Detail, Fix: f.Fix, Component: f.Component, Name: f.Name, File: f.File, Line: f.Line}
}

// foot has what a verdict is quoted with.
func foot(r *Record, version string) string {
	var parts []string
	for _, m := range worth(r) {
		if m.Head == nil || len(parts) == 10 {
			continue
		}
		structure := m.Head.Fingerprint
		if m.Base != nil && m.Base.Fingerprint != structure {
			structure = m.Base.Fingerprint + " → " + structure
		}
		if len(r.Models) > 1 {
			structure = markdown.Code(short(m.Path)) + " " + structure
		}
		parts = append(parts, structure)
	}
	text := "verifier " + markdown.Text(version)
	if len(parts) > 0 {
		text = "structure " + strings.Join(parts, ", ") + "; " + text
	}
	return text
}
