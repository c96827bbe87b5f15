package lsp

import (
	"path"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/fit/serve"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/report"
)

// engineWords begin the launch commands of the engines that are known.
var engineWords = []string{"vllm", "sglang", "trtllm-serve", "text-generation-launcher", "text-generation-inference", "llama-server"}

// isLaunch reports whether a shell script or a YAML file seems to launch a serving engine.
func isLaunch(name, text string) bool {
	if ext := path.Ext(name); ext != ".sh" && ext != ".bash" && !isYAML(name) {
		return false
	}
	for _, w := range engineWords {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// lookLaunch judges a launch command for what does not depend on the model: its words, its flags and their values.
func lookLaunch(d *document, _ *repository, _ string, out *analysis) {
	command, err := serve.CommandIn(d.text.data)
	if err != nil {
		return // no launch, or several: serve-check says which
	}
	got := serve.Check(infer.Walk(&graph.Graph{}), &serve.Request{Command: command})
	for _, f := range got.Findings {
		if !slices.Contains(got.Judged, f.Rule) { // it takes the model
			continue
		}
		s := severityWarning
		if f.Severity == serve.Block {
			s = severityError
		}
		message := f.Detail
		if f.Fix != "" {
			message += "\nfix: " + f.Fix
		}
		out.diagnostics = append(out.diagnostics, diagnostic{Range: d.text.written(lineOf(d.text, f.Detail)), Severity: s, Source: "verifier", Code: f.Rule,
			CodeDescription: &codeDescription{report.RuleURL(f.Rule)}, Message: message})
	}
}

// lineOf is the line from 0 that has the first flag that a message names, else the line with the engine's name.
func lineOf(t *text, message string) int {
	words := []string{}
	for _, w := range strings.FieldsFunc(message, func(r rune) bool { return strings.ContainsRune(" \t\"'`,;:()=", r) }) {
		if strings.HasPrefix(w, "-") && len(w) > 1 {
			words = append(words, w)
		}
	}
	for _, w := range append(words, engineWords...) {
		for n := range t.lines {
			if strings.Contains(t.line(n), w) {
				return n
			}
		}
	}
	return 0
}
