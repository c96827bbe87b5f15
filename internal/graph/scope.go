package graph

import (
	"iter"
	"strings"
)

// Scope is the path of the module that a component is a part of, as model.layers.3.mlp; empty where none is said. Importers write it. What is
// computed again together, how long a module holds what it was called with and what a layer is follow from who shares which modules, so that
// the fingerprint counts it: by the grouping and by which names are numbers, not by the text.
func (c *Component) Scope() string {
	for i := range c.Extra {
		m := &c.Extra[i]
		if m.Name != "scope" || !strings.HasPrefix(m.Raw, `"`) {
			continue
		}
		if strings.IndexByte(m.Raw, '\\') < 0 { // nearly always
			return m.Raw[1 : len(m.Raw)-1]
		}
		if s, err := newReader(m.Raw, Limits{}).str(); err == nil {
			return s
		}
	}
	return ""
}

// How deep a path of modules is followed, and how far. The deepest of PyTorch's own models lies a dozen modules deep, and each of them is
// compared as text: a path of a megabyte of dots would take minutes. Behind that it is one module with what it lies in.
const (
	maxModules     = 64
	maxModuleBytes = 1024
)

// Modules yields the modules that a path lies in, from the outermost, and the path itself.
func Modules(scope string) iter.Seq[string] {
	scope = scope[:min(len(scope), maxModuleBytes)]
	return func(yield func(string) bool) {
		depth := 0
		for at := range len(scope) {
			if scope[at] != '.' {
				continue
			}
			if depth++; depth > maxModules || !yield(scope[:at]) {
				return
			}
		}
		if scope != "" {
			yield(scope)
		}
	}
}

// IsNumbered reports whether the innermost name of a module is a number: whether it is an item of a list of modules.
func IsNumbered(module string) bool {
	name := module[strings.LastIndexByte(module, '.')+1:]
	return name != "" && strings.Trim(name, "0123456789") == ""
}

// refineScopes adds to full who shares a component's modules. A graph that says nothing of modules stays as it is.
func (s *Structure) refineScopes() {
	modules := map[string]uint64{}
	for i := range s.graph.Components {
		if s.isNote(int32(i)) {
			continue
		}
		for m := range Modules(s.graph.Components[i].Scope()) {
			modules[m] += mix(9, s.full[i])
		}
	}
	if s.scoped = len(modules) > 0; !s.scoped {
		return
	}
	full := append([]uint64(nil), s.full...)
	for i := range s.graph.Components {
		if s.isNote(int32(i)) {
			continue
		}
		for m := range Modules(s.graph.Components[i].Scope()) {
			kind := uint64(10)
			if IsNumbered(m) {
				kind = 11
			}
			full[i] = mix(full[i], mix(kind, modules[m]))
		}
	}
	s.full = full
}

// ScopeParam is the name under which a component's modules count among what it is.
const ScopeParam = "scope"

// regrouped calls visit for the components of b that share their modules with other components than their counterparts do.
func (m *match) regrouped(visit func(j int32)) {
	if !m.a.scoped && !m.b.scoped {
		return
	}
	to, from := map[string]string{}, map[string]string{}
	for j := range int32(len(m.b.graph.Components)) {
		i := m.from[j]
		if i == free || int(i) >= len(m.a.graph.Components) {
			continue
		}
		next, stop := iter.Pull(Modules(m.a.graph.Components[i].Scope()))
		same := true
		for is := range Modules(m.b.graph.Components[j].Scope()) {
			was, more := next()
			if same = more && IsNumbered(was) == IsNumbered(is); !same {
				break
			}
			known, seen := to[was]
			if back, taken := from[is]; !seen && !taken {
				to[was], from[is] = is, was
			} else if same = known == is && back == was; !same {
				break
			}
		}
		if _, more := next(); more || !same {
			visit(j)
		}
		stop()
	}
}
