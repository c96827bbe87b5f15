package torch

import (
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/exporter/scene"
)

// loop is a stretch of the model that repeats, each with the result of the one before: one class, and a ModuleList of them.
type loop struct {
	nodes   [][]int // the components of each
	title   string
	carried int   // the component whose result enters the first
	fixed   []int // components outside that every one reads
	result  int   // which component of each gives what goes on
	attr    string
	class   string // empty where one component is all
}

// last is the component whose result leaves the loop.
func (l *loop) last() int { return l.nodes[len(l.nodes)-1][l.result] }

// findLoops finds what can be written as a loop: exactly one result goes from each to the next and out of the last, and no weight is
// shared with something else.
func (m *model) findLoops() {
	m.loops, m.inLoop = map[int]*loop{}, make([]*loop, len(m.res.Nodes))
	if len(m.findings) > 0 {
		return
	}
	readers := make([][]int, len(m.res.Nodes))
	for _, i := range m.order {
		for _, j := range m.reads(i) {
			readers[j] = append(readers[j], i)
		}
	}
	tied := map[int]bool{}
	for _, t := range ties(m.res) {
		tied[t.node], tied[t.owner] = true, true
	}
	for i := range m.parts {
		if owner := m.parts[i].owner; owner != i {
			tied[i], tied[owner] = true, true
		}
	}
	for _, run := range scene.Runs(m.res) {
		l := &loop{nodes: run.Nodes, title: run.Title, carried: -1}
		if slices.ContainsFunc(slices.Concat(run.Nodes...), func(i int) bool { return tied[i] }) || !m.follow(l) || !m.closed(l, readers) {
			continue
		}
		m.loops[l.last()] = l
		for _, i := range slices.Concat(run.Nodes...) {
			m.inLoop[i] = l
		}
	}
}

// follow finds what enters a loop, and reports whether every repeat reads in the same way.
func (m *model) follow(l *loop) bool {
	first := l.nodes[0]
	if len(first) == 1 && m.parts[first[0]].build == "" {
		return false
	}
	l.result = -1
	for a, i := range first {
		if m.parts[i].build == "" && m.parts[i].call == "" {
			return false
		}
		reads, others := m.reads(i), make([][]int, len(l.nodes))
		for t := 1; t < len(l.nodes) && len(reads) > 0; t++ {
			other := l.nodes[t][a]
			if others[t] = m.reads(other); len(others[t]) != len(reads) || !m.sameButForNumbers(i, other) {
				return false
			}
		}
		for k, j := range reads {
			inside := slices.Index(first, j)
			for t := 1; t < len(l.nodes); t++ {
				in := others[t]
				switch {
				case inside >= 0 && in[k] == l.nodes[t][inside]:
				case inside < 0 && in[k] == j:
				case inside < 0 && l.carries(t, j, in[k]):
				default:
					return false
				}
			}
			if inside < 0 && j != l.carried && !slices.Contains(l.fixed, j) {
				l.fixed = append(l.fixed, j)
			}
		}
	}
	return l.carried >= 0 && !slices.Contains(l.fixed, l.carried)
}

// sameButForNumbers reports whether two components are written alike and their names differ in their numbers alone: in a loop the
// names of all but the first are lost.
func (m *model) sameButForNumbers(i, j int) bool {
	bare := func(i int) string {
		return strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return -1
			}
			return r
		}, m.res.Nodes[i].Component.Title())
	}
	return m.parts[i].build == m.parts[j].build && m.parts[i].call == m.parts[j].call && bare(i) == bare(j)
}

// carries reports whether what the first repeat reads from outside is, in repeat t, the one result of the repeat before.
func (l *loop) carries(t, from, source int) bool {
	result := slices.Index(l.nodes[t-1], source)
	if result < 0 || l.carried >= 0 && (l.carried != from || l.result != result) {
		return false
	}
	l.carried, l.result = from, result
	return true
}

// closed reports whether nothing outside reads a result other than the last.
func (m *model) closed(l *loop, readers [][]int) bool {
	mine := map[int]bool{}
	for _, i := range slices.Concat(l.nodes...) {
		mine[i] = true
	}
	for i := range mine {
		if i != l.last() && slices.ContainsFunc(readers[i], func(r int) bool { return !mine[r] }) {
			return false
		}
	}
	return true
}

// reads returns what a component reads, outputs followed to what they pass on.
func (m *model) reads(i int) []int {
	in := m.inputs(i)
	for k := range in {
		in[k] = m.source(in[k])
	}
	return in
}

// listName is what the list of a loop is called: layers for model.layers.0, h for h0.
func (m *model) listName(l *loop) string {
	name := l.title
	if name == "" && len(l.nodes[0]) == 1 {
		name = m.res.Nodes[l.nodes[0][0]].Component.Title()
	}
	name = strings.TrimRight(name, "0123456789./_-")
	name = name[strings.LastIndexAny(name, "./")+1:]
	if cut := strings.IndexAny(name, "0123456789"); cut > 0 {
		name = name[:cut]
	}
	return identifier(name, "blocks")
}

// label is what a component is called inside its class.
func (m *model) label(i int) string {
	label := m.res.Nodes[i].Component.Title()
	if l := m.inLoop[i]; l != nil {
		label = scene.ShortName(label, l.title)
	}
	if label == "" {
		return m.res.Nodes[i].Component.Type
	}
	return label
}

// nameLoops names the lists, their classes and what is inside them.
func (m *model) nameLoops(classes *namespace) {
	for _, i := range m.order {
		l := m.loops[i]
		if l == nil || len(l.nodes[0]) == 1 {
			continue
		}
		name := className(l.attr)
		if !strings.HasPrefix(strings.ToLower(name), "block") {
			name += "Block"
		}
		l.class = classes.take(strings.TrimSuffix(name, "s"))
		var owners []int
		for _, j := range l.nodes[0] {
			if m.parts[j].build != "" {
				owners = append(owners, j)
			}
		}
		slices.Sort(owners)
		m.name(owners, m.label)
	}
}

// blocks writes the class of every loop.
func (m *model) blocks() []string {
	var out []string
	for _, i := range m.order {
		l := m.loops[i]
		if l == nil || l.class == "" {
			continue
		}
		out = append(out, "class "+l.class+"(nn.Module):", "    def __init__(self):", initIndent+"super().__init__()")
		own := slices.Clone(l.nodes[0])
		slices.Sort(own)
		for _, j := range own {
			out = append(out, m.assign(j)...)
		}
		out = append(out, "")
		f := newFlow(m, false, l.nodes[0], []int{l.nodes[0][l.result]})
		f.arguments(append([]int{l.carried}, l.fixed...), func(j int) string {
			if j == l.carried {
				return "x"
			}
			return m.label(j)
		})
		out = append(out, f.body()...)
		out = append(out, "", "")
	}
	return out
}

// list writes the list of a loop.
func (m *model) list(l *loop) []string {
	one := l.class + "()"
	if l.class == "" {
		one = m.lib.localise(m.parts[l.nodes[0][0]].build, false, "")
	}
	return statement(initIndent, "self."+l.attr+" = nn.ModuleList("+one+" for _ in range("+strconv.Itoa(len(l.nodes))+"))")
}

// repeat writes the statement of a loop, which is step k.
func (f *flow) repeat(k int, l *loop) {
	in := make([]string, 0, 2)
	for _, j := range append([]int{l.carried}, l.fixed...) {
		in = append(in, f.vars[j])
	}
	to := in[0]
	if !slices.Contains(registers, to) || f.lastUse[l.carried] > k {
		to = f.free(k, l, in[1:])
		f.emit(to+" = "+in[0], "")
	}
	f.vars[l.last()], f.holder[to] = to, l.last()
	in[0] = to
	f.lines = append(f.lines, bodyIndent+"for block in self."+l.attr+":")
	f.lines = append(f.lines, statement(bodyIndent+indentStep, to+" = block("+strings.Join(in, ", ")+")")...)
}

// free returns a variable that no one needs after step k, nor the loop in it.
func (f *flow) free(k int, l *loop, used []string) string {
	for _, r := range registers {
		if held, taken := f.holder[r]; (!taken || f.lastUse[held] <= k) && !slices.Contains(used, r) {
			return r
		}
	}
	return f.names.take(identifier(f.m.label(l.last()), "value"))
}
