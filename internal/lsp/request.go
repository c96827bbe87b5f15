package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/fix"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/patch"
)

// onInlayHint puts the shapes of values behind their statements.
func onInlayHint(ctx context.Context, w *workspace, p *documentParams) (any, error) {
	d, err := w.analysed(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	out := []inlayHint{}
	for _, v := range d.result.values {
		if v.label == "" || v.line < p.Range.Start.Line || v.line > p.Range.End.Line || v.line >= len(d.text.lines) {
			continue
		}
		out = append(out, inlayHint{Position: d.text.written(v.line).End, Label: v.label, Kind: typeHint, PaddingLeft: true})
	}
	return out, nil
}

// onHover says what the statement of a line is made of and costs.
func onHover(ctx context.Context, w *workspace, p *documentParams) (any, error) {
	d, err := w.analysed(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	var parts []string
	for _, v := range d.result.values {
		if v.line == p.Position.Line {
			parts = append(parts, v.parts...)
		}
	}
	if len(parts) == 0 {
		return nil, nil
	}
	at := d.text.written(p.Position.Line)
	return hover{Contents: markup{"markdown", strings.Join(parts, "\n\n")}, Range: &at}, nil
}

// mendLimit is how long the changes of one document may take to be found and proved: someone waits for a menu.
const mendLimit = 2 * time.Second

// onCodeAction offers the changes that mend what blocks on the lines that are asked for. Each was made in memory, and the model judged again.
func onCodeAction(ctx context.Context, w *workspace, p *documentParams) (any, error) {
	out := []codeAction{}
	if len(p.Context.Only) > 0 && !slices.ContainsFunc(p.Context.Only, func(k string) bool { return k == "" || strings.HasPrefix(quickFix, k) }) {
		return out, nil
	}
	d, err := w.analysed(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	var wanted []diagnostic
	for _, f := range d.result.diagnostics {
		if f.Severity == severityError && f.Range.Start.Line <= p.Range.End.Line && f.Range.End.Line >= p.Range.Start.Line {
			wanted = append(wanted, f)
		}
	}
	if len(wanted) == 0 || len(d.result.targets) == 0 {
		return out, nil
	}
	r, _, err := enter(d, w.texts())
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.dir.Close() }() // it was read
	ctx, cancel := context.WithTimeout(ctx, mendLimit)
	defer cancel()
	for _, t := range d.result.targets {
		got, err := fix.Propose(ctx, fix.Request{Files: r.files(d), Rest: r.fs, Targets: []fix.Target{t}, Limits: graph.LocalLimits})
		if err != nil {
			return nil, err
		}
		out = append(out, r.actions(&got, wanted)...)
	}
	return slices.CompactFunc(out, func(a, b codeAction) bool { return a.Title == b.Title && fmt.Sprint(a.Edit) == fmt.Sprint(b.Edit) }), nil
}

// files are those that may be changed: what the document was read from, as far as it lies in the repository.
func (r *repository) files(d *document) []patch.File {
	var out []patch.File
	names := []string{d.path}
	for path := range d.result.read {
		if path != d.path {
			names = append(names, path)
		}
	}
	slices.Sort(names[1:])
	for _, path := range names {
		rel, ok := fence.Within(r.root, path)
		if !ok {
			continue
		}
		name := filepath.ToSlash(rel)
		if data, err := fence.ReadFile(r.fs, name, int64(graph.LocalLimits.Bytes)); err == nil {
			out = append(out, patch.File{Path: name, Text: string(data)})
		}
	}
	return out
}

// actions are the changes of a result that belong to the diagnostics that were asked for.
func (r *repository) actions(got *fix.Result, wanted []diagnostic) []codeAction {
	var out []codeAction
	for _, p := range got.Patches {
		if p.Proved {
			out = append(out, codeAction{Title: titled(p.Why), Kind: quickFix, IsPreferred: true, Diagnostics: wanted, Edit: r.edit(p.Edits)})
		}
	}
	for _, c := range got.Choices {
		for _, o := range c.Options {
			if len(o.Edits) > 0 {
				out = append(out, codeAction{Title: titled(o.Why), Kind: quickFix, Diagnostics: wanted, Edit: r.edit(o.Edits)})
			}
		}
	}
	return out
}

// titled is a reason as the line of a menu.
func titled(why string) string {
	why, _, _ = strings.Cut(why, "\n")
	return graph.Cut(why, 120)
}

// edit writes changes at byte offsets as those of the protocol.
func (r *repository) edit(edits []patch.Edit) workspaceEdit {
	out := workspaceEdit{Changes: map[string][]textEdit{}}
	texts := map[string]*text{}
	for _, e := range edits {
		t := texts[e.Path]
		if t == nil {
			data, err := fence.ReadFile(r.fs, e.Path, int64(graph.LocalLimits.Bytes))
			if err != nil {
				continue // it was read a moment ago
			}
			t = newText(string(data))
			texts[e.Path] = t
		}
		uri := uriOf(r.path(e.Path))
		out.Changes[uri] = append(out.Changes[uri], textEdit{span{t.at(e.Start), t.at(e.End)}, e.New})
	}
	return out
}
