package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// Match says how an answer differs from the response of the case, one line for each difference.
//
// A recorded response differs in any byte. In one written by hand a string between asterisks is a pattern: a list of choices
// with | between them, each one of
//
//	number int string boolean null array object any   a value of that kind
//	absent                                            no member at all
//	hex8                                              8 lower-case hexadecimal digits
//	=word #1                                          that string, that number
//	contains …  prefix …                              a string with that in it, a string that begins so
//
// A list ["*each*", p] has at least one item and all match p, ["*each 9*", p] has nine, ["*some*", p] has one or more that do.
// Any other list matches item by item. An object has exactly the members of the pattern, or further ones if that has "*": "more".
func (c *Case) Match(answer []byte) []string {
	if c.By == Recorded {
		return c.same(answer)
	}
	want, err := decode(c.Response)
	if err != nil {
		return []string{"the case: " + err.Error()}
	}
	got, err := decode(answer)
	if err != nil {
		return []string{"the answer: " + err.Error()}
	}
	var m matcher
	m.value("", want, got, true)
	return m.differences
}

func (c *Case) same(answer []byte) []string {
	var want bytes.Buffer
	if err := json.Compact(&want, c.Response); err != nil {
		return []string{"the case: " + err.Error()}
	}
	if bytes.Equal(want.Bytes(), answer) {
		return nil
	}
	i := 0
	for i < want.Len() && i < len(answer) && want.Bytes()[i] == answer[i] {
		i++
	}
	return []string{fmt.Sprintf("byte %d is the first that differs:\n got …%s\nwant …%s", i, around(answer, i), around(want.Bytes(), i))}
}

func around(b []byte, i int) string { return string(b[max(0, i-60):min(len(b), i+60)]) }

func decode(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

type matcher struct{ differences []string }

func (m *matcher) differ(path, format string, args ...any) {
	m.differences = append(m.differences, "response"+path+": "+fmt.Sprintf(format, args...))
}

// value compares what is at a path; present is false where nothing is.
func (m *matcher) value(path string, want, got any, present bool) {
	if pattern, ok := patternOf(want); ok {
		if !matches(pattern, got, present) {
			m.differ(path, "%s does not match %s", show(got, present), want)
		}
		return
	}
	if !present {
		m.differ(path, "is absent, want %s", show(want, true))
		return
	}
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			m.differ(path, "%s is not an object", show(got, true))
			return
		}
		m.object(path, w, g)
	case []any:
		g, ok := got.([]any)
		if !ok {
			m.differ(path, "%s is not a list", show(got, true))
			return
		}
		m.list(path, w, g)
	case json.Number:
		if g, ok := got.(json.Number); !ok || !sameNumber(w, g) {
			m.differ(path, "%s, want %s", show(got, true), w)
		}
	default:
		if want != got {
			m.differ(path, "%s, want %s", show(got, true), show(want, true))
		}
	}
}

func (m *matcher) object(path string, want, got map[string]any) {
	more := want["*"] == "more"
	names := map[string]bool{}
	for k := range want {
		names[k] = true
	}
	for k := range got {
		names[k] = true
	}
	delete(names, "*")
	sorted := make([]string, 0, len(names))
	for k := range names {
		sorted = append(sorted, k)
	}
	sort.Strings(sorted)
	for _, k := range sorted {
		w, wanted := want[k]
		g, present := got[k]
		switch {
		case wanted:
			m.value(path+"."+k, w, g, present)
		case !more:
			m.differ(path+"."+k, "%s is not expected", show(g, true))
		}
	}
}

func (m *matcher) list(path string, want, got []any) {
	word := ""
	if len(want) == 2 {
		word, _ = want[0].(string)
	}
	switch {
	case word == "*some*":
		for _, g := range got {
			var one matcher
			if one.value(path, want[1], g, true); len(one.differences) == 0 {
				return
			}
		}
		m.differ(path, "no item of %s is like %s", show(got, true), show(want[1], true))
	case strings.HasPrefix(word, "*each"):
		n, counted := strings.CutPrefix(strings.Trim(word, "*"), "each ")
		if counted && strconv.Itoa(len(got)) != n || len(got) == 0 {
			m.differ(path, "has %d items, want %s", len(got), word)
		}
		for i, g := range got {
			m.value(fmt.Sprintf("%s[%d]", path, i), want[1], g, true)
		}
	default:
		if len(want) != len(got) {
			m.differ(path, "has %d items, want %d: %s", len(got), len(want), show(got, true))
		}
		for i := range min(len(want), len(got)) {
			m.value(fmt.Sprintf("%s[%d]", path, i), want[i], got[i], true)
		}
	}
}

// patternOf returns what stands between the asterisks.
func patternOf(want any) (string, bool) {
	s, ok := want.(string)
	if !ok || len(s) < 3 || s[0] != '*' || s[len(s)-1] != '*' {
		return "", false
	}
	return s[1 : len(s)-1], true
}

func matches(pattern string, got any, present bool) bool {
	s, isString := got.(string)
	if rest, ok := strings.CutPrefix(pattern, "contains "); ok {
		return isString && strings.Contains(s, rest)
	}
	if rest, ok := strings.CutPrefix(pattern, "prefix "); ok {
		return isString && strings.HasPrefix(s, rest)
	}
	for _, choice := range strings.Split(pattern, "|") {
		if choice == "absent" && !present || present && isKind(choice, got) {
			return true
		}
	}
	return false
}

func isKind(choice string, got any) bool {
	switch v := got.(type) {
	case nil:
		return choice == "null" || choice == "any"
	case bool:
		return choice == "boolean" || choice == "any"
	case string:
		return choice == "string" || choice == "any" || choice == "hex8" && isHex8(v) || choice == "="+v
	case json.Number:
		_, err := strconv.ParseInt(v.String(), 10, 64)
		return choice == "number" || choice == "any" || choice == "int" && err == nil || choice == "#"+v.String()
	case []any:
		return choice == "array" || choice == "any"
	}
	return choice == "object" || choice == "any"
}

func isHex8(s string) bool { return len(s) == 8 && strings.Trim(s, "0123456789abcdef") == "" }

func sameNumber(a, b json.Number) bool {
	x, err := a.Float64()
	y, err2 := b.Float64()
	return err == nil && err2 == nil && x == y
}

// show prints a value, cut to a length that can be read.
func show(v any, present bool) string {
	if !present {
		return "nothing"
	}
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	if len(data) > 300 {
		return string(data[:300]) + "…"
	}
	return string(data)
}
