package estimate

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

// WordProblem is a component that says of its implementation what no importer writes.
type WordProblem struct {
	Component int
	Text      string   // what is wrong, behind the path of the member
	Allowed   []string // the words that the component can have
}

// CheckWords finds the first component whose implementation is none that an importer writes; nil where there is none. The words decide
// what an estimate counts, so that a caller who could choose them freely could choose the estimate.
func CheckWords(g *graph.Graph) *WordProblem {
	missing := false
	for i := range g.Components {
		c := &g.Components[i]
		text := c.Implementation()
		if text == "" {
			continue
		}
		t := typeOf(c)
		library, words, _ := strings.Cut(text, "/")
		if library != libraryName || t == nil || t.ID == "input" || t.ID == "output" || t.ID == "stickyNote" {
			return &WordProblem{i, "is " + quoted(text) + ", which no importer writes into " + quoted(c.Type), nil}
		}
		for words != "" {
			var word string
			word, words, _ = strings.Cut(words, "/")
			if !allowed(word, t) {
				return &WordProblem{i, "has the word " + quoted(word) + ", which no importer writes into " + t.ID + "; it takes " + strings.Join(wordsFor(t), ", "), wordsFor(t)}
			}
			missing = missing || word == "absent"
		}
	}
	if missing {
		return checkAbsent(g)
	}
	return nil
}

// checkAbsent finds a component that is said not to run in a call with text alone, and runs: what reads the text does, what is read by a
// component that runs, and everything in a model that reads none.
func checkAbsent(g *graph.Graph) *WordProblem {
	index := make(map[string]int, len(g.Components))
	for i := range g.Components {
		for _, name := range []string{g.Components[i].Name, g.Components[i].ID} {
			if _, taken := index[name]; !taken || name == g.Components[i].ID {
				index[name] = i
			}
		}
	}
	readers := make([][]int, len(g.Components))
	for _, c := range g.Connections {
		from, known := index[c.From]
		to, both := index[c.To]
		if known && both {
			readers[from] = append(readers[from], to)
		}
	}
	read := make([]bool, len(g.Components))
	var list []int
	for i := range g.Components {
		if typeOf(&g.Components[i]).Has(catalog.IsEmbedding) {
			read[i], list = true, append(list, i)
		}
	}
	text := len(list) > 0
	for len(list) > 0 {
		i := list[len(list)-1]
		list = list[:len(list)-1]
		for _, j := range readers[i] {
			if !read[j] {
				read[j], list = true, append(list, j)
			}
		}
	}
	for i := range g.Components {
		c := &g.Components[i]
		if !implementationOf(c).has(absent) {
			continue
		}
		var why string
		switch {
		case !text:
			why = "the model reads none"
		case read[i]:
			why = "the component reads the text"
		case slices.ContainsFunc(readers[i], func(j int) bool { return !implementationOf(&g.Components[j]).has(absent) }):
			why = "its result is read by what runs"
		default:
			continue
		}
		return &WordProblem{i, "has the word \"absent\", that it does not run in a call with text alone, but " + why, nil}
	}
	return nil
}

// typeOf is the type of a component however it is spelled, nil where it is not known.
func typeOf(c *graph.Component) *catalog.Type { return catalog.Lookup(catalog.Vocabulary.Type(c.Type)) }

// quoted is a word for a message, whatever was sent.
func quoted(s string) string {
	if r := []rune(strings.ToValidUTF8(s, "?")); len(r) > 40 {
		s = string(r[:40]) + "…"
	}
	return "\"" + s + "\""
}

// Variant is a word of a model's implementation, with how many components have it.
type Variant struct {
	Word       string
	Meaning    string
	Components int
	Weights    int64 // of those components
	Less       bool  // whether it takes something away: what does not run, or is not trained
}

// Implementation is whose modules a model has, where an importer says so. The zero value is PyTorch's own.
type Implementation struct {
	Library    string
	Components int
	Variants   []Variant // by word
}

// ImplementationOf gathers the words of a model. Params are the weights of each component.
func ImplementationOf(g *graph.Graph, params func(i int) int64) (out Implementation) {
	at := map[string]int{}
	for i := range g.Components {
		text := g.Components[i].Implementation()
		if text == "" {
			continue
		}
		library, words, _ := strings.Cut(text, "/")
		out.Library = library
		out.Components++
		var seen []string
		for words != "" {
			var word string
			word, words, _ = strings.Cut(words, "/")
			if slices.Contains(seen, word) {
				continue
			}
			seen = append(seen, word)
			k, known := at[word]
			if !known {
				w := ways[strings.TrimRight(word, digits)]
				k = len(out.Variants)
				at[word] = k
				out.Variants = append(out.Variants, Variant{Word: word, Meaning: w.says, Less: w.bit&(absent|detached|ungraded|frozen) != 0})
			}
			out.Variants[k].Components++
			out.Variants[k].Weights = plus(out.Variants[k].Weights, params(i))
		}
	}
	slices.SortFunc(out.Variants, func(a, b Variant) int { return strings.Compare(a.Word, b.Word) })
	return out
}
