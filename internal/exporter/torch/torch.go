// Package torch writes a graph as one PyTorch file: a module that people can read, run and go on from.
//
// The file needs nothing but torch, 1.13 or later: what is younger, or lies in another library, it brings as a few lines of its
// own. Names are kept as far as Python allows, and nothing that a caller wrote can become code. The package knows how a component
// is written from the catalogue alone, and judges nothing.
package torch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/rules"
)

// Refused is why a model is not written: PyTorch would not run it.
type Refused struct {
	Findings []string // each as "component: message"
	Cycle    bool     // it cannot be written at all
}

func (r *Refused) Error() string {
	if r.Cycle {
		return "the model has a cycle, which no PyTorch file can say: " + r.Findings[0]
	}
	return "PyTorch does not run this model: " + strings.Join(r.Findings, "; ")
}

const initIndent, bodyIndent = "        ", "        "

// model is what is known of a graph while it is written.
type model struct {
	res        *infer.Result
	order      []int // every component but notes and duplicates, inputs before their readers
	inputNodes []int // in the order of the list, as outputs
	outputs    []int
	parts      []component
	attrs      []string // the attributes of the module, empty where there is none
	class      string
	libNames   string        // what the file defines beside the model
	loops      map[int]*loop // by the component whose result leaves them
	inLoop     []*loop
	lib        *library
	findings   []string
}

// Source writes a walked graph. A model that is refused is written only if forced, with the reasons on top.
func Source(res *infer.Result, force bool) (string, error) {
	source, _, err := write(res, force)
	return source, err
}

// Module writes a walked graph that runs, and says what the class of the model is called in the file.
func Module(res *infer.Result) (source, class string, err error) { return write(res, false) }

func write(res *infer.Result, force bool) (source, class string, err error) {
	findings := blocking(res)
	if cyclic := len(res.Wiring.Cyclic) > 0; len(findings) > 0 && (cyclic || !force) {
		return "", "", &Refused{findings, cyclic}
	}
	m := &model{res: res, lib: newLibrary(), findings: findings}
	m.sort()
	if err := m.describe(); err != nil {
		return "", "", err
	}
	source, err = m.file()
	return source, m.class, err
}

// blocking lists why a model does not run.
func blocking(res *infer.Result) []string {
	var out []string
	for _, f := range rules.Run(res) {
		if f.Rule.Severity != rules.Block {
			break // blocks come first
		}
		where := ""
		if f.Node >= 0 {
			where = res.Nodes[f.Node].Component.Label() + ": "
		}
		out = append(out, where+f.Message)
	}
	for i := range res.Nodes {
		if n := &res.Nodes[i]; n.State == infer.Absent && n.Out == nil {
			out = append(out, n.Component.Label()+": is left out of a call with text alone and does not run in another one; a PyTorch file would call it")
		}
	}
	return out
}

// sort tells inputs and outputs from components that compute.
func (m *model) sort() {
	for _, i := range m.res.Wiring.Order {
		if m.res.Nodes[i].State != infer.Note {
			m.order = append(m.order, i)
		}
	}
	known := make([]bool, len(m.res.Nodes))
	for _, i := range m.order {
		known[i] = true
	}
	for i := range m.res.Nodes {
		switch {
		case !known[i]:
		case m.typeID(i) == infer.InputID:
			m.inputNodes = append(m.inputNodes, i)
		case m.isOutput(i) && len(m.inputs(i)) > 0:
			m.outputs = append(m.outputs, i)
		}
	}
}

func (m *model) typeID(i int) string {
	if t := m.res.Nodes[i].Type; t != nil {
		return t.ID
	}
	return ""
}

func (m *model) isOutput(i int) bool { return m.typeID(i) == "output" }

// inputs returns what feeds a component, without notes.
func (m *model) inputs(i int) []int {
	var out []int
	for _, j := range m.res.Wiring.Inputs(i) {
		if m.res.Nodes[j].State != infer.Note {
			out = append(out, int(j))
		}
	}
	return out
}

// describe finds how each component is written, and what that needs.
func (m *model) describe() error {
	m.parts = make([]component, len(m.res.Nodes))
	modules, order := map[string]string{}, []string{} // each once, as most components have a class in common with others
	for _, i := range m.order {
		if id := m.typeID(i); id != infer.InputID && id != "output" {
			c := describe(&m.res.Nodes[i])
			module, had := modules[c.module]
			if !had {
				module = withoutImports(c.module)
				modules[c.module], order = module, append(order, module)
			}
			c.module = module
			m.lib.need(c.build+c.call, c.module)
			m.parts[i] = c
		}
	}
	for _, module := range order {
		if module != "" {
			if err := m.lib.add(reflow(m.lib.localise(module, true, ""))); err != nil {
				return err
			}
		}
	}
	if err := m.callAgain(); err != nil {
		return err
	}
	m.attrs = make([]string, len(m.res.Nodes))
	m.findLoops()
	var owners []int
	for i := range m.parts { // in the order of the list, so that names do not depend on the wiring
		if l := m.inLoop[i]; l != nil && i == slices.Min(l.nodes[0]) || l == nil && m.parts[i].build != "" && m.parts[i].owner == i {
			owners = append(owners, i)
		}
	}
	m.name(owners, func(i int) string {
		if l := m.inLoop[i]; l != nil {
			return m.listName(l)
		}
		return m.label(i)
	})
	for _, l := range m.loops {
		l.attr = m.attrs[slices.Min(l.nodes[0])]
	}
	for i := range m.parts {
		if owner := m.parts[i].owner; owner != i {
			m.attrs[i] = m.attrs[owner]
		}
	}
	return nil
}

// name gives components attributes of one module.
func (m *model) name(owners []int, label func(i int) string) {
	labels := make([]string, len(owners))
	for k, i := range owners {
		labels[k] = label(i)
	}
	for k, name := range newNamespace(keywords, moduleNames).takeAll(labels, func(int) string { return "layer" }) {
		m.attrs[owners[k]] = name
	}
}

// file puts everything together.
func (m *model) file() (string, error) {
	code, err := m.lib.complete()
	if err != nil {
		return "", err
	}
	m.libNames = strings.Join(m.lib.names(), " ")
	names := newNamespace(keywords, builtins, m.libNames)
	m.class = names.take(className(m.res.Graph.Name))
	m.nameLoops(names)
	body := m.blocks()
	body = append(body, "class "+m.class+"(nn.Module):")
	body = append(body, m.constructor()...)
	body = append(body, "")
	body = append(body, m.forward()...)
	body = append(body, "", "")
	body = append(body, m.main()...)
	text := strings.Join(body, "\n") + "\n"
	if code != "" {
		text = code + "\n\n\n" + text
	}
	return m.head() + imports(text) + "\n\n" + text, nil
}

// head is the docstring of the file. It comes first: a comment in one of the first two lines could set the encoding of the file,
// and the name of a model stands there.
func (m *model) head() string {
	name := plain(m.res.Graph.Name, 2*maxName)
	if strings.TrimSpace(name) == "" {
		name = "A model"
	}
	lines := []string{`"""` + name + ": " + quantity.Grouped(m.res.Params) + " parameters.", "",
		"Written by verifier export from the graph " + m.res.Fingerprint() + ". Needs torch 1.13 or later, and nothing else.", `"""`}
	if len(m.findings) > 0 {
		lines = append(lines, "# PyTorch does not run this model:")
		for _, s := range m.findings {
			lines = append(lines, "# - "+plain(s, 500))
		}
	}
	return strings.Join(lines, "\n") + "\n\n"
}

// imports are those that a text needs.
func imports(text string) string {
	var out []string
	math, functions := named(text)
	if math {
		out = append(out, "import math", "")
	}
	out = append(out, "import torch")
	if functions {
		out = append(out, "import torch.nn.functional as F")
	}
	return strings.Join(append(out, "from torch import nn"), "\n") + "\n"
}

// named reports whether a text has names of math and of torch.nn.functional, outside its strings and comments.
func named(text string) (math, functions bool) {
	for line := range strings.SplitSeq(text, "\n") {
		for i := 0; i < len(line) && line[i] != '#'; {
			switch line[i] {
			case '"':
				i += max(quoted(line[i:]), 1)
				continue
			case '.':
				word := i
				for word > 0 && isWord(line[word-1]) {
					word--
				}
				math, functions = math || line[word:i] == "math", functions || line[word:i] == "F"
			}
			i++
		}
	}
	return math, functions
}

// constructor writes __init__.
func (m *model) constructor() []string {
	out := []string{"    def __init__(self):", initIndent + "super().__init__()"}
	for i := range m.parts {
		switch l := m.inLoop[i]; {
		case l == nil:
			out = append(out, m.assign(i)...)
		case i == slices.Min(l.nodes[0]):
			out = append(out, m.list(l)...)
		}
	}
	for _, t := range ties(m.res) {
		out = append(out, initIndent+"self."+m.attrs[t.node]+".weight = self."+m.attrs[t.owner]+".weight  # one weight for both")
	}
	return out
}

// assign writes the statement that makes the module of a component, if it has one.
func (m *model) assign(i int) []string {
	if m.parts[i].build == "" || m.parts[i].owner != i {
		return nil
	}
	return statement(initIndent, "self."+m.attrs[i]+" = "+m.lib.localise(m.parts[i].build, false, ""))
}

// forward writes the forward of the model, and what its arguments are.
func (m *model) forward() []string {
	var steps, results []int
	for _, i := range m.order {
		if m.inLoop[i] == nil || m.loops[i] != nil {
			steps = append(steps, i)
		}
	}
	for _, i := range m.outputs {
		results = append(results, m.source(i))
	}
	f := newFlow(m, true, steps, results)
	f.arguments(m.inputNodes, m.label)
	var remarks []string
	for k, i := range m.inputNodes {
		node := &m.res.Nodes[i]
		remarks = append(remarks, fmt.Sprintf("%s# %s: (%s), %s", bodyIndent, f.args[k], batched("batch", node.Out), dtypeOf(node)))
	}
	return f.body(remarks...)
}

// main writes what runs the file by itself.
func (m *model) main() []string {
	var items []string
	for _, i := range m.inputNodes {
		node := &m.res.Nodes[i]
		if node.OutIsInt {
			items = append(items, "torch.zeros(("+batched("2", node.Out)+"), dtype=torch.long)")
		} else {
			items = append(items, "torch.randn("+strings.TrimSuffix(batched("2", node.Out), ",")+")")
		}
	}
	out := []string{`if __name__ == "__main__":`, "    model = " + m.class + "()"}
	out = append(out, statement("    ", "inputs = "+tuple(items))...)
	out = append(out, `    print(f"{sum(p.numel() for p in model.parameters()):,} parameters")`, "    with torch.no_grad():")
	if len(m.outputs) == 1 {
		return append(out, "        outputs = (model(*inputs),)", "    print(*(tuple(y.shape) for y in outputs))")
	}
	return append(out, "        outputs = model(*inputs)", "    print(*(tuple(y.shape) for y in outputs))")
}
