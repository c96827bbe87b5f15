package discover

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// A repository has many module classes and few models. A person names the factories (resnet18, vit_base), and the classes that no other
// class of the repository is made with: blocks, heads and losses are parts of those. Names are taken as they stand in the sources; what
// they are bound to in the end only an interpreter would know.

// programs are the sources of a repository.
type programs struct {
	classes map[string][]*class // by name
	makers  map[string]bool     // functions that return a model
	sources []*source

	modules map[string]bool         // names of classes of which one is a module
	inits   map[reached][]inherited // constructors that were looked for
}

func newPrograms() *programs {
	return &programs{classes: map[string][]*class{}, makers: map[string]bool{}, modules: map[string]bool{}, inits: map[reached][]inherited{}}
}

type source struct {
	file      string
	classes   []*class
	functions []*python.FuncDef
}

type class struct {
	def    *python.ClassDef
	bases  []string
	uses   map[string]bool // names that its body has
	init   *python.FuncDef // its own constructor; nil for none
	module bool            // it derives from torch's
}

// maxSource is how large a Python file may be.
const maxSource = 1 << 20

// inTests are folders whose sources use models and define none that anyone would name.
var inTests = regexp.MustCompile(`(^|/)(tests?|testing|docs?|examples?_test)/|(^|/)(test_[^/]*|[^/]*_test|conftest|setup)\.py$`)

// add reads a source.
func (p *programs) add(file, text string) {
	if !strings.Contains(text, "torch") && !strings.Contains(text, "lightning") || len(text) > maxSource {
		return
	}
	tree, err := python.Parse(file, text)
	if err != nil {
		return
	}
	s := &source{file: file}
	for _, stmt := range tree.Body {
		switch x := stmt.(type) {
		case *python.ClassDef:
			c := &class{def: x, uses: namesIn(x.Body), init: constructorOf(x)}
			for _, b := range x.Bases {
				c.bases = append(c.bases, tail(b.Value))
			}
			s.classes = append(s.classes, c)
			p.classes[x.Name] = append(p.classes[x.Name], c)
		case *python.FuncDef:
			s.functions = append(s.functions, x)
		}
	}
	p.sources = append(p.sources, s)
}

// tail is the last name of a.b.C.
func tail(x python.Expr) string {
	switch x := x.(type) {
	case *python.Name:
		return x.ID
	case *python.Attr:
		return x.Name
	case *python.Index: // Generic[T]
		return tail(x.X)
	}
	return ""
}

// namesIn are the names and last names of attributes that something has.
func namesIn(node any) map[string]bool {
	out := map[string]bool{}
	python.Each(node, func(n any) {
		switch x := n.(type) {
		case *python.Name:
			out[x.ID] = true
		case *python.Attr:
			out[x.Name] = true
		}
	})
	return out
}

// InSource finds the models of one source, which others of its repository may be made with.
func InSource(file, text string) []Model {
	p := newPrograms()
	p.add(file, text)
	return p.models()
}

// models are the factories and classes that a person would name.
func (p *programs) models() []Model {
	p.findModules()
	p.findMakers()
	parts := p.parts()
	var out []Model
	made := map[string]bool{}
	for _, s := range p.sources {
		for _, f := range s.functions {
			if strings.HasPrefix(f.Name, "_") || !p.makers[f.Name] || inTests.MatchString(s.file) || f.Name == "main" {
				continue
			}
			m := Model{Ref: s.file + ":" + f.Name, Kind: Factory, Params: parameters(f, false), Line: f.Line()}
			if required(m.Params) { // build_model(config): its classes say more
				continue
			}
			out = append(out, m)
			for n := range namesIn(f.Body) {
				made[n] = true
			}
			for n := range namesIn(f.Decorators) {
				delete(made, n)
			}
		}
	}
	p.through(made)
	for _, s := range p.sources {
		for _, c := range s.classes {
			name := c.def.Name
			if strings.HasPrefix(name, "_") || parts[name] || made[name] || inTests.MatchString(s.file) || lossName.MatchString(name) || !c.module {
				continue
			}
			m := Model{Ref: s.file + ":" + name, Kind: Class, Line: c.def.Line()}
			if init := p.constructor(c, 0); init != nil {
				m.Params = parameters(init, true)
			}
			out = append(out, m)
		}
	}
	return out
}

var lossName = regexp.MustCompile(`(Loss|Criterion|Metric)$`)

// parts are the module classes that another module class is made with or derives from. What trains a model is not made of it: both are named.
func (p *programs) parts() map[string]bool {
	out := map[string]bool{}
	for _, s := range p.sources {
		if inTests.MatchString(s.file) {
			continue
		}
		for _, c := range s.classes {
			if !c.module || slices.Contains(c.bases, "LightningModule") {
				continue
			}
			for n := range c.uses {
				out[n] = out[n] || n != c.def.Name
			}
			for _, b := range c.bases {
				out[b] = true
			}
		}
	}
	return out
}

// through adds what functions of the repository that are used in turn use: _resnet of resnet18.
func (p *programs) through(used map[string]bool) {
	for range 4 {
		for _, s := range p.sources {
			for _, f := range s.functions {
				if strings.HasPrefix(f.Name, "_") && used[f.Name] && p.makers[f.Name] {
					for n := range namesIn(f.Body) {
						used[n] = true
					}
				}
			}
		}
	}
}

// findMakers finds the functions that return a model: a call of a class or of another such function, or a name that one was bound to.
func (p *programs) findMakers() {
	for range 4 {
		for _, s := range p.sources {
			for _, f := range s.functions {
				p.makers[f.Name] = p.makers[f.Name] || p.returnsModel(f)
			}
		}
	}
}

func (p *programs) returnsModel(f *python.FuncDef) bool {
	models, found := map[string]bool{}, false
	python.Each(f.Body, func(node any) {
		switch x := node.(type) {
		case *python.Assign:
			if name, ok := x.Targets[0].(*python.Name); ok && p.isMade(x.Value) {
				models[name.ID] = true
			}
		case *python.Return:
			name, isName := x.X.(*python.Name)
			found = found || x.X != nil && p.isMade(x.X) || isName && models[name.ID]
		}
	})
	return found
}

func (p *programs) isMade(x python.Expr) bool {
	c, ok := x.(*python.Call)
	if !ok {
		return false
	}
	name := tail(c.Fn)
	return p.makers[name] || p.modules[name]
}

// parameters lists what a function takes; self is left out.
func parameters(f *python.FuncDef, method bool) (out []Param) {
	for i, param := range f.Params {
		if method && i == 0 || param.Stars > 0 {
			continue
		}
		out = append(out, Param{param.Name, param.Default == nil, numbers(param.Default)})
	}
	return out
}

// numbers writes a number, or a tuple or list of them.
func numbers(x python.Expr) string {
	switch x := x.(type) {
	case *python.Const:
		if n, ok := x.Value.(int64); ok {
			return strconv.FormatInt(n, 10)
		}
	case *python.Sequence:
		var parts []string
		for _, item := range x.Items {
			parts = append(parts, numbers(item))
		}
		if text := strings.Join(parts, ", "); !slices.Contains(parts, "") {
			return "(" + text + ")"
		}
	}
	return ""
}

func required(params []Param) bool {
	return slices.ContainsFunc(params, func(p Param) bool { return p.Required })
}

// isExample reports whether a file may show how models are called.
func isExample(file string) bool {
	ext := strings.ToLower(path.Ext(file))
	return ext == ".py" || ext == ".md"
}
