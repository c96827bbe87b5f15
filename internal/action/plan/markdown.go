package plan

import (
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/quantity"
)

// tag begins every comment. It is not shown, and a bot finds by it the comment that it wrote before, to update it. A
// repository with several models has one comment for each.
func tag(r *Record) string {
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' {
			return c
		}
		return '_' // no dash: two of them would end an HTML comment
	}, clip(r.Model.Name))
	return strings.TrimSuffix("<!-- model-verifier plan "+name, " ") + " -->"
}

// Markdown writes a record as a comment on a pull request.
func Markdown(r *Record) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n### %s %s %s\n\n", tag(r), mark(r), code(r.title()), r.verdict())
	for _, f := range first(r.Run.Blockers) {
		bullet(&b, f)
	}
	more(&b, len(r.Run.Blockers))
	if len(r.Run.Blockers) > 0 {
		b.WriteString("\n")
	}
	if r.Solved != nil {
		b.WriteString(text(sentenced(r.answer())) + "\n\n")
	}
	table(&b, r)
	if text := eager(r); text != "" {
		b.WriteString("\n" + text + ".\n")
	}
	if len(r.Fixes) > 0 {
		b.WriteString("\nTo make it fit:\n")
		for i := range r.Fixes {
			fmt.Fprintf(&b, "- %s\n", text(r.Fixes[i].words()))
		}
	}
	changes(&b, r.Diff)
	if n := len(r.Run.Warnings); n > 0 {
		fmt.Fprintf(&b, "\n<details><summary>%s</summary>\n\n", count(n, "warning"))
		for _, f := range first(r.Run.Warnings) {
			bullet(&b, f)
		}
		more(&b, n)
		b.WriteString("\n</details>\n")
	}
	if len(r.Run.Withheld) > 0 {
		fmt.Fprintf(&b, "\nNo verdict on %s.\n", code(some(r.Run.Withheld)))
	}
	if last := r.last(); last != "" {
		fmt.Fprintf(&b, "\nLast run of this structure: %s.\n", code(last))
	}
	if r.Source != nil {
		fmt.Fprintf(&b, "\nSource: %s\n", code(r.Source.words()))
	}
	fmt.Fprintf(&b, "\n<sub>%s; structure %s</sub>\n", text(r.Cost.Assumptions), r.Model.Fingerprint)
	return b.String()
}

func mark(r *Record) string {
	switch {
	case !r.Run.Legal:
		return "❌"
	case len(r.Run.Withheld) > 0, len(r.Run.Warnings) > 0:
		return "⚠️"
	}
	return "✅"
}

// table has the figures, with what changed where there is a base.
func table(b *strings.Builder, r *Record) {
	rows := [][2]string{
		{"Parameters", text(r.counted(quantity.Grouped(r.Model.Params)))},
		{"Compute", r.compute()},
		{"Memory to train", r.onCard()},
		{"Cheapest card", r.fits()},
		{"Time", r.Cost.time()},
		{"Cost", r.Cost.price()},
	}
	if d := r.Diff; d != nil {
		if d.ParamsDelta != nil {
			rows[0][1] += " (" + signed(*d.ParamsDelta) + percentText(d) + ")"
		}
		if d.CostDeltaUSD != nil {
			rows[2][1] += " (" + moreMemory(*d.MemoryDeltaGB) + ")"
			rows[5][1] += " (" + signedDollars(d.CostDeltaUSD) + ")"
		}
	}
	if a := r.Cost.Asked; a != nil {
		rows = append(rows, [2]string{"Fits", a.words()})
	}
	if r.Cost.RefusedRunUSD != nil {
		rows = append(rows, [2]string{"Refused run", r.atLeast() + dollars(*r.Cost.RefusedRunUSD)})
	}
	if r.Cost.EstCostUSD == nil {
		rows = append(rows, [2]string{"No price", text(r.unpriced())})
	} else if len(r.Cost.Withheld) > 0 {
		rows = append(rows, [2]string{"Not in it", text(r.lacks())})
	}
	rows = append(rows, [2]string{"Inference", r.Inference.words()})
	if r.SeqLen != nil {
		rows = append(rows, [2]string{"Length", r.SeqLen.sentence()})
	}
	if r.Policy.Applied {
		rows = append(rows, [2]string{"Policy", count(r.Policy.Violations, "violation")})
	}
	b.WriteString("| | |\n|---|---|\n")
	for _, row := range rows {
		fmt.Fprintf(b, "| %s | %s |\n", row[0], row[1])
	}
}

func percentText(d *Diff) string {
	if d.ParamsDeltaPct == nil {
		return ""
	}
	return ", " + signedDecimal(d.ParamsDeltaPct) + " %"
}

func changes(b *strings.Builder, d *Diff) {
	if d == nil {
		return
	}
	if d.empty() {
		b.WriteString("\nNothing changed.\n")
		return
	}
	fmt.Fprintf(b, "\n%s added, %s removed, %s changed, %s rewired; %s downstream.", quantity.Grouped(int64(d.Added)), quantity.Grouped(int64(d.Removed)),
		quantity.Grouped(int64(d.Changed)), quantity.Grouped(int64(d.Rewired)), count(d.BlastRadius, "component"))
	if d.LegalityChanged != nil {
		fmt.Fprintf(b, " Legality %s.", *d.LegalityChanged)
	}
	b.WriteString("\n\n<details><summary>Changes</summary>\n\n")
	for _, l := range first(d.Lines) {
		fmt.Fprintf(b, "- %s\n", code(l))
	}
	more(b, len(d.Lines))
	for _, g := range d.groups() {
		fmt.Fprintf(b, "- %s: %s\n", g.word, code(some(g.names)))
	}
	b.WriteString("\n</details>\n")
}

func bullet(b *strings.Builder, f action.Finding) {
	fmt.Fprintf(b, "- **%s**: %s", text(f.Title), code(f.Detail))
	if f.RuleID != "" {
		fmt.Fprintf(b, " (%s)", f.RuleID)
	}
	if f.Fix != "" {
		fmt.Fprintf(b, "; fix: %s", code(f.Fix))
	}
	b.WriteString("\n")
}

func first[T any](list []T) []T { return list[:min(len(list), mostLines)] }

func more(b *strings.Builder, n int) {
	if n > mostLines {
		fmt.Fprintf(b, "- and %s more\n", quantity.Grouped(int64(n-mostLines)))
	}
}

// code shows text of the caller as it is: nothing in it can become a link, a mention or markup. The fence is longer than any
// run of backquotes inside.
func code(s string) string {
	s = printable(s)
	longest, run := 0, 0
	for _, c := range s {
		if run++; c != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if longest > 0 {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

// text keeps our own sentences from being read as markup.
func text(s string) string {
	return strings.NewReplacer("<", "&lt;", ">", "&gt;", "|", `\|`, "*", `\*`, "_", `\_`, "`", "'").Replace(printable(s))
}
