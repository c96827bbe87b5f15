package cli

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/hub"
	"github.com/modelverifier/verifier/internal/report"
	"github.com/modelverifier/verifier/internal/rules"
)

// located adds to the text about a PyTorch source where its blocks are: the line to look at, and the lines that made its input.
func (j *judge) located(r *report.Run, text func(*page)) func(*page) {
	if r == nil || j.loaded == nil || j.loaded.Kind != hub.Python || is(j.cmd, "quiet") {
		return text
	}
	return func(p *page) {
		text(p)
		first := true
		for i := range r.Findings {
			f := &r.Findings[i]
			if f.Severity != rules.Block || f.Line == 0 {
				continue
			}
			if first {
				p.line("")
				first = false
			}
			where := fmt.Sprintf("%s:%d", r.Where(f), f.Line)
			if text := j.loaded.Excerpt(f.Component); text != "" {
				where += ": " + text
			}
			p.line("%s  %s", p.word("where", 5), where)
			if origin := f.Origin(func(file string) string { return file }); origin != "" {
				p.line("       %s", origin)
			}
		}
	}
}
