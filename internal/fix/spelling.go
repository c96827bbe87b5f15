package fix

import (
	"maps"
	"regexp"
	"slices"

	"github.com/modelverifier/verifier/internal/importer/torch"
	"github.com/modelverifier/verifier/internal/importer/torch/python"
	"github.com/modelverifier/verifier/internal/spelling"
)

var (
	noName    = regexp.MustCompile(`NameError: (?:free variable |name )'(\w+)'|local variable '(\w+)'`)
	noAttr    = regexp.MustCompile(`has no attribute '(\w+)'`)
	noKeyword = regexp.MustCompile(`unexpected keyword argument '(\w+)'`)
	noKey     = regexp.MustCompile(`KeyError: '?([\w.]+)'?`)
)

// spellings are names, attributes and keywords that nothing has, with what is spelt almost so in their place.
func (x *fault) spellings() {
	m := &missing{nil, word(noName, x.message), word(noAttr, x.message), word(noKey, x.message)}
	for _, s := range x.steps {
		if s.far > 1 {
			continue
		}
		x.inside(s, func(node any) { x.respell(s, node, m) })
	}
	wrong := word(noKeyword, x.message)
	if wrong == "" {
		return
	}
	near := map[string][]string{}
	for _, c := range x.scripts { // a keyword may go through functions that take any
		for _, node := range c.nodes {
			if call, ok := node.(*python.Call); ok && x.spend(1) {
				x.keyword(c, call, wrong, near)
			}
		}
	}
}

// missing are the words of a message that nothing has, each "" where the message is about something else.
type missing struct {
	near            map[any][]string // what is spelt almost so, by the class or function that it is missing in
	name, attr, key string
}

func (x *fault) respell(s step, node any, m *missing) {
	switch n := node.(type) {
	case *python.Name:
		if m.name == n.ID {
			known := func() []string { return x.near(n.ID, append(x.visible(s, n), x.look.global()...)) }
			x.spell(s, node, "", once(&m.near, any(s.function(n)), known))
		}
	case *python.Attr:
		if m.attr != n.Name {
			return
		}
		class, _ := s.around(node, isClass).(*python.ClassDef)
		near := once(&m.near, any(class), func() []string { return x.nearAttrs(n.Name, ownAttrs(s.script, node)) })
		x.spell(s, node, s.source(n.X)+".", near)
	case *python.Const:
		if text, ok := n.Value.(string); ok && text != "" && text == m.key {
			quote := s.source(n)[:1]
			for _, k := range once(&m.near, nil, func() []string { return x.near(text, x.look.keys()) }) {
				x.offer(costSpelling+s.far, func() candidate { return s.replace(n, quote+k+quote, costSpelling+s.far) })
			}
		}
	}
}

func word(r *regexp.Regexp, message string) string {
	found := r.FindStringSubmatch(message)
	for _, w := range found[min(1, len(found)):] {
		if w != "" {
			return w
		}
	}
	return ""
}

// nearAttrs lists the attributes that are nearest to one: of a class, of any script, or else of PyTorch.
func (x *fault) nearAttrs(is string, own []string) []string {
	if !x.spend(len(x.attrs) + len(x.functions)) {
		return nil
	}
	known := append(own, slices.Sorted(maps.Keys(x.attrs))...)
	for _, f := range x.functions {
		known = append(known, f.def.Name)
	}
	if list := x.near(is, known); len(list) > 0 {
		return list
	}
	return x.near(is, torch.Attributes())
}

// spell offers to write words in the place of one.
func (x *fault) spell(s step, node any, prefix string, words []string) {
	for _, w := range words {
		x.offer(costSpelling+s.far, func() candidate {
			c := s.replace(node, prefix+w, costSpelling+s.far)
			c.respells = true
			return c
		})
	}
}

// longestSlip is more letters than a word has that someone misspells.
const longestSlip = 256

// near lists the words that are nearest to one, as far as there is time to compare them.
func (x *fault) near(is string, known []string) []string {
	if len(is) > longestSlip || !x.spend(len(known)) {
		return nil
	}
	return near(is, known)
}

// near lists the words that are nearest to one, and near enough to be meant.
func near(is string, known []string) []string {
	best, at := []string(nil), max(len(is)/3+1, min(len(is), 2)) // of one letter nothing is left where it is another one
	seen := map[string]bool{is: true}
	for _, k := range known {
		if seen[k] {
			continue
		}
		seen[k] = true
		switch d := spelling.Distance(is, k, at+1); {
		case d < at:
			best, at = []string{k}, d
		case d == at && len(best) > 0:
			best = append(best, k)
		}
	}
	return best
}

// visible lists the names that a function sees.
func (x *fault) visible(s step, n any) []string {
	if def := s.function(n); def != nil {
		return inScope(s.script, def)
	}
	return nil
}

func (s *syntax) globalNames() []string {
	var out []string
	for _, c := range s.scripts {
		for _, node := range c.nodes {
			switch n := node.(type) {
			case *python.Import:
				out = append(out, aliases(n.Names)...)
			case *python.ImportFrom:
				out = append(out, aliases(n.Names)...)
			case *python.ClassDef:
				out = append(out, n.Name)
			case *python.FuncDef:
				out = append(out, n.Name)
			}
		}
	}
	return append(out, slices.Sorted(maps.Keys(s.globals))...)
}

func aliases(names []python.Alias) []string {
	var out []string
	for _, a := range names {
		if a.As != "" {
			out = append(out, a.As)
		} else {
			out = append(out, a.Name)
		}
	}
	return out
}

var keywordBefore = regexp.MustCompile(`(\w+)\s*=\s*$`)

// farthestKeyword is how many bytes before a value its keyword begins at the most.
const farthestKeyword = 256

// keyword spells a keyword of a call as a parameter of what is called, of which near has those that are spelt almost so, by its name.
func (x *fault) keyword(s *script, call *python.Call, wrong string, near map[string][]string) {
	for _, a := range call.Args {
		at, ok := s.spans[a.Value]
		if a.Name != wrong || !ok || !x.spend(farthestKeyword/16) {
			continue
		}
		from := max(0, at.Start-farthestKeyword)
		before := keywordBefore.FindStringSubmatchIndex(s.text[from:at.Start])
		if before == nil {
			continue
		}
		called := lastName(call.Fn)
		for _, k := range once(&near, called, func() []string { return x.near(wrong, x.keywords(called)) }) {
			x.offer(costSpelling, func() candidate {
				c := s.insert(from+before[2], k, costSpelling, k+"= in place of "+wrong+"=")
				c.edits[0].End = from + before[3]
				return c
			})
		}
	}
}

// keywords lists the parameters of what is called by a name.
func (x *fault) keywords(name string) (known []string) {
	called := x.look.byName()[name]
	for _, f := range x.look.byName()["__init__"] {
		if x.spend(1) && name != "__init__" && f.class != nil && f.class.Name == name {
			called = append(slices.Clip(called), f)
		}
	}
	for _, f := range called {
		if x.spend(len(f.def.Params)) {
			for _, p := range f.def.Params {
				known = append(known, p.Name)
			}
		}
	}
	return append(known, torch.Keywords(name)...)
}
