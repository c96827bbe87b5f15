package graph

import (
	"math"
	"strings"
)

// Body is the body of a request: its graphs decoded, everything else checked under the same strictness and kept as it was
// written.
type Body struct {
	Members []BodyMember
}

// BodyMember is one member of a body, or of a candidate.
type BodyMember struct {
	Name  string
	Raw   string         // the JSON text; empty where it was decoded as a graph
	Graph *Graph         // where the caller said that a graph stands here
	Items [][]BodyMember // of the list of candidates: the members of each
}

// candidates is the one list of a request that has graphs in it.
const candidates = "candidates"

// Member returns a member, or nil where it was left out. A null counts as left out.
func (b *Body) Member(name string) *BodyMember { return FindMember(b.Members, name) }

// FindMember returns the member with a name, or nil where it was left out or is null.
func FindMember(members []BodyMember, name string) *BodyMember {
	for i := range members {
		if m := &members[i]; m.Name == name && m.Raw != "null" {
			return m
		}
	}
	return nil
}

// memberValues is how many list items a member other than a graph may have: no list of a request is as long.
const memberValues = 10_000

// Value returns what was kept of a member. An object comes as its text; Fields reads it.
func (m *BodyMember) Value(path string) (Value, *Error) {
	v, err := newReader(m.Raw, Limits{Values: memberValues}).value()
	if err != nil {
		err.Path = path + err.Path
	}
	return v, err
}

// Fields returns the members of an object. Those that are null count as left out and are not among them.
func (m *BodyMember) Fields(path string) ([]Param, *Error) {
	r := newReader(m.Raw, Limits{Values: memberValues})
	var out []Param
	err := r.object(func(name string) *Error {
		v, err := r.value()
		if v.Kind() != Null {
			out = append(out, Param{name, v})
		}
		return err
	})
	if err != nil {
		err.Path = path + err.Path
	}
	return out, err
}

// DecodeBody reads a request in one pass. A member is decoded as a graph where graphAt says so of its path: "model", "base",
// "candidates[3].model". The body shares the memory of one copy of the document and none with data.
func DecodeBody(data []byte, limits Limits, graphAt func(path string) bool) (*Body, error) {
	return new(Room).DecodeBody(data, limits, graphAt)
}

// DecodeBody is the same in memory that was used before. What it returns is good until the room is cleared.
func (r *Room) DecodeBody(data []byte, limits Limits, graphAt func(path string) bool) (*Body, error) {
	text, err := limits.text(data, "")
	if err != nil {
		return nil, err
	}
	d := &bodyDecoder{r.decoder(text, limits), graphAt}
	members, err := d.members("")
	if err == nil {
		err = d.end()
	}
	if err != nil {
		err.Path = strings.TrimPrefix(err.Path, ".")
		return nil, err
	}
	return &Body{members}, nil
}

// text copies a document that is not too large.
func (l Limits) text(data []byte, root string) (string, *Error) {
	most := math.MaxInt32 // the reader's places in the document are 32 bits wide
	if l.Bytes > 0 {
		most = min(most, l.Bytes)
	}
	if len(data) > most {
		return "", errorf(CodeBytes, root, "%d bytes, at most %d are read", len(data), most).limited(int64(most))
	}
	return string(data), nil
}

type bodyDecoder struct {
	*decoder
	graphAt func(path string) bool
}

// members reads an object whose path ends in a dot, unless it is the body itself.
func (d *bodyDecoder) members(path string) ([]BodyMember, *Error) {
	var out []BodyMember
	err := d.object(func(name string) (err *Error) {
		m := BodyMember{Name: name}
		switch {
		case d.space() != 'n' && d.graphAt(path+name):
			m.Graph, err = d.graph()
		case path == "" && name == candidates && d.space() == '[' && d.graphAt(candidates+"[0].model"):
			m.Items, err = d.candidates()
		default:
			d.any = path == "" && name == d.limits.AnyNumbers
			m.Raw, err = d.raw()
			d.any = false
		}
		out = append(out, m)
		return err
	})
	return out, err
}

func (d *bodyDecoder) candidates() ([][]BodyMember, *Error) {
	out := [][]BodyMember{}
	err := d.array(ceiling{d.limits.Candidates, CodeCandidates, candidates}, func(i int) *Error {
		members, err := d.members(candidates + indexed(i) + ".")
		out = append(out, members)
		return err
	})
	return out, err
}
