package estimate

import (
	"path"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// glob is a pattern of names, ready to be compared with many of them.
type glob struct {
	text    string
	slashed string
	wild    bool // it has a *, a ? or a class
	literal bool // it matches itself alone
	least   int  // how many bytes a name has at the least that it matches

	between []string // what stands between its stars, nil where that has more than letters
}

func globOf(text string) glob {
	wild := strings.ContainsAny(text, "*?[")
	g := glob{text: text, slashed: slashed(text), wild: wild, literal: !wild && !strings.Contains(text, `\`), least: leastOf(text)}
	if wild && !strings.ContainsAny(text, `?[\`) {
		g.between = strings.Split(g.slashed, "*")
	}
	return g
}

// nameOf is a name that matches itself alone, whatever its letters are.
func nameOf(text string) glob {
	return glob{text: text, slashed: slashed(text), literal: true, least: len(text)}
}

func globsOf(texts []string) []glob {
	out := make([]glob, len(texts))
	for i, text := range texts {
		out[i] = globOf(text)
	}
	return out
}

// slashed makes dots what * stops at.
func slashed(s string) string { return strings.ReplaceAll(s, ".", "/") }

// leastOf counts a byte for everything in a pattern but *. What is no pattern matches nothing, however much is counted.
func leastOf(pattern string) (n int) {
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '*':
			continue
		case '\\':
			i++
		case '[':
			for i < len(pattern) && pattern[i] != ']' {
				if pattern[i] == '\\' {
					i++
				}
				i++
			}
		}
		n++
	}
	return n
}

// match reports whether a pattern matches a whole name.
func (g *glob) match(name string) bool {
	if len(name) < g.least || g.literal && len(name) > len(g.text) {
		return false
	}
	name = slashed(name)
	switch {
	case g.literal:
		return name == g.slashed
	case g.between != nil:
		return g.matchLetters(name)
	}
	ok, err := path.Match(g.slashed, name)
	return ok && err == nil
}

// matchLetters is path.Match of a pattern with letters and stars alone. It looks for what stands between two stars in a time that grows with
// the name, where path.Match tries it at every place.
func (g *glob) matchLetters(name string) bool {
	first, last := g.between[0], g.between[len(g.between)-1]
	name, ok := strings.CutPrefix(name, first)
	if !ok {
		return false
	}
	for _, part := range g.between[1 : len(g.between)-1] {
		taken, rest, ok := strings.Cut(name, part)
		if !ok || strings.Contains(taken, "/") {
			return false
		}
		name = rest
	}
	taken, ok := strings.CutSuffix(name, last)
	return ok && !strings.Contains(taken, "/")
}

// How long a comparison takes with every letter of a name, in no unit.
const (
	lookTime = 4
	tryTime  = 8 // for each letter of what path.Match tries at every place, or of a regular expression
)

// time is how long a pattern takes with one letter of a name at the most.
func (g *glob) time() int64 {
	if g.literal || g.between != nil {
		return lookTime
	}
	longest := 0
	for _, part := range strings.Split(g.slashed, "*") {
		longest = max(longest, len(part))
	}
	return tryTime * int64(longest)
}

// means reports whether a pattern means a component: its id, its scope or one above it.
func (g *glob) means(c *graph.Component) bool {
	for _, name := range [...]string{c.ID, c.Scope()} {
		if name == "" || len(name) > maxScope && name != g.text {
			continue
		}
		if rest, ok := strings.CutPrefix(name, g.text); ok && (rest == "" || rest[0] == '.') {
			return true
		}
		for at := name; len(at) >= max(1, g.least); at = above(at) {
			if g.match(at) {
				return true
			}
		}
	}
	return false
}

// above is the scope that holds a scope, empty where none does.
func above(scope string) string {
	at := strings.LastIndexByte(scope, '.')
	return scope[:max(0, at)]
}
