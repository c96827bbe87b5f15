package discover

import (
	"slices"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// A repository may have many classes of one name, and each may be what another derives from. So names are followed, each once, and not
// the paths between classes, of which there may be as many as there are atoms.

// mostBases is how many classes of the repository are followed from one that derives to one that it derives from.
const mostBases = 10

// modules are classes of other packages that a module derives from.
var modules = []string{"Module", "LightningModule", "PreTrainedModel", "Sequential"}

// findModules finds the classes that derive from torch's, as far as the repository's own classes tell: those that say so, and then, step by
// step, those that derive from them.
func (p *programs) findModules() {
	below := map[string][]*class{} // by the names of their bases
	var found []*class
	for _, s := range p.sources {
		for _, c := range s.classes {
			for _, b := range c.bases {
				below[b] = append(below[b], c)
			}
			if c.module = slices.ContainsFunc(c.bases, isTorch); c.module {
				found = append(found, c)
			}
		}
	}
	for step := 0; len(found) > 0; step++ {
		var next []*class
		for _, c := range found {
			name := c.def.Name
			if p.modules[name] {
				continue
			}
			p.modules[name] = true
			for _, d := range below[name] {
				if !d.module && step < mostBases {
					d.module, next = true, append(next, d)
				}
			}
		}
		found = next
	}
}

func isTorch(base string) bool { return slices.Contains(modules, base) }

// constructorOf finds the constructor that a class itself has.
func constructorOf(c *python.ClassDef) *python.FuncDef {
	for _, s := range c.Body {
		if f, ok := s.(*python.FuncDef); ok && f.Name == "__init__" {
			return f
		}
	}
	return nil
}

// reached is a name that was come to in so many steps from a class to what it derives from.
type reached struct {
	name  string
	steps int
}

// inherited is a constructor that one of the classes of a name has or inherits.
type inherited struct {
	by   *class
	init *python.FuncDef
}

// constructor finds the constructor of a class or of the repository's classes that it derives from.
func (p *programs) constructor(c *class, steps int) *python.FuncDef {
	if c.init != nil || steps > mostBases {
		return c.init
	}
	for _, b := range c.bases {
		for _, got := range p.constructors(reached{b, steps + 1}) {
			if got.by != c {
				return got.init
			}
		}
	}
	return nil
}

// constructors are those of the first two classes of a name that have any: a class that derives from its own name is not its own base.
func (p *programs) constructors(at reached) []inherited {
	if out, known := p.inits[at]; known {
		return out
	}
	var out []inherited
	for _, c := range p.classes[at.name] {
		if init := p.constructor(c, at.steps); init != nil {
			if out = append(out, inherited{c, init}); len(out) == 2 {
				break
			}
		}
	}
	p.inits[at] = out
	return out
}
