package interp

import (
	"regexp"
	"strings"
)

// re, of patterns that Go's regular expressions can say; the value of another is not known.

var (
	patternClass = NewClass("Pattern")
	matchClass   = NewClass("Match")
)

// match is what re.match and the like give: the text and where its groups are.
type match struct {
	re   *regexp.Regexp
	text string
	at   []int
}

const maxPattern = 1000

func reNames() map[string]Value {
	out := map[string]Value{"Pattern": patternClass, "Match": matchClass}
	for name, n := range map[string]int64{"I": 2, "IGNORECASE": 2, "M": 8, "MULTILINE": 8, "S": 16, "DOTALL": 16, "X": 64, "VERBOSE": 64, "A": 256, "ASCII": 256, "U": 32, "UNICODE": 32} {
		out[name] = n
	}
	out["compile"] = Fn("compile", func(in *Interp, a *Args) Value {
		b := a.Bind(in, "compile", "pattern", "flags")
		re, u := in.pattern(b[0], Or(b[1], int64(0)))
		if u != nil {
			return u
		}
		x := NewInstance(patternClass)
		x.Native = re
		x.Set("pattern", b[0])
		return x
	})
	out["escape"] = Fn("escape", func(in *Interp, a *Args) Value { return in.text(regexp.QuoteMeta(Str(in.one(a, "escape")))) })
	for name, fn := range patternMethods {
		out[name] = Fn(name, func(in *Interp, a *Args) Value {
			if len(a.Pos) == 0 {
				return in.harmless("re." + name)
			}
			flags := Value(int64(0))
			rest := &Args{Pos: a.Pos[1:]}
			for _, kw := range a.Kw {
				if kw.Name == "flags" {
					flags = kw.Value
				} else {
					rest.Kw = append(rest.Kw, kw)
				}
			}
			re, u := in.pattern(a.Pos[0], flags)
			if u != nil {
				return u
			}
			return fn(in, re, rest)
		})
	}
	return out
}

func (in *Interp) pattern(v, flags Value) (*regexp.Regexp, *Unknown) {
	if x, ok := v.(*Instance); ok {
		if re, ok := x.Native.(*regexp.Regexp); ok {
			return re, nil
		}
	}
	s, ok := v.(string)
	n, isInt := AsInt(flags)
	if !ok || !isInt || len(s) > maxPattern {
		return nil, in.harmless("a pattern")
	}
	letters := ""
	for bit, letter := range map[int64]string{2: "i", 8: "m", 16: "s"} {
		if n&bit != 0 {
			letters += letter
		}
	}
	if letters != "" {
		s = "(?" + letters + ")" + s
	}
	in.work(len(s) * perStep)
	re, err := regexp.Compile(s)
	if err != nil || n&64 != 0 {
		return nil, in.harmless("the pattern " + clip(s))
	}
	return re, nil
}

func (in *Interp) matched(re *regexp.Regexp, text string, at []int) Value {
	if at == nil {
		return nil
	}
	x := NewInstance(matchClass)
	x.Native = &match{re, text, at}
	return x
}

// subject is the text that a pattern is held against.
func (in *Interp) subject(a *Args, name string) (string, Value) {
	switch s := in.one(a, name).(type) {
	case string:
		in.work(len(s) * 4)
		return s, nil
	case *Unknown:
		return "", s
	default:
		return "", in.harmless("re." + name)
	}
}

// patternMethod is a method of a compiled pattern, which re has as a function, too.
type patternMethod func(*Interp, *regexp.Regexp, *Args) Value

var patternMethods map[string]patternMethod

func init() {
	patternMethods = map[string]patternMethod{
		"match": matchAt("match"), "search": matchAt("search"), "fullmatch": matchAt("fullmatch"),
		"findall": findAll, "finditer": findIter, "split": splitPattern, "sub": substitute,
	}
	for name, fn := range patternMethods {
		patternClass.Method(name, func(in *Interp, a *Args) Value {
			return fn(in, a.Pos[0].(*Instance).Native.(*regexp.Regexp), &Args{a.Pos[1:], a.Kw})
		})
	}
	matchClass.Method("group", matchGroup)
	matchClass.Method("__getitem__", func(in *Interp, a *Args) Value { return in.group(a.Pos[0], a.Pos[1:]) })
	matchClass.Method("groups", matchGroups)
	matchClass.Method("groupdict", matchGroupDict)
	for i, name := range []string{"start", "end"} {
		matchClass.Method(name, func(in *Interp, a *Args) Value { return int64(a.Pos[0].(*Instance).Native.(*match).at[i]) })
	}
}

// matchAt is re.search, or re.match and re.fullmatch, which begin where the text does.
func matchAt(name string) patternMethod {
	return func(in *Interp, re *regexp.Regexp, a *Args) Value {
		s, other := in.subject(a, name)
		if other != nil {
			return other
		}
		if name != "search" { // from the beginning, and for fullmatch to the end
			end := ""
			if name == "fullmatch" {
				end = `\z`
			}
			re = regexp.MustCompile(`\A(?:` + re.String() + `)` + end)
		}
		found := re.FindStringSubmatchIndex(s)
		return in.matched(re, s, found)
	}
}

// findAll is re.findall.
func findAll(in *Interp, re *regexp.Regexp, a *Args) Value {
	s, other := in.subject(a, "findall")
	if other != nil {
		return other
	}
	out := NewList()
	for _, m := range re.FindAllStringSubmatch(s, -1) {
		in.spend(int64(1 + len(m)))
		switch len(m) {
		case 1, 2:
			out.Items = append(out.Items, m[len(m)-1])
		default:
			out.Items = append(out.Items, textTuple(m[1:]))
		}
	}
	return out
}

// findIter is re.finditer.
func findIter(in *Interp, re *regexp.Regexp, a *Args) Value {
	s, other := in.subject(a, "finditer")
	if other != nil {
		return other
	}
	out := NewList()
	for _, found := range re.FindAllStringSubmatchIndex(s, -1) {
		in.spend(int64(len(found)))
		out.Items = append(out.Items, in.matched(re, s, found))
	}
	return out
}

// matchGroup is Match.group: one group, or a tuple of several.
func matchGroup(in *Interp, a *Args) Value {
	if len(a.Pos) <= 2 {
		return in.group(a.Pos[0], a.Pos[1:])
	}
	out := NewTuple()
	for _, v := range a.Pos[1:] {
		out.Items = append(out.Items, in.group(a.Pos[0], []Value{v}))
	}
	return out
}

// matchGroups is Match.groups.
func matchGroups(in *Interp, a *Args) Value {
	m, out := a.Pos[0].(*Instance).Native.(*match), NewTuple()
	for i := 1; i < len(m.at)/2; i++ {
		out.Items = append(out.Items, in.group(a.Pos[0], []Value{int64(i)}))
	}
	return out
}

// matchGroupDict is Match.groupdict.
func matchGroupDict(in *Interp, a *Args) Value {
	m, out := a.Pos[0].(*Instance).Native.(*match), NewDict()
	for _, name := range m.re.SubexpNames() {
		if name != "" {
			out.Set(name, in.group(a.Pos[0], []Value{name}))
		}
	}
	return out
}

func (in *Interp) group(self Value, which []Value) Value {
	m, n := self.(*Instance).Native.(*match), int64(0)
	if len(which) > 0 {
		if name, ok := which[0].(string); ok {
			n = int64(m.re.SubexpIndex(name))
		} else {
			n, _ = AsInt(which[0])
		}
	}
	if n < 0 || int(n) >= len(m.at)/2 {
		in.Raise("IndexError", "no such group")
	}
	if m.at[2*n] < 0 {
		return nil
	}
	return m.text[m.at[2*n]:m.at[2*n+1]]
}

// splitPattern is re.split: what groups matched stands between the parts.
func splitPattern(in *Interp, re *regexp.Regexp, a *Args) Value {
	s, other := in.subject(a, "split")
	if other != nil {
		return other
	}
	most := int64(-1)
	if v, ok := a.Get("maxsplit", 1); ok {
		if n, isInt := AsInt(v); isInt && n > 0 {
			most = n
		}
	}
	out, from := NewList(), 0
	for _, found := range re.FindAllStringSubmatchIndex(s, int(most)) {
		in.spend(int64(len(found)))
		out.Items = append(out.Items, s[from:found[0]])
		for g := 1; g < len(found)/2; g++ {
			if found[2*g] < 0 {
				out.Items = append(out.Items, nil)
			} else {
				out.Items = append(out.Items, s[found[2*g]:found[2*g+1]])
			}
		}
		from = found[1]
	}
	out.Items = append(out.Items, s[from:])
	return out
}

// groupReference is a group in the text that re.sub puts in: \1 or \g<name>.
var groupReference = regexp.MustCompile(`\\(?:g<(\w+)>|([1-9]))`)

func substitute(in *Interp, re *regexp.Regexp, a *Args) Value {
	if len(a.Pos) < 2 {
		return in.harmless("re.sub")
	}
	s, other := in.subject(&Args{Pos: a.Pos[1:]}, "sub")
	if other != nil {
		return other
	}
	var b strings.Builder
	from := 0
	for _, found := range re.FindAllStringSubmatchIndex(s, -1) {
		b.WriteString(s[from:found[0]])
		if by, ok := a.Pos[0].(string); ok {
			template := groupReference.ReplaceAllString(strings.ReplaceAll(by, "$", "$$"), "$${$1$2}")
			b.Write(re.ExpandString(nil, template, s, found))
		} else {
			b.WriteString(in.str(in.Call(a.Pos[0], &Args{Pos: []Value{in.matched(re, s, found)}})))
		}
		in.spendText(int64(b.Len()), 1)
		from = found[1]
	}
	b.WriteString(s[from:])
	return in.text(b.String())
}
