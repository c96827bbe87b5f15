package policy

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// FromNeurarch writes a .neurarch.yml as a .verifier.yml. It has the same policy lines under policy: and, as a list, the models with their
// path, input and policy. Each line of it is there with its number: translated, or as a comment that says why it is not.
func FromNeurarch(data []byte, names Names) (string, error) {
	v, err := parseYAML(data)
	if err != nil {
		return "", err
	}
	t := &neurarchFile{reader: reader{names.GPUs}}
	t.put("# The policy for the models of this repository, translated from .neurarch.yml; the numbers are its lines.")
	if v.kind != graph.Object && v.kind != graph.Null {
		return "", v.wrong("an object with policy and models")
	}
	for _, m := range v.members {
		switch {
		case m.name == "policy" && m.kind == graph.Object:
			t.put("policy:")
			t.lines(m.item, "  ")
		case m.name == "models" && m.kind == graph.List:
			t.put("models:")
			for _, e := range m.list {
				t.model(e)
			}
		default:
			t.leave(m, "", "a .verifier.yml has nothing of that name and kind")
		}
	}
	text := t.b.String()
	if _, err := ParseFile([]byte(text), names); err != nil {
		return "", fmt.Errorf("policy: the translation cannot be read: %w", err)
	}
	return text, nil
}

type neurarchFile struct {
	b      strings.Builder
	reader reader
}

func (t *neurarchFile) put(format string, args ...any) { fmt.Fprintf(&t.b, format+"\n", args...) }

// leave writes a line that has no translation as a comment. What the file says is quoted, so that it stays one.
func (t *neurarchFile) leave(m member, indent, why string) {
	t.put("%s# line %d: %s is left out: %s", indent, m.line, quote(clip(m.name)), strings.Join(strings.Fields(why), " "))
}

// lines writes policy lines, which have the same names and values.
func (t *neurarchFile) lines(v item, indent string) {
	for _, m := range v.members {
		p, nulls, err := t.reader.policy(item{path: v.path, line: m.line, kind: graph.Object, members: []member{m}})
		switch {
		case err != nil:
			t.leave(m, indent, err.Message)
		case len(nulls) > 0:
			t.put("%s%s: null  # line %d", indent, m.name, m.line)
		case len(p.Set()) == 0:
			t.leave(m, indent, "it says nothing")
		default:
			for _, l := range p.Set() {
				t.put("%s%s  # line %d", indent, l.Line, m.line)
			}
		}
	}
}

// model writes an entry of the list under its path. A model's own lines go over the general ones in both.
func (t *neurarchFile) model(v item) {
	path := v.member("path")
	if v.kind != graph.Object || path == nil || path.kind != graph.String {
		t.put("  # line %d: is left out: a model without a path", v.line)
		return
	}
	t.put("  %s:  # line %d", quote(path.text), path.line)
	t.put("    arg: {}")
	for _, m := range v.members {
		switch m.name {
		case "path":
		case "input":
			t.input(m)
		case "policy":
			t.lines(m.item, "    ")
		default:
			t.leave(m, "    ", "a model has path, input and policy")
		}
	}
}

// input writes what a source is called with. Token ids are :long there.
func (t *neurarchFile) input(m member) {
	shapes, err := values(m.item)
	if err != nil || len(shapes) == 0 {
		t.leave(m, "    ", "it is no shape")
		return
	}
	for i := range shapes {
		shapes[i] = quote(strings.ReplaceAll(shapes[i], ":long", ":int64"))
	}
	t.put("    input: [%s]  # line %d", strings.Join(shapes, ", "), m.line)
}

// quote writes a string of YAML on one line.
func quote(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return strings.NewReplacer("\u0085", `\u0085`, "\ufeff", `\ufeff`, "\x7f", `\u007f`).Replace(string(text))
}
