package torch

import (
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// registers are the variables that results share one after the other, as people write it: x = self.conv(x).
var registers = []string{"x", "y", "z"}

// longLived is the number of statements over which a result keeps a variable of its own: that is a skip connection, and its name
// tells which.
const longLived = 16

// flow writes the body of forward.
type flow struct {
	m        *model
	main     bool  // of the model itself, not of a block
	steps    []int // components that compute, in order; a loop is there as its last result
	returned []int
	lastUse  map[int]int // of each component that something reads: the step that reads it last, len(steps) if it is returned
	args     []string
	vars     map[int]string
	names    *namespace
	holder   map[string]int // which component's result a register holds
	lines    []string
}

// source follows outputs to what they pass on.
func (m *model) source(i int) int {
	for m.isOutput(i) {
		in := m.inputs(i)
		if len(in) == 0 {
			break
		}
		i = in[0]
	}
	return i
}

// newFlow prepares the body of a forward that computes these components and returns those results.
func newFlow(m *model, main bool, nodes, results []int) *flow {
	f := &flow{m: m, main: main, returned: results, lastUse: map[int]int{}, vars: map[int]string{}, holder: map[string]int{}}
	for _, i := range nodes {
		if m.parts[i].build == "" && m.parts[i].call == "" {
			continue
		}
		for _, j := range f.sources(i) {
			f.lastUse[j] = len(f.steps)
		}
		f.steps = append(f.steps, i)
	}
	for _, i := range results {
		f.lastUse[i] = len(f.steps)
	}
	f.names = newNamespace(keywords, builtins, "block", m.libNames)
	return f
}

// loop returns the loop that a step of this forward stands for, nil for a component. Inside its own class a loop is no step.
func (f *flow) loop(i int) *loop {
	if l := f.m.loops[i]; l != nil && f.main {
		return l
	}
	return nil
}

// sources returns what a step reads.
func (f *flow) sources(i int) []int {
	if l := f.loop(i); l != nil {
		return append([]int{l.carried}, l.fixed...)
	}
	return f.m.reads(i)
}

// arguments names the parameters of forward. One that is called as a register begins in it.
func (f *flow) arguments(nodes []int, label func(i int) string) {
	labels := make([]string, len(nodes))
	for k, i := range nodes {
		labels[k] = label(i)
	}
	f.args = f.names.takeAll(labels, func(int) string { return "input" })
	for k, name := range f.args {
		f.vars[nodes[k]] = name
		f.holder[name] = nodes[k]
	}
	for _, r := range registers {
		f.names.taken[r] = true
	}
}

// body writes the whole of forward, with remarks below its head.
func (f *flow) body(remarks ...string) []string {
	out := statement("    ", "def forward("+strings.Join(append([]string{"self"}, f.args...), ", ")+"):")
	out = append(out, remarks...)
	out = append(out, f.write()...)
	results := make([]string, len(f.returned))
	for k, i := range f.returned {
		results[k] = f.vars[i]
	}
	return append(out, statement(bodyIndent, "return "+strings.Join(results, ", "))...)
}

// write writes a statement for every step.
func (f *flow) write() []string {
	for k, i := range f.steps {
		if l := f.loop(i); l != nil {
			f.repeat(k, l)
			continue
		}
		part, node := &f.m.parts[i], &f.m.res.Nodes[i]
		in := make([]string, 0, 2)
		for _, j := range f.m.reads(i) {
			in = append(in, f.vars[j])
		}
		var value string
		if part.build != "" {
			value = "self." + f.m.attrs[i] + "(" + strings.Join(in, ", ") + ")"
		} else {
			value = inline(f.m.lib.localise(part.call, false, ""), in)
		}
		note := ""
		if part.build == "" {
			note = plain(f.m.label(i), maxName)
		}
		if node.Out != nil && (len(node.In) == 0 || !node.Out.Equal(node.In[0])) {
			note = strings.TrimSpace(note + " " + pythonShape(node.Out))
		}
		if _, read := f.lastUse[i]; !read {
			f.emit(value, strings.TrimSpace(note+" (nothing reads this)"))
			continue
		}
		f.vars[i] = f.variable(k, i)
		if f.vars[i] == note {
			note = ""
		}
		f.emit(f.vars[i]+" = "+value, note)
	}
	return f.lines
}

// variable chooses where the result of step k goes.
func (f *flow) variable(k, i int) string {
	if f.lastUse[i]-k <= longLived {
		for _, r := range registers {
			if held, used := f.holder[r]; !used || f.lastUse[held] <= k {
				f.holder[r] = i
				return r
			}
		}
	}
	return f.names.take(identifier(f.m.label(i), "value"))
}

// emit writes a statement, and what there is to say about it behind it or, where there is no room, above.
func (f *flow) emit(text, note string) {
	lines := statement(bodyIndent, text)
	if note != "" {
		if last := len(lines) - 1; len(lines) == 1 && len(lines[last])+len(note)+4 <= maxWidth {
			lines[last] += "  # " + note
		} else {
			lines = append([]string{bodyIndent + "# " + note}, lines...)
		}
	}
	f.lines = append(f.lines, lines...)
}

// pythonShape writes the shape of a sample as Python shows it.
func pythonShape(s catalog.Shape) string {
	text := strings.ReplaceAll(strings.Trim(s.String(), "[]"), ",", ", ")
	if len(s) == 1 {
		text += ","
	}
	return "(" + text + ")"
}

// batched writes the shape of a batch.
func batched(first string, s catalog.Shape) string {
	if len(s) == 0 {
		return first + ","
	}
	return first + ", " + strings.ReplaceAll(strings.Trim(s.String(), "[]"), ",", ", ")
}

// dtypeOf returns the word for the elements of an input.
func dtypeOf(node *infer.Node) string {
	if node.OutIsInt {
		return "int64"
	}
	if v, ok := node.Component.Param("dtype"); ok && v.Str() != "float" {
		return v.Str()
	}
	return "float32"
}
