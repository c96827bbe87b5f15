package edit

import (
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/spelling"
)

// places are where components stand, by what a change calls them.
type places struct {
	ids   map[string]int
	names map[string]called
}

// called is a component that has a name, the last of so many.
type called struct{ at, of int }

// few is how many words are looked up by going through the components.
const few = 8

// find returns the position of a component: by its id, else by a name that it alone has.
func (e *editor) find(path, word string) (int, error) {
	at, named := e.lookup(word)
	switch {
	case named == 1:
		return at, nil
	case named > 1:
		return -1, action.Errorf(CodeTarget, path, "%d components are named %q: give the id of one", named, clip(word))
	}
	return -1, action.Errorf(CodeTarget, path, "there is no component %q%s", clip(word), e.near(word))
}

// findAll is find for a list of words.
func (e *editor) findAll(words []string, path func(int) string) ([]int, error) {
	if e.places == nil && len(words) > few {
		e.index()
	}
	out := make([]int, len(words))
	for k, word := range words {
		i, err := e.find(path(k), word)
		if err != nil {
			return nil, err
		}
		out[k] = i
	}
	return out, nil
}

// idOf is the id of the component that a word names; a dangling connection can name one that is not there.
func (e *editor) idOf(word string) string {
	if i, named := e.lookup(word); named == 1 {
		return e.normal.Components[i].ID
	}
	return word
}

// lookup returns the position of a component that a word means, and how many it may mean.
func (e *editor) lookup(word string) (at, of int) {
	if e.places != nil {
		if i, ok := e.places.ids[word]; ok {
			return i, 1
		}
		c := e.places.names[word]
		return c.at, c.of
	}
	for i := range e.normal.Components {
		c := &e.normal.Components[i]
		if c.ID == word {
			return i, 1
		}
		if c.Name == word {
			at, of = i, of+1
		}
	}
	return at, of
}

// index notes where every component stands, for as long as none comes or goes.
func (e *editor) index() {
	e.places = &places{make(map[string]int, len(e.normal.Components)), make(map[string]called, len(e.normal.Components))}
	for i := range e.normal.Components {
		c := &e.normal.Components[i]
		if _, taken := e.places.ids[c.ID]; !taken {
			e.places.ids[c.ID] = i
		}
		e.places.names[c.Name] = called{i, e.places.names[c.Name].of + 1}
	}
}

// longestSlip is more letters than a word has that someone writes and could have meant another by.
const longestSlip = 256

// near names the component whose id is closest to a word.
func (e *editor) near(word string) string {
	const unknown = "; describe lists the ids"
	if len(word) > longestSlip {
		return unknown
	}
	best, least := "", 3
	for i := range e.normal.Components {
		if d := spelling.Distance(word, e.normal.Components[i].ID, least); d < least {
			best, least = e.normal.Components[i].ID, d
		}
	}
	if best == "" {
		return unknown
	}
	return "; did you mean " + best + "?"
}
