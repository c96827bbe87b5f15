package policy

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/spelling"
)

// item is a value with its place, from JSON and YAML alike.
type item struct {
	path    string // policy.forbid_types[0]
	line    int    // in a file, else 0
	kind    graph.Kind
	text    string // a string, or a number as a plain decimal
	raw     string // a value of a file as it stands there, without quotes: 00123456, 0.10
	list    []item
	members []member
}

type member struct {
	item
	name string
}

// where is the path for an error.
func (v item) where() string {
	if v.line == 0 {
		return v.path
	}
	return strings.TrimSuffix("line "+strconv.Itoa(v.line)+": "+v.path, ": ")
}

func (v item) errorf(code, format string, args ...any) *graph.Error {
	return &graph.Error{Code: code, Path: v.where(), Message: fmt.Sprintf(format, args...)}
}

func (v item) wrong(expected string) *graph.Error {
	return v.errorf(graph.CodeType, "must be %s, not %s", expected, v.kind)
}

// unknown names the known word that is nearest, or all where none is near and they are few.
func (v item) unknown(code, what, word string, known []string) *graph.Error {
	near := spelling.Nearest(word, known)
	e := v.errorf(code, "no %s is named %q", what, clip(word))
	switch {
	case near != "":
		e.Message += ": did you mean " + near + "?"
	case len(known) <= 10:
		e.Message += ": there are " + strings.Join(known, ", ")
	}
	e.Allowed = known
	return e
}

// member returns a member that is not null, or nil.
func (v item) member(name string) *item {
	for i := range v.members {
		if m := &v.members[i]; m.name == name && m.kind != graph.Null {
			return &m.item
		}
	}
	return nil
}

// only refuses members other than those known.
func (v item) only(what string, known ...string) *graph.Error {
	if v.kind != graph.Object {
		return v.wrong("an object with " + strings.Join(known, ", "))
	}
next:
	for _, m := range v.members {
		for _, k := range known {
			if m.name == k {
				continue next
			}
		}
		return m.unknown(CodeKey, what, m.name, known)
	}
	return nil
}

// parseJSON reads an object, or null, as strictly as a graph is read.
func parseJSON(raw, path string) (item, *graph.Error) {
	out := item{path: path}
	if strings.TrimSpace(raw) == "null" {
		return out, nil
	}
	body, err := graph.DecodeBody([]byte(raw), graph.ServiceLimits, func(string) bool { return false })
	if err != nil {
		e := &graph.Error{Code: graph.CodeSyntax, Message: err.Error()}
		errors.As(err, &e)
		e.Path = strings.Trim(path+"."+e.Path, ".")
		return out, e
	}
	out.kind = graph.Object
	for i := range body.Members {
		m := &body.Members[i]
		at := join(path, m.Name)
		v := item{path: at, kind: graph.List} // a list of candidates has no raw text, and no policy has one
		if m.Items == nil {
			value, err := m.Value(at)
			if err != nil {
				return out, err
			}
			if v, err = fromJSON(value, at, mostObjects); err != nil {
				return out, err
			}
		}
		out.members = append(out.members, member{v, m.Name})
	}
	return out, nil
}

// mostObjects is how many objects stand in each other below the outermost: severity: in a policy, a finding in a baseline. Those in them
// are wrong whatever they hold, and each level of them would be read anew.
const mostObjects = 1

// fromJSON leaves objects empty that stand in more objects than may be read.
func fromJSON(v graph.Value, path string, objects int) (out item, err *graph.Error) {
	out = item{path: path, kind: v.Kind()}
	switch v.Kind() {
	case graph.String:
		out.text = v.Str()
	case graph.Int:
		out.text = strconv.FormatInt(v.Int(), 10)
	case graph.Float:
		out.text = plain(v.Float())
	case graph.List:
		out.list = make([]item, len(v.List()))
		for i, w := range v.List() {
			if out.list[i], err = fromJSON(w, path+"["+strconv.Itoa(i)+"]", objects); err != nil {
				return out, err
			}
		}
	case graph.Object:
		if objects == 0 {
			return out, nil
		}
		fields, err := (&graph.BodyMember{Raw: v.String()}).Fields(path)
		if err != nil {
			return out, err
		}
		for _, f := range fields {
			w, err := fromJSON(f.Value, join(path, f.Name), objects-1)
			if err != nil {
				return out, err
			}
			out.members = append(out.members, member{w, f.Name})
		}
	}
	return out, nil
}

// plain writes a float without an exponent, whole ones without a fraction. No limit is infinite.
func plain(f float64) string {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return "inf"
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// join appends the name of a member to a path. A name that would not be read as one is quoted.
func join(path, name string) string {
	plain := name != "" && len(name) <= 64
	for i := range len(name) {
		c := name[i]
		plain = plain && (c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z')
	}
	if !plain {
		return path + "[" + strconv.Quote(clip(name)) + "]"
	}
	return strings.TrimPrefix(path+"."+name, ".")
}

// clip keeps messages short and valid whatever was sent.
func clip(s string) string {
	if len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
