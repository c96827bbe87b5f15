package lsp

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/discover"
	"github.com/modelverifier/verifier/internal/fix"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
	"github.com/modelverifier/verifier/internal/importer/torch/python"
	"github.com/modelverifier/verifier/internal/load"
	"github.com/modelverifier/verifier/internal/rules"
)

// readLimit is how long the models of one file may take: an editor asks again with every key.
const readLimit = 5 * time.Second

// lookSource reads every model of a PyTorch source that a person would name, as its repository or the file itself calls it.
func lookSource(d *document, r *repository, name string, out *analysis) {
	if _, err := python.Parse(name, d.text.data); err != nil {
		var e *python.Error
		out.unparsed = true
		if errors.As(err, &e) {
			out.say(d, e.Line-1, severityError, e.Message)
		}
		return
	}
	ctx, cancel := context.WithTimeout(d.ctx, readLimit)
	defer cancel()
	calls := callsIn(r)
	for _, m := range discover.InSource(name, d.text.data) {
		s := &sourceModel{d: d, r: r, name: name, m: m, out: out}
		s.look(ctx, calls.of(m.Ref))
		if ctx.Err() != nil {
			return
		}
	}
}

// sourceModel is a model of a source on its way through the reader.
type sourceModel struct {
	d    *document
	r    *repository
	name string // of the file
	m    discover.Model
	out  *analysis

	dir string // that imports start from, with a slash behind it
}

func (s *sourceModel) symbol() string { return s.m.Ref[strings.LastIndexByte(s.m.Ref, ':')+1:] }

// look reads a model by each of the ways to call it, until one is followed to its end, and keeps what the first gave where none is.
func (s *sourceModel) look(ctx context.Context, said *discover.Call) {
	var calls []discover.Call
	if said != nil {
		calls = []discover.Call{*said}
	} else {
		var uses []discover.Example
		for _, u := range torch.Usages(s.d.text.data, []string{s.symbol()}) {
			uses = append(uses, discover.Example{Usage: u, File: s.name})
		}
		calls = discover.Calls(&s.m, uses)
	}
	if len(calls) == 0 {
		s.unasked()
		return
	}
	var first *read
	for _, c := range calls {
		got := s.read(ctx, c)
		if first == nil {
			first = got
		}
		if got.model != nil && (got.model.Status == torch.Full || got.model.Raises) {
			first = got
			break
		}
	}
	s.report(first)
}

// unasked says which arguments of the constructor nothing gives.
func (s *sourceModel) unasked() {
	var missing []string
	for _, p := range s.m.Params {
		if p.Required {
			missing = append(missing, p.Name)
		}
	}
	s.out.say(s.d, s.m.Line-1, severityHint, fmt.Sprintf(
		"is not checked: nothing says what %s is. Make one in this file, or add models: {%q: {arg: {%s: …}, input: [3x224x224]}} to %s",
		strings.Join(missing, ", "), s.m.Ref, missing[0], policyName))
}

// read is a model that was read as one call makes it.
type read struct {
	call  discover.Call
	model *torch.Model
	err   error
}

func (s *sourceModel) read(ctx context.Context, c discover.Call) *read {
	root, main := fix.ImportRoot(s.r.fs, s.name)
	s.dir = strings.TrimSuffix(s.name, main)
	out := &read{call: c}
	out.model, out.err = load.Source(ctx, root, main, s.symbol(), load.Options{Inputs: c.Inputs, Args: c.Arguments(), Limits: graph.LocalLimits})
	return out
}

// report turns what was read into diagnostics and values.
func (s *sourceModel) report(got *read) {
	if got.err != nil {
		line, message := failure(got.err)
		if line == 0 {
			line = s.m.Line - 1
		}
		s.out.say(s.d, line, severityInformation, s.symbol()+" is not checked: "+message)
		return
	}
	m := got.model
	for _, src := range m.Sources {
		s.out.read[s.r.path(path.Clean(s.dir+src.Name))] = true
	}
	inputs := got.call.Inputs
	if len(inputs) == 0 {
		for _, in := range m.Inputs {
			inputs = append(inputs, in.String())
		}
	}
	s.out.targets = append(s.out.targets, fix.Target{Path: s.name, Symbol: s.symbol(), Args: got.call.Arguments(), Inputs: inputs})
	study := action.Examine(m.Graph)
	if study.Asked() != "" && len(inputs) == 0 {
		s.out.say(s.d, s.m.Line-1, severityHint, fmt.Sprintf(
			"the shape of its input is not known. Call %s(…) with a tensor in this file, or add models: {%q: {input: [3x224x224]}} to %s",
			s.symbol(), s.m.Ref, policyName))
	}
	for _, f := range study.Findings {
		s.finding(study, m, f)
	}
	if m.Status == torch.Partly && study.Runs() && len(m.Problems) > 0 {
		p := m.Problems[0]
		s.out.say(s.d, s.own(interp.Place{File: p.File, Line: p.Line}), severityInformation, s.symbol()+" was followed up to here: "+p.Message)
	}
	s.values(study, m)
}

// own is the line from 0 of a place in this document, that of the model where it lies elsewhere.
func (s *sourceModel) own(at interp.Place) int {
	if at.Line > 0 && s.dir+at.File == s.name {
		return at.Line - 1
	}
	return s.m.Line - 1
}

// finding marks a finding of a rule on the line that made its component, with the lines that made what it refuses.
func (s *sourceModel) finding(study *action.Study, m *torch.Model, f rules.Finding) {
	if f.Rule.Severity == rules.Info {
		return
	}
	line, message := s.m.Line-1, f.Message
	if f.Node >= 0 && f.Node < len(m.Lines) {
		line = s.own(m.Lines[f.Node])
	}
	if m.Raises && f.Rule.ID == catalog.SourceRaises && len(m.Problems) > 0 {
		message = m.Problems[len(m.Problems)-1].Message
	}
	if f.Fix != "" {
		message += "\nfix: " + f.Fix
	}
	found := ruled(s.d.text.written(line), f.Rule.Severity, f.Rule.ID, message)
	if f.Node >= 0 && f.Rule.Severity == rules.Block {
		for _, o := range study.Walked.Origins(f.Node) {
			if o < len(m.Lines) && m.Lines[o].Line > 0 && s.own(m.Lines[o]) != line && s.dir+m.Lines[o].File == s.name {
				at := s.d.text.written(m.Lines[o].Line - 1)
				found.RelatedInformation = append(found.RelatedInformation, related{location{s.d.uri, at}, "what arrives is made here"})
			}
		}
	}
	s.out.diagnostics = append(s.out.diagnostics, found)
}

// values are what the statements of this document give, in the order in which they ran: where a layer is called, and what runs no layer.
func (s *sourceModel) values(study *action.Study, m *torch.Model) {
	nodes := study.Walked.Nodes
	byLine := map[int]int{} // index in out.values
	for i := range s.out.values {
		byLine[s.out.values[i].line] = i
	}
	for i := 0; i < len(nodes) && i < len(m.Calls); {
		at, end := m.Calls[i], i+1
		for end < len(nodes) && end < len(m.Calls) && m.Calls[end] == at {
			end++ // one statement may run several operations, of which the last gives its value
		}
		if at.Line > 0 && s.dir+at.File == s.name {
			s.statement(byLine, at.Line-1, nodes[i:end])
		}
		i = end
	}
}

// mostShapes is how many values of one line are shown, where it runs for several.
const mostShapes = 3

func (s *sourceModel) statement(byLine map[int]int, line int, nodes []nodeOf) {
	label := shapeOf(&nodes[len(nodes)-1])
	i, seen := byLine[line]
	if !seen {
		i = len(s.out.values)
		byLine[line] = i
		s.out.values = append(s.out.values, value{line: line})
	}
	v := &s.out.values[i]
	if shown := strings.Split(v.label, " | "); label != "" && !slices.Contains(shown, label) {
		switch {
		case v.label == "":
			v.label = label
		case len(shown) < mostShapes:
			v.label += " | " + label
		case shown[len(shown)-1] != "…":
			v.label += " | …"
		}
	}
	for k := range nodes {
		if text := costs(&nodes[k]); text != "" && !slices.Contains(v.parts, text) && len(v.parts) < mostParts {
			v.parts = append(v.parts, text)
		}
	}
}
