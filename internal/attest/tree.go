package attest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
)

// MaxBytes bounds what is read as a record: one of 100,000 files in an envelope has half of it.
const MaxBytes = 64 << 20

// maxDepth is more than any record has.
const maxDepth = 64

// maxValues bounds the values of a record: one of 100,000 files has half of them.
const maxValues = 1 << 20

// maxMembers bounds those of one object: the largest of a record, its configuration, has a few dozen.
const maxMembers = 1 << 16

// step is one step of the way from a document to a value in it. A way is written out only where something is wrong there.
type step struct {
	from *step // nil at the document
	name string
	item int // in a list, where there is no name
}

func (s *step) path() string {
	switch {
	case s == nil:
		return ""
	case s.item >= 0:
		return action.Item(s.from.path(), s.item)
	}
	return under(s.from.path(), s.name)
}

// reader reads a document and counts its values.
type reader struct {
	*jsontext.Decoder
	values int
}

// node is a JSON value as it stands in a document.
type node struct {
	kind  jsontext.Kind
	text  string // of a string
	num   float64
	names []string // of an object's members
	items []*node  // their values, or those of a list
}

// read parses a document strictly: one value, in UTF-8, no name twice in an object.
func read(data []byte) (*node, error) {
	if len(data) > MaxBytes {
		e := action.Errorf(graph.CodeBytes, "", "has %d bytes, more than %d", len(data), MaxBytes)
		e.Limit = MaxBytes
		return nil, e
	}
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		return nil, action.Errorf(graph.CodeSyntax, "", "begins with a byte order mark, which JSON does not have")
	case !utf8.Valid(data):
		return nil, action.Errorf(graph.CodeSyntax, "", "is not UTF-8")
	}
	d := &reader{Decoder: jsontext.NewDecoder(bytes.NewReader(data))}
	n, err := d.value(nil, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, action.Errorf(graph.CodeSyntax, "", "goes on behind the record, at byte %d", d.InputOffset())
	}
	return n, nil
}

func (d *reader) value(at *step, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, action.Errorf(graph.CodeDepth, at.path(), "is more than %d levels deep", maxDepth)
	}
	if d.values++; d.values > maxValues {
		e := action.Errorf(graph.CodeValues, at.path(), "is one value more than the %d that a record may have", maxValues)
		e.Limit = maxValues
		return nil, e
	}
	t, err := d.ReadToken()
	if err != nil {
		return nil, d.syntax(at, err)
	}
	n := &node{kind: t.Kind()}
	switch n.kind {
	case '"':
		n.text = t.String()
	case '0':
		if n.num, err = strconv.ParseFloat(t.String(), 64); err != nil || math.IsInf(n.num, 0) {
			return nil, action.Errorf(graph.CodeNumber, at.path(), "is %.40s, which is out of range", t.String())
		}
	case '[':
		for d.PeekKind() != ']' {
			item, err := d.value(&step{from: at, item: len(n.items)}, depth+1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, item)
		}
		_, err = d.ReadToken()
	case '{':
		err = d.members(n, at, depth)
	}
	if err != nil {
		return nil, d.syntax(at, err)
	}
	return n, nil
}

func (d *reader) members(n *node, at *step, depth int) error {
	for d.PeekKind() != '}' {
		if len(n.names) == maxMembers {
			e := action.Errorf(graph.CodeKeys, at.path(), "has more than %d members", maxMembers)
			e.Limit = maxMembers
			return e
		}
		name, err := d.ReadToken()
		if err != nil {
			return d.syntax(at, err)
		}
		key := name.String()
		v, err := d.value(&step{from: at, name: key, item: -1}, depth+1)
		if err != nil {
			return err
		}
		n.names, n.items = append(n.names, key), append(n.items, v)
	}
	_, err := d.ReadToken()
	return err
}

func (d *reader) syntax(at *step, err error) error {
	var known *graph.Error
	if errors.As(err, &known) {
		return err
	}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return action.Errorf(graph.CodeDuplicate, at.path(), "has a member twice, at byte %d: tools differ in which of the two they read", d.InputOffset())
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return action.Errorf(graph.CodeSyntax, at.path(), "ends in the middle of a value")
	}
	return action.Errorf(graph.CodeSyntax, at.path(), "is not JSON, at byte %d", d.InputOffset())
}

// under is the path of an object's member.
func under(path, name string) string {
	if !isPathName(name) {
		return fmt.Sprintf("%s[%q]", path, name)
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

func isPathName(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '_' && c != '$' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return s != "" && len(s) < 80
}

// member finds a member, nil where there is none.
func (n *node) member(name string) *node {
	if n == nil || n.kind != '{' {
		return nil
	}
	for i, have := range n.names {
		if have == name {
			return n.items[i]
		}
	}
	return nil
}
