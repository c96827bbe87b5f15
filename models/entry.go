package models

import (
	"fmt"
	"strconv"
	"strings"
)

// Entry says what a model is and where its facts come from.
type Entry struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Family    string `json:"family"`
	Params    int64  `json:"params"`              // trained parameters of the reference implementation, shared ones once
	Published string `json:"published,omitempty"` // the number as its authors print it, where they round it: 8.03B
	Source    string `json:"source"`              // paper, library or model card
}

// Entries returns what is known about every model, sorted by id.
func Entries() []Entry {
	names := List()
	out := make([]Entry, len(names))
	for i, name := range names {
		text, err := read(name)
		if err == nil {
			out[i], err = header(name, text)
		}
		if err != nil {
			panic("models: " + err.Error()) // cannot happen: the files are embedded, and a test reads them all
		}
	}
	return out
}

// header reads the head of a file: its name, then comments that begin with the name of a fact.
//
//	graph "ResNet-18"
//	// family: convolutional
//	// params: 11,689,512
//	// source: He et al. 2016; torchvision.models.resnet18
func header(id, text string) (Entry, error) {
	e := Entry{ID: id}
	for line := range strings.SplitSeq(text, "\n") {
		if name, ok := strings.CutPrefix(line, "graph "); ok {
			e.Name, _ = strconv.Unquote(name)
			continue
		}
		comment, ok := strings.CutPrefix(line, "// ")
		if !ok {
			break
		}
		key, value, _ := strings.Cut(comment, ": ")
		if err := e.set(key, value); err != nil {
			return e, fmt.Errorf("%s: %s: %w", id, key, err)
		}
	}
	for _, fact := range [...]struct{ name, value string }{{"name", e.Name}, {"family", e.Family}, {"source", e.Source}} {
		if fact.value == "" {
			return e, fmt.Errorf("%s: no %s", id, fact.name)
		}
	}
	if e.Params <= 0 {
		return e, fmt.Errorf("%s: no params", id)
	}
	return e, nil
}

// set takes a fact; other comments are for the reader.
func (e *Entry) set(key, value string) (err error) {
	switch key {
	case "family":
		e.Family = value
	case "params":
		e.Params, err = strconv.ParseInt(strings.ReplaceAll(value, ",", ""), 10, 64)
	case "published":
		e.Published = value
	case "source":
		e.Source = value
	}
	return err
}
