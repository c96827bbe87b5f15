package rules

import (
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// Open is what could not be judged: the tests that did not run, why, and what would make them run. Whatever judges a model hands it
// on, so that no record passes a test that had nothing to look at.
type Open struct {
	Tests []string // ids
	Why   string
	Fix   string // "" where nothing that a caller can give would help
}

// Coverage is how much of a model the rules could look at.
type Coverage struct {
	Hidden   []int // components without a known shape, and those that hold code of their own: what they declare is believed
	Inferred int   // connections that an importer concluded instead of reading
	Blocked  bool  // something is refused: behind it, and on the component itself, other rules hold back

	res *infer.Result
}

// Cover says how much of a walked graph the rules that found these findings could look at.
func Cover(res *infer.Result, findings []Finding) Coverage {
	c := Coverage{Blocked: Blocked(findings), res: res}
	for i := range res.Nodes {
		n := &res.Nodes[i]
		switch {
		case n.State == infer.Withheld || n.State == infer.Unknown || n.State == infer.Legal && n.Type.Has(catalog.IsOpaque):
			c.Hidden = append(c.Hidden, i)
		case n.State == infer.Refused:
			c.Blocked = true
		}
	}
	for i := range res.Graph.Connections {
		if res.Graph.Connections[i].Inferred != "" {
			c.Inferred++
		}
	}
	return c
}

// Full reports whether every component and connection was looked at.
func (c *Coverage) Full() bool { return len(c.Hidden) == 0 && c.Inferred == 0 && !c.Blocked }

// Ran reports whether a rule looked at everything that it is about. One about what is written down always does.
func (c *Coverage) Ran(r *Rule) bool { return r.Written || c.Full() }

// Open is what keeps rules from having run, nil where nothing does but a refusal, which is a finding of its own.
func (c *Coverage) Open() *Open {
	var why, fix []string
	if n := len(c.Hidden); n > 0 {
		why = append(why, plural(n, "component")+" could not be looked into ("+c.names()+")")
		if declared := c.declared(); declared < n {
			fix = append(fix, "give the shapes that are not known")
		} else {
			fix = append(fix, "write what a custom module computes as components")
		}
	}
	if c.Inferred > 0 {
		why = append(why, plural(c.Inferred, "connection")+" could not be read and "+wasOr(c.Inferred)+" inferred")
	}
	if len(why) == 0 {
		return nil
	}
	o := &Open{Why: strings.Join(why, ", and "), Fix: strings.Join(fix, ", ")}
	for _, r := range Rules() {
		if !c.Ran(r) {
			o.Tests = append(o.Tests, r.ID)
		}
	}
	return o
}

// shownNames is how many components a message lists.
const shownNames = 5

func (c *Coverage) names() string {
	var out []string
	for _, i := range c.Hidden[:min(len(c.Hidden), shownNames)] {
		out = append(out, c.res.Nodes[i].Component.Label())
	}
	if more := len(c.Hidden) - shownNames; more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, ", ")
}

// declared counts the hidden components whose shape is known by their own word.
func (c *Coverage) declared() (n int) {
	for _, i := range c.Hidden {
		if c.res.Nodes[i].State == infer.Legal {
			n++
		}
	}
	return n
}

func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

func wasOr(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}
