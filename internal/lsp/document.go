package lsp

import (
	"path"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/fix"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/load"
	"github.com/modelverifier/verifier/internal/rules"
)

// isGraph tells a graph's file by its name, or a JSON document by its members.
func isGraph(name, text string) bool {
	switch path.Ext(name) {
	case ".graph":
		return true
	case ".json":
		return strings.Contains(text, `"components"`) && strings.Contains(text, `"connections"`)
	}
	return false
}

// lookGraph judges a graph as it stands, in either of its forms.
func lookGraph(d *document, _ *repository, name string, out *analysis) {
	g, places, err := load.Document(name, []byte(d.text.data), graph.LocalLimits)
	if err != nil {
		line, message := failure(err)
		out.unparsed = true
		out.say(d, line, severityError, message)
		return
	}
	line := func(component int) int {
		if component >= 0 && component < len(places) {
			return max(0, places[component].Line-1)
		}
		return 0
	}
	if d.ctx.Err() != nil {
		return
	}
	out.targets = []fix.Target{{Path: name}}
	study := action.Examine(g)
	for _, f := range study.Findings {
		if f.Rule.Severity == rules.Info {
			continue
		}
		message := f.Message
		if f.Fix != "" {
			message += "\nfix: " + f.Fix
		}
		found := ruled(d.text.written(line(f.Node)), f.Rule.Severity, f.Rule.ID, message)
		if f.Node >= 0 && f.Rule.Severity == rules.Block {
			for _, o := range study.Walked.Origins(f.Node) {
				found.RelatedInformation = append(found.RelatedInformation, related{location{d.uri, d.text.written(line(o))}, "what arrives is made here"})
			}
		}
		out.diagnostics = append(out.diagnostics, found)
	}
	for i := range study.Walked.Nodes {
		n := &study.Walked.Nodes[i]
		if i < len(places) && places[i].Line > 0 {
			out.values = append(out.values, value{line: places[i].Line - 1, label: shapeOf(n), parts: []string{costs(n)}})
		}
	}
}
