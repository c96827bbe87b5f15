package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/edit"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/report/annotate"
	"github.com/modelverifier/verifier/internal/rules"
)

var _ = define(tool{
	name: "edit", title: "Change a graph file",
	doc: `Makes changes one after the other, all or none, writes the file and returns the new verdict. Each is {op:"add",component,type,params,from,to}, ` +
		`{op:"change",component,params} (null takes a parameter away), {op:"connect",from,to,at}, {op:"remove",component,join}, {op:"remove",from,to}, ` +
		`{op:"insert",component,type,from,to}, {op:"duplicate",components}, {op:"group",components,name}, or the "edit" of a finding as it is. Other lines of the file stay as ` +
		`they are. undoIfWorse leaves the file alone where more would block. digest is the "file digest" of an earlier answer: refused if the file ` +
		`changed since. An inline model comes back changed; nothing is written.`,
	input: modelLikeCheck + `,"changes":{"type":"array","maxItems":1000,"items":{"type":["object","array"],"properties":{"op":{"enum":["` + strings.Join(edit.Kinds, `","`) + `"]},"component":{"type":"string"},"type":{"type":"string"},"name":{"type":"string"},` +
		`"params":{"type":"object"},"param":{"type":"string"},"value":{},"from":{"type":["string","array"]},"to":{"type":["string","array"]},"at":{"type":"integer"},"join":{"type":"boolean"},"components":{"type":["string","array"]}}}},` +
		`"undoIfWorse":{"type":"boolean"},"digest":{"type":"string"}`,
	required: []string{"changes"},
	output:   []string{"written", "undone", "digest", "verdict", "summary", "findings", "before", "model"},
	writes:   true,
	run:      editModel,
})

// editBody is what an edit came to: the verdict of the changed model, also where the change was undone because of it.
type editBody struct {
	Written  bool             `json:"written"`
	Undone   bool             `json:"undone"`
	Digest   string           `json:"digest,omitempty"` // of the file as it is now
	Verdict  string           `json:"verdict"`
	Summary  string           `json:"summary"`
	Findings []action.Finding `json:"findings"`
	Before   verdictBefore    `json:"before"`
	Model    json.RawMessage  `json:"model,omitempty"` // of an inline graph
}

type verdictBefore struct {
	Verdict string `json:"verdict"`
	Blocks  int    `json:"blocks"`
}

func editModel(s *Server, ctx context.Context, a *arguments) (*answer, error) {
	f, err := a.fields()
	if err != nil {
		return nil, err
	}
	undo, digest := f.Bool("undoIfWorse"), f.Str("digest")
	if err := f.Err(); err != nil {
		return nil, err
	}
	ops, err := edit.Decode(string(a.member("changes")), "changes")
	if err != nil {
		return nil, err
	}
	m, err := a.model(ctx)
	if err != nil {
		return nil, err
	}
	if err := editable(m, digest); err != nil {
		return nil, err
	}
	changed, err := edit.Apply(m.graph, ops, limits)
	if err == nil {
		err = shapes(changed, action.Model)
	}
	if err != nil {
		return nil, err
	}
	before, after := check.Run(&check.Request{Model: m.graph.Clone()}), check.Run(&check.Request{Model: changed.Clone()})
	out := editBody{
		Digest: m.digest, Verdict: after.Verdict, Summary: after.Summary, Findings: after.Findings,
		Before: verdictBefore{before.Verdict, len(edit.Blocking(before.Findings))}, Undone: undo && worse(before, after),
	}
	if f, grown := explosion(before, after); grown {
		out.Findings = append(out.Findings, f)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case m.inline && out.Undone:
		out.Model = m.graph.AppendJSON(nil)
	case m.inline:
		out.Model = changed.AppendJSON(nil)
	case !out.Undone:
		if out.Digest, err = s.save(m, changed); err != nil {
			return nil, err
		}
		out.Written = true
	}
	return &answer{body: out, text: annotate.Harmless(out.text(m))}, nil
}

// explodes is how many times as many parameters make a change suspect: a number with a digit too many.
const explodes = 10

// explosion warns of a change after which the model has ten times the parameters or more. Whoever meant it goes on.
func explosion(before, after *check.Result) (action.Finding, bool) {
	was, is := before.Study.Walked.Params, after.Study.Walked.Params
	if was == 0 || is/explodes < was || len(before.Study.Walked.ParamsWithheld()) > 0 {
		return action.Finding{}, false
	}
	return action.Finding{
		Stage: action.Preflight, Severity: rules.Warn, Title: "The change multiplies the parameters",
		Detail: fmt.Sprintf("the model has %s parameters, %d times the %s before the change", quantity.Grouped(is), is/was, quantity.Grouped(was)),
	}, true
}

// editable refuses what cannot be written back without losing something.
func editable(m *model, digest string) error {
	switch {
	case m.inline:
		return nil
	case m.data == nil:
		return refuse(codeForm, action.Model, m.path+" is no graph: it was imported", "import it, write its graph to a .json file, and edit that.")
	case digest != "" && digest != m.digest:
		return refuse(codeChanged, "digest", fmt.Sprintf("%s changed since: its digest is %s", m.path, m.digest), "Read it again, see whether your changes still make sense, and send the new digest.")
	case m.loaded.Graph == nil:
		return refuse(codeForm, action.Model, m.path+" is the body of a request and not a graph", "Write its model to a file of its own, and edit that.")
	}
	return nil
}

func isObject(data []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) }

// hasComments reports whether the notation has a comment. What stands in quotes is none; a doubt counts as one.
func hasComments(text string) bool {
	for line := range strings.Lines(text) {
		if strings.Contains(line, "//") || strings.Contains(line, "#") {
			return true
		}
	}
	return false
}

// worse reports whether more blocks than before, or the verdict is a worse one.
func worse(before, after *check.Result) bool {
	rank := map[string]int{"ok": 0, "warn": 1, "ask": 2, "block": 3}
	return len(edit.Blocking(after.Findings)) > len(edit.Blocking(before.Findings)) || rank[after.Verdict] > rank[before.Verdict]
}

func (b *editBody) text(m *model) string {
	what := "written to " + m.path
	switch {
	case b.Undone:
		what = "undone, nothing written: more blocks than before"
	case m.inline:
		what = "changed, nothing written"
	}
	text := fmt.Sprintf("%s\n%s: %s (before: %s, %d blocking)\n", what, b.Verdict, b.Summary, b.Before.Verdict, b.Before.Blocks) + findings(b.Findings)
	if b.Digest != "" {
		text += "file digest " + b.Digest
	}
	return text
}
