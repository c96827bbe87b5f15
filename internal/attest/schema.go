package attest

import (
	_ "embed"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
)

//go:embed schema.json
var schemaFile string

var schemaText = []byte(strings.ReplaceAll(schemaFile, "{schema_url}", Schema))

// SchemaJSON is the JSON schema of the record, as it is published.
func SchemaJSON() []byte { return slices.Clone(schemaText) }

// schema is the parsed schema: the document that is published is the one that records are held against.
var schema = func() *node {
	n, err := read(schemaText)
	if err != nil {
		panic(err) // it is ours
	}
	return n
}()

// patterns are those of the schema, compiled.
var patterns = func() map[string]*regexp.Regexp {
	out := map[string]*regexp.Regexp{}
	var walk func(*node)
	walk = func(n *node) {
		if p := n.member("pattern"); p != nil && p.kind == '"' {
			out[p.text] = regexp.MustCompile(p.text)
		}
		for _, i := range n.items {
			walk(i)
		}
	}
	walk(schema)
	return out
}()

// keywords are those that conforms knows. The schema has no other: a test holds that.
var keywords = []string{"$schema", "$id", "$defs", "$ref", "title", "description", "type", "const", "enum", "required", "properties", "additionalProperties",
	"items", "minItems", "uniqueItems", "minProperties", "minLength", "minimum", "pattern", "anyOf"}

// conforms holds a value against a schema, and says what does not fit.
func conforms(v, s *node, path string) error {
	if ref := s.member("$ref"); ref != nil {
		def := schema
		for _, part := range strings.Split(strings.TrimPrefix(ref.text, "#/"), "/") {
			def = def.member(part)
		}
		return conforms(v, def, path)
	}
	if err := typed(v, s, path); err != nil {
		return err
	}
	switch v.kind {
	case '"':
		return words(v, s, path)
	case '0':
		if m := s.member("minimum"); m != nil && v.num < m.num {
			return invalid(path, "is %v but must be at least %v", v.num, m.num)
		}
	case '[':
		return list(v, s, path)
	case '{':
		return object(v, s, path)
	}
	return nil
}

func invalid(path, format string, args ...any) error {
	return action.Errorf(action.CodeForm, path, format, args...)
}

// typed checks type, const, enum and anyOf.
func typed(v, s *node, path string) error {
	if t := s.member("type"); t != nil {
		types := []*node{t}
		if t.kind == '[' {
			types = t.items
		}
		if !slices.ContainsFunc(types, func(t *node) bool { return v.is(t.text) }) {
			return action.Errorf(graph.CodeType, path, "must be %s", t.words())
		}
	}
	if c := s.member("const"); c != nil && !equal(v, c) {
		return invalid(path, "is %s but must be %s", v.words(), c.words())
	}
	if e := s.member("enum"); e != nil && !slices.ContainsFunc(e.items, func(c *node) bool { return equal(v, c) }) {
		return invalid(path, "is %s but must be %s", v.words(), e.words())
	}
	if any := s.member("anyOf"); any != nil && !slices.ContainsFunc(any.items, func(o *node) bool { return conforms(v, o, path) == nil }) {
		var needs []string
		for _, o := range any.items {
			needs = append(needs, o.member("required").words())
		}
		return action.Errorf(graph.CodeMissing, path, "must have %s", quantity.Own(strings.Join(needs, " or ")))
	}
	return nil
}

func words(v, s *node, path string) error {
	if m := s.member("minLength"); m != nil && utf8.RuneCountInString(v.text) < int(m.num) {
		return invalid(path, "must not be empty")
	}
	if p := s.member("pattern"); p != nil && !patterns[p.text].MatchString(v.text) {
		return invalid(path, "is %s but must match %s", v.words(), p.text)
	}
	return nil
}

func list(v, s *node, path string) error {
	if m := s.member("minItems"); m != nil && len(v.items) < int(m.num) {
		return invalid(path, "has %d items but must have at least %v", len(v.items), m.num)
	}
	if each := s.member("items"); each != nil {
		for i, item := range v.items {
			if err := conforms(item, each, action.Item(path, i)); err != nil {
				return err
			}
		}
	}
	if u := s.member("uniqueItems"); u != nil && u.kind == 't' { // of strings, which items has made sure of
		seen := make(map[string]bool, len(v.items))
		for i, item := range v.items {
			if seen[item.text] {
				return invalid(action.Item(path, i), "is %s, which is there already", item.words())
			}
			seen[item.text] = true
		}
	}
	return nil
}

func object(v, s *node, path string) error {
	if m := s.member("minProperties"); m != nil && len(v.items) < int(m.num) {
		return invalid(path, "must not be empty")
	}
	if required := s.member("required"); required != nil {
		for _, name := range required.items {
			if v.member(name.text) == nil {
				return action.Errorf(graph.CodeMissing, under(path, name.text), "is missing")
			}
		}
	}
	props, more := s.member("properties"), s.member("additionalProperties")
	for i, name := range v.names {
		rule := props.member(name)
		switch {
		case rule == nil && more == nil:
			continue
		case rule == nil && more.kind == 'f':
			return action.Errorf(policyKey, under(path, name), "is not a member that this object has")
		case rule == nil:
			rule = more
		}
		if err := conforms(v.items[i], rule, under(path, name)); err != nil {
			return err
		}
	}
	return nil
}

func (n *node) is(kind string) bool {
	switch kind {
	case "object":
		return n.kind == '{'
	case "array":
		return n.kind == '['
	case "string":
		return n.kind == '"'
	case "number":
		return n.kind == '0'
	case "integer":
		return n.kind == '0' && n.num == math.Trunc(n.num)
	case "boolean":
		return n.kind == 't' || n.kind == 'f'
	}
	return n.kind == 'n'
}

// equal compares what a const or an enum can hold.
func equal(a, b *node) bool {
	return a.kind == b.kind && a.text == b.text && a.num == b.num && len(a.items) == 0 && len(b.items) == 0
}

// words says a value in an error.
func (n *node) words() string {
	switch n.kind {
	case '"':
		if len(n.text) > 80 {
			return fmt.Sprintf("%q…", strings.ToValidUTF8(n.text[:80], ""))
		}
		return fmt.Sprintf("%q", n.text)
	case '0':
		return fmt.Sprint(n.num)
	case 't':
		return "true"
	case 'f':
		return "false"
	case 'n':
		return "null"
	case '{':
		return "an object"
	}
	var out []string
	for _, i := range n.items {
		out = append(out, i.words())
	}
	return strings.Join(out, ", ")
}
