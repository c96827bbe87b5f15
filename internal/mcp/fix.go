package mcp

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/fix"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/patch"
)

var _ = define(tool{
	name: "fix", title: "Mend a source",
	doc: `The smallest change of file.py:Class, config.json or a graph file for each finding that blocks, judged again with it. ` +
		`diff: all, for patch -p0 in the root; nothing is written. choices: several would do.`,
	input:  `"model":{"type":"string"},"inputs":` + texts + `,"args":{"type":"object"},` + policyLikeCheck,
	output: []string{"diff", "patches", "arguments", "choices", "left", "dropped", "unread"},
	run:    fixModel,
})

// fixBody is what came of it. The diff has every patch, file by file.
type fixBody struct {
	Diff string `json:"diff"`
	fix.Result
}

func fixModel(s *Server, ctx context.Context, a *arguments) (*answer, error) {
	f, err := a.fields()
	if err != nil {
		return nil, err
	}
	opt, err := a.sourceOptions(f)
	if err != nil {
		return nil, err
	}
	r := fix.Request{Rest: fence.In(s.root, "."), Judge: check.Request{Policy: f.Policy()}, Limits: limits}
	if err := f.Err(); err != nil {
		return nil, err
	}
	target := fix.Target{Args: opt.Args, Inputs: opt.Inputs}
	if err := s.sourcesOf(ctx, a, &target, &r); err != nil {
		return nil, err
	}
	out := fixBody{}
	if out.Result, err = fix.Propose(ctx, r); err != nil {
		return nil, err
	}
	for i, now := range out.Files {
		diff, err := patch.Diff(r.Files[i], now)
		if err != nil {
			return nil, err
		}
		out.Diff += diff
	}
	return &answer{body: &out, text: out.text()}, nil
}

// sourcesOf finds the file that is to be changed, and those that it imports.
func (s *Server) sourcesOf(ctx context.Context, a *arguments, t *fix.Target, r *fix.Request) error {
	ref, isRef := isString(a.member(action.Model))
	if a.member(action.Model) == nil {
		ref, isRef = s.file, s.file != ""
	}
	if !isRef {
		return refuse(graph.CodeMissing, action.Model, "model: must be the path of a file", "Give file.py:Class, config.json or a graph file inside the root; edit changes a graph that is sent as an object.")
	}
	name, err := s.locate(ref)
	if err != nil {
		return err
	}
	info, symbol, err := s.stat(&name)
	if err != nil {
		return s.fault(ref, err)
	}
	if info.IsDir() {
		return refuse(action.CodeNotFound, action.Model, fmt.Sprintf("%q is a folder", clip(ref)), "Give the file in it that is to be changed, such as config.json.")
	}
	t.Path, t.Symbol = filepath.ToSlash(name), symbol
	read := []string{t.Path}
	if strings.HasSuffix(name, ".py") {
		m, err := a.opened(ctx, a.member(action.Model), action.Model)
		if err != nil {
			return err
		}
		from := fix.ImportDir(r.Rest, t.Path)
		for _, source := range m.loaded.Imported {
			read = append(read, from+source.Name)
		}
	}
	for _, path := range read {
		if slices.ContainsFunc(r.Files, func(f patch.File) bool { return f.Path == path }) {
			continue
		}
		data, err := s.read(filepath.FromSlash(path))
		if err != nil {
			return err
		}
		r.Files = append(r.Files, patch.File{Path: path, Text: string(data)})
	}
	r.Targets = append(r.Targets, *t)
	return nil
}

// text says what came of it, in a few lines.
func (b *fixBody) text() string {
	var out strings.Builder
	for _, p := range b.Patches {
		proved := "proved"
		if !p.Proved {
			proved = "not proved"
		}
		fmt.Fprintf(&out, "%s:%d: %s (%s)\n", p.Path, p.Line, p.Why, proved)
	}
	for _, x := range b.Arguments {
		fmt.Fprintf(&out, "args %s: %s in place of %s mends %s\n", x.Name, x.Value, x.Was, x.Finding.Title)
	}
	for _, c := range b.Choices {
		fmt.Fprintf(&out, "choose: %s: %s\n", c.Finding.Title, c.Why)
		for _, o := range c.Options {
			fmt.Fprintf(&out, "- %s:%d: %s\n", o.Path, o.Line, o.Why)
		}
	}
	for _, l := range b.Left {
		fmt.Fprintf(&out, "left: %s: %s: %s\n", l.Finding.Title, l.Finding.Detail, l.Why)
	}
	for name, why := range b.Unread {
		fmt.Fprintf(&out, "%s cannot be read: %s\n", name, why)
	}
	if out.Len() == 0 {
		return "Nothing blocks.\n"
	}
	return out.String() + b.Diff
}
