package rules

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// maxUnread is how many parameters of one component are named: beyond a few, the type is wrong and not the spelling.
const maxUnread = 4

var _ = define(Rule{
	ID:       "unread-param",
	Title:    "A parameter that nothing reads",
	Severity: Warn,
	Doc:      `The type has no parameter of this name, so the value changes nothing and a default may stand in its place: a misspelt dilation is a dilation of 1. PyTorch would refuse an unknown keyword. Correct the spelling or remove the parameter. The same holds for a second name of a parameter that is given under its own name too: that one is read, the other is not.`,
	Source:   "Python: TypeError, unexpected keyword argument",
	Whole: func(p *Pass) {
		for i := range p.Nodes {
			n := &p.Nodes[i]
			if n.Type == nil || n.State == infer.Note {
				continue
			}
			unread := 0
			for k := range n.Component.Params {
				given := &n.Component.Params[k]
				if n.Type.Param(given.Name) != nil || given.Value.Kind() == graph.Null {
					continue
				}
				if unread++; unread <= maxUnread {
					p.reportUnread(i, given.Name)
				}
			}
			if unread > maxUnread {
				p.Reportf(i, "%d further parameters are not read either", unread-maxUnread)
			}
		}
	},
	Examples: []string{
		"x: input shape=[3,32,32]\nc: conv2d outChannels=8 kernelSize=3 dillation=2 // want\no: output\nx -> c -> o",
		"x: input shape=[4,8]\ns: softmax dim=1 axis=2 // want\no: output\nx -> s -> o",
		"x: input shape=[3,32,32]\nc: conv2d outChannels=8 kernelSize=3 dilation=2\no: output\nx -> c -> o",
		"x: input shape=[4,8]\ns: softmax axis=1\no: output\nx -> s -> o",
	},
})

// mostGuesses is how many names of a graph are compared with the parameters of a type: more of them are not misspelt.
const mostGuesses = 512

// guess is a name that a type does not know.
type guess struct {
	typ  *catalog.Type
	name string
}

// meant is the parameter that was probably meant. Components of one type repeat a name.
func (p *Pass) meant(t *catalog.Type, name string) string {
	near, seen := p.guesses[guess{t, name}]
	if !seen && len(p.guesses) < mostGuesses {
		if p.guesses == nil {
			p.guesses = map[guess]string{}
		}
		near = t.NearestParam(name)
		p.guesses[guess{t, name}] = near
	}
	return near
}

// reportUnread says why a parameter is not read. Leaving out a second name is certain to change nothing.
func (p *Pass) reportUnread(i int, name string) {
	t := p.Nodes[i].Type
	if canonical := t.Canonical(name); canonical != name {
		p.ReportEdit(i, name, graph.Value{}, "%s is another name for %s, which is given too and is the one that is read", graph.Brief(name), canonical)
		return
	}
	if near := p.meant(t, name); near != "" {
		p.Reportf(i, "%s has no parameter %s and does not read it; did you mean %s?", t.ID, graph.Brief(name), near)
		return
	}
	p.Reportf(i, "%s has no parameter %s and does not read it", t.ID, graph.Brief(name))
}
