package rules

import "github.com/modelverifier/verifier/internal/infer"

var _ = define(Rule{
	ID:       "withheld-shape",
	Title:    "A shape that is not known",
	Severity: Info,
	Written:  true,
	Doc:      `Nothing behind this component can be checked: no verdict is given there rather than a guessed one. Where the catalogue does not know a module that declares no outShape, give outShape, the shape of one sample's result without the batch, and numParams if it has weights. Where a PyTorch source was not followed to its end, the message says at which line and why. Where the shape of an input is not known, it says what to give.`,
	Source:   "nothing is known of code that is not run",
	Whole: func(p *Pass) {
		for i := range p.Nodes {
			if n := &p.Nodes[i]; n.State == infer.Withheld {
				p.Reportf(i, "%s", withheld(n))
			}
		}
	},
	Examples: []string{
		"x: input shape=[8]\nm: customModule // want\no: output\nx -> m -> o",
		"x: input asks=\"the shape of x: give --input\" // want\nm: linear outFeatures=4\no: output\nx -> m -> o",
		"x: input shape=[8]\nm: customModule unread=\"net.py:9: a condition depends on data\" // want\no: output\nx -> m -> o",
		"x: input shape=[8]\nm: customModule outShape=[4]\no: output\nx -> m -> o",
	},
})

// withheld says why nothing is known behind a component.
func withheld(n *infer.Node) string {
	if n.Type.ID == infer.InputID {
		v, _ := n.Component.Param("asks")
		return v.Str()
	}
	if v, ok := n.Component.Param("unread"); ok && v.Str() != "" {
		return "the source was not followed behind this place: " + v.Str()
	}
	return "declares no outShape, so what follows it is not checked"
}
