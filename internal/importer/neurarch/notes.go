package neurarch

import (
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
)

// notes are what was translated: each sentence once, with the components that it is about.
type notes struct {
	order []string
	about map[string][]string
}

func (n *notes) add(c *graph.Component, format string, args ...any) {
	text := quantity.Sprintf(format, args...)
	if n.about == nil {
		n.about = map[string][]string{}
	}
	if _, said := n.about[text]; !said {
		n.order = append(n.order, text)
	}
	n.about[text] = append(n.about[text], c.Label())
}

// mostNamed is how many components a note names before it counts the rest.
const mostNamed = 3

// lines are the notes as they are read, in the order in which they first came up.
func (n *notes) lines() []string {
	out := make([]string, 0, len(n.order))
	for _, text := range n.order {
		who := n.about[text]
		named := strings.Join(who[:min(mostNamed, len(who))], ", ")
		if rest := len(who) - mostNamed; rest > 0 {
			named = quantity.Sprintf("%s and %d others", quantity.Own(named), rest)
		}
		out = append(out, named+": "+text)
	}
	return out
}
