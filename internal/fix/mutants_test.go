package fix

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
	"github.com/modelverifier/verifier/internal/patch"
)

// breakage is one line of a source, changed as people get it wrong.
type breakage struct {
	kind string
	edit patch.Edit
}

// breakages lists every change of a kind that a source allows, each with its numbers drawn from rng.
func breakages(rng *rand.Rand, path, text string) map[string][]breakage {
	s := parseAll([]patch.File{{Path: path, Text: text}})
	out := map[string][]breakage{}
	for _, c := range s.scripts {
		for _, node := range c.nodes {
			if c.function(node) == nil && c.around(node, isClass) == nil {
				continue
			}
			for _, b := range broken(rng, c, node) {
				if !strings.Contains(c.text[b.edit.Start:b.edit.End], "\n") {
					out[b.kind] = append(out[b.kind], b)
				}
			}
		}
	}
	return out
}

func broken(rng *rand.Rand, c *script, node any) []breakage {
	at := c.spans[node]
	to := func(kind, text string) []breakage {
		return []breakage{{kind, patch.Edit{Path: c.path, Start: at.Start, End: at.End, New: text}}}
	}
	switch n := node.(type) {
	case *python.Const, *python.Unary:
		if v, ok := integer(c, n); ok {
			next := []int64{v + 1, v * 2, v - 1, v / 2, v + 3}[rng.IntN(5)]
			if next != v {
				return to("number", strconv.FormatInt(next, 10))
			}
		}
	case *python.Name:
		def := c.function(n)
		call, isArg := c.parent[node].(*python.Call)
		if def == nil || n.ID == "self" || isArg && call.Fn == python.Expr(n) {
			return nil
		}
		if names := inScope(c, def); isArg && len(names) > 1 {
			return to("name", names[rng.IntN(len(names))])
		}
	case *python.Attr:
		if lastNameOf(n.X) != "self" {
			return nil
		}
		if rng.IntN(2) == 0 {
			return to("typo", "self."+misspell(rng, n.Name))
		}
		if own := ownAttrs(c, node); len(own) > 1 {
			return to("attribute", "self."+own[rng.IntN(len(own))])
		}
	case *python.Call:
		return brokenCall(rng, c, n, to)
	case *python.Assign:
		if f, ok := n.Value.(*python.Call); ok && len(n.Targets) == 1 && len(f.Args) > 0 && lastNameOf(n.Targets[0]) != "" &&
			lastNameOf(n.Targets[0]) == lastNameOf(f.Args[0].Value) {
			return to("line", "pass")
		}
	}
	return nil
}

// shaping are the methods and functions that are forgotten most.
var shaping = map[string]bool{"view": true, "reshape": true, "transpose": true, "permute": true, "flatten": true, "contiguous": true, "unsqueeze": true, "squeeze": true}

func brokenCall(rng *rand.Rand, c *script, n *python.Call, to func(kind, text string) []breakage) []breakage {
	var out []breakage
	if a, ok := n.Fn.(*python.Attr); ok && shaping[a.Name] {
		if lastNameOf(a.X) == "torch" && len(n.Args) > 0 {
			out = append(out, to("call", c.source(n.Args[0].Value))...)
		} else if lastNameOf(a.X) != "nn" {
			out = append(out, to("call", c.source(a.X))...)
		}
	}
	for i := 1; i < len(n.Args); i++ {
		a, b := n.Args[i-1], n.Args[i]
		if a.Name+b.Name == "" && a.Stars+b.Stars == 0 && c.source(a.Value) != c.source(b.Value) {
			from, till := c.spans[a.Value], c.spans[b.Value]
			out = append(out, breakage{"swap", patch.Edit{Path: c.path, Start: from.Start, End: till.End,
				New: c.source(b.Value) + c.text[from.End:till.Start] + c.source(a.Value)}})
		}
	}
	for _, a := range n.Args {
		if a.Name == "" {
			continue
		}
		if m := keywordBefore.FindStringSubmatchIndex(c.text[:c.spans[a.Value].Start]); m != nil {
			out = append(out, breakage{"keyword", patch.Edit{Path: c.path, Start: m[2], End: m[3], New: misspell(rng, a.Name)}})
		}
	}
	return out
}

// misspell leaves a letter out, doubles it, or swaps it with the next.
func misspell(rng *rand.Rand, word string) string {
	i := rng.IntN(len(word))
	switch {
	case len(word) == 1:
		return word + word
	case rng.IntN(3) == 0:
		return word[:i] + word[i:i+1] + word[i:]
	case rng.IntN(2) == 0 && i+1 < len(word) && word[i] != word[i+1]:
		return word[:i] + word[i+1:i+2] + word[i:i+1] + word[i+2:]
	}
	if out := word[:i] + word[i+1:]; out[0] < '0' || out[0] > '9' {
		return out
	}
	return word + "_"
}

// kinds are drawn by their weight: wrong numbers are what breaks most models.
var kinds = []string{"number", "number", "number", "number", "name", "name", "attribute", "typo", "keyword", "swap", "call", "call", "line"}

// draw breaks a source in one line, or reports that it cannot.
func draw(rng *rand.Rand, path, text string) (breakage, string, bool) {
	all := breakages(rng, path, text)
	list := all[kinds[rng.IntN(len(kinds))]]
	if len(list) == 0 {
		return breakage{}, "", false
	}
	b := list[rng.IntN(len(list))]
	changed, err := patch.Apply([]patch.File{{Path: path, Text: text}}, []patch.Edit{b.edit})
	if err != nil || changed[0].Text == text {
		return b, "", false
	}
	return b, changed[0].Text, true
}

func (b breakage) String() string {
	return fmt.Sprintf("%s %q at byte %d", b.kind, b.edit.New, b.edit.Start)
}
