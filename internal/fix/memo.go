package fix

import (
	"slices"
	"strings"
	"sync"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// memo is what was found out of a script once, since a line can name ten thousand things of one function.
type memo struct {
	bound    map[*python.FuncDef]map[string][]python.Expr // what each name is assigned
	own      map[*python.FuncDef][]string                 // the names of a function itself
	scope    map[*python.FuncDef][]string                 // and those of the ones around it
	attrs    map[*python.ClassDef][]string
	uses     map[*python.ClassDef]map[string]use
	idle     map[*python.ClassDef][]string
	shapings func() []string // the calls that change a shape
	torch    func() bool     // whether it imports torch under this name
	crlf     func() bool
}

// use is how often an attribute is read, and assigned.
type use struct{ read, made int }

// once returns what is found out of a key, and finds it out the first time.
func once[K comparable, V any](m *map[K]V, key K, find func() V) V {
	if v, ok := (*m)[key]; ok {
		return v
	}
	if *m == nil {
		*m = map[K]V{}
	}
	v := find()
	(*m)[key] = v
	return v
}

// memo is one of a script of which nothing was found out yet.
func (c *script) memo() memo {
	return memo{
		shapings: sync.OnceValue(func() []string { return shapings(c) }),
		torch:    sync.OnceValue(func() bool { return importsTorch.MatchString(c.text) }),
		crlf:     sync.OnceValue(func() bool { return strings.Contains(c.text, "\r\n") }),
	}
}

// lookups are what is looked up in all scripts, each made when it is asked for.
type lookups struct {
	byName  func() map[string][]*function            // functions
	entries func() map[string][]located[python.Expr] // the values that dictionaries have for a text
	keys    func() []string                          // the texts that are keys of dictionaries
	global  func() []string                          // the names of modules, classes and functions
}

func (s *syntax) lookups() lookups {
	return lookups{
		byName: sync.OnceValue(func() map[string][]*function {
			out := map[string][]*function{}
			for _, f := range s.functions {
				out[f.def.Name] = append(out[f.def.Name], f)
			}
			return out
		}),
		entries: sync.OnceValue(func() map[string][]located[python.Expr] {
			out := map[string][]located[python.Expr]{}
			s.eachKey(func(c *script, key string, value python.Expr) {
				out[key] = append(out[key], located[python.Expr]{c, value})
			})
			return out
		}),
		keys: sync.OnceValue(func() (out []string) {
			s.eachKey(func(_ *script, key string, _ python.Expr) { out = append(out, key) })
			return slices.Clip(out)
		}),
		global: sync.OnceValue(func() []string { return slices.Clip(s.globalNames()) }),
	}
}

// eachKey visits the texts that are keys of dictionaries, with their values.
func (s *syntax) eachKey(visit func(c *script, key string, value python.Expr)) {
	for _, c := range s.scripts {
		for _, node := range c.nodes {
			d, ok := node.(*python.Dict)
			if !ok {
				continue
			}
			for i, k := range d.Keys {
				if text, isConst := k.(*python.Const); isConst {
					if key, isText := text.Value.(string); isText {
						visit(c, key, d.Values[i])
					}
				}
			}
		}
	}
}
