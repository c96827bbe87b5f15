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
func (x *fault) spellings() []candidate {
	var out []candidate
	for _, s := range x.steps {
		if s.far > 1 {
			continue
		}
		s.inside(func(node any) { out = append(out, x.respell(s, node)...) })
	}
	if word(noKeyword, x.message) == "" {
		return out
	}
	for _, c := range x.scripts { // a keyword may go through functions that take any
		for _, node := range c.nodes {
			if call, ok := node.(*python.Call); ok {
				out = append(out, x.keyword(c, call)...)
			}
		}
	}
	return out
}

func (x *fault) respell(s step, node any) []candidate {
	switch n := node.(type) {
	case *python.Name:
		if word(noName, x.message) == n.ID {
			return x.nearest(s, node, n.ID, "", append(x.visible(s, n), x.globalNames()...))
		}
	case *python.Attr:
		if word(noAttr, x.message) == n.Name {
			known := ownAttrs(s.script, node)
			known = append(known, slices.Sorted(maps.Keys(x.attrs))...)
			for _, f := range x.functions {
				known = append(known, f.def.Name)
			}
			if out := x.nearest(s, node, n.Name, s.source(n.X)+".", known); len(out) > 0 {
				return out
			}
			return x.nearest(s, node, n.Name, s.source(n.X)+".", torch.Attributes())
		}
	case *python.Const:
		if text, ok := n.Value.(string); ok && text != "" && text == word(noKey, x.message) {
			return x.nearestText(s, n, text)
		}
	}
	return nil
}

func word(r *regexp.Regexp, message string) string {
	for _, w := range r.FindStringSubmatch(message)[min(1, len(r.FindStringSubmatch(message))):] {
		if w != "" {
			return w
		}
	}
	return ""
}

// nearest offers the known words that are as near as the nearest.
func (x *fault) nearest(s step, node any, is, prefix string, known []string) []candidate {
	var out []candidate
	for _, k := range near(is, known) {
		c := s.replace(node, prefix+k, costSpelling+s.far)
		c.respells = true
		out = append(out, c)
	}
	return out
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

func (x *fault) globalNames() []string {
	var out []string
	for _, c := range x.scripts {
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
	return append(out, slices.Sorted(maps.Keys(x.globals))...)
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

// keyword spells a keyword of a call as a parameter of what is called.
func (x *fault) keyword(s *script, call *python.Call) []candidate {
	wrong := word(noKeyword, x.message)
	var known []string
	name := lastName(call.Fn)
	for _, f := range x.functions {
		if f.def.Name == name || f.class != nil && f.class.Name == name && f.def.Name == "__init__" {
			for _, p := range f.def.Params {
				known = append(known, p.Name)
			}
		}
	}
	known = append(known, torch.Keywords(name)...)
	var out []candidate
	for _, a := range call.Args {
		at, ok := s.spans[a.Value]
		if a.Name != wrong || !ok {
			continue
		}
		before := keywordBefore.FindStringSubmatchIndex(s.text[:at.Start])
		if before == nil {
			continue
		}
		for _, k := range near(wrong, known) {
			c := s.insert(before[2], k, costSpelling, k+"= in place of "+wrong+"=")
			c.edits[0].End = before[3]
			out = append(out, c)
		}
	}
	return out
}

// nearestText offers other keys of dictionaries.
func (x *fault) nearestText(s step, n *python.Const, is string) []candidate {
	var known []string
	for _, c := range x.scripts {
		for _, node := range c.nodes {
			if d, ok := node.(*python.Dict); ok {
				for _, k := range d.Keys {
					if t, ok := k.(*python.Const); ok {
						if text, isText := t.Value.(string); isText {
							known = append(known, text)
						}
					}
				}
			}
		}
	}
	quote := s.source(n)[:1]
	var out []candidate
	for _, k := range near(is, known) {
		out = append(out, s.replace(n, quote+k+quote, costSpelling+s.far))
	}
	return out
}
