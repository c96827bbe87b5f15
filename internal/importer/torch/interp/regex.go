package interp

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// re, of patterns that Go's regular expressions can say; the value of another is not known.

var (
	patternClass = NewClass("Pattern")
	matchClass   = NewClass("Match")
)

// match is what re.match and the like give: the text and where its groups are.
type match struct {
	re   *expression
	text string
	at   []int
}

const maxPattern = 1000

func reNames() map[string]Value {
	out := map[string]Value{"Pattern": patternClass, "Match": matchClass}
	known := patterns{}
	for name, n := range map[string]int64{"I": 2, "IGNORECASE": 2, "M": 8, "MULTILINE": 8, "S": 16, "DOTALL": 16, "X": 64, "VERBOSE": 64, "A": 256, "ASCII": 256, "U": 32, "UNICODE": 32} {
		out[name] = n
	}
	out["compile"] = Fn("compile", func(in *Interp, a *Args) Value {
		b := a.Bind(in, "compile", "pattern", "flags")
		re, u := known.get(in, b[0], Or(b[1], int64(0)))
		if u != nil {
			return u
		}
		x := NewInstance(patternClass)
		x.Native = re
		x.Set("pattern", b[0])
		return x
	})
	out["escape"] = Fn("escape", func(in *Interp, a *Args) Value {
		s := Str(in.one(a, "escape"))
		in.spendText(int64(len(s)), 2)
		return regexp.QuoteMeta(s)
	})
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
			re, u := known.get(in, a.Pos[0], flags)
			if u != nil {
				return u
			}
			return fn(in, re, rest)
		})
	}
	return out
}

// patterns are those that were compiled, as Python keeps them, too.
type patterns map[string]*expression

// mostPatterns is how many are kept.
const mostPatterns = 500

func (p patterns) get(in *Interp, v, flags Value) (*expression, *Unknown) {
	if x, ok := v.(*Instance); ok {
		if re, ok := x.Native.(*expression); ok {
			return re, nil
		}
	}
	s, ok := v.(string)
	n, isInt := AsInt(flags)
	if !ok || !isInt || len(s) > maxPattern || n&64 != 0 {
		return nil, in.harmless("a pattern")
	}
	in.work(len(s))
	letters := ""
	for _, f := range []struct {
		bit    int64
		letter string
	}{{2, "i"}, {8, "m"}, {16, "s"}} {
		if n&f.bit != 0 {
			letters += f.letter
		}
	}
	if letters != "" {
		s = "(?" + letters + ")" + s
	}
	re, made := p[s]
	if !made {
		re = in.newExpression(s)
		if len(p) < mostPatterns {
			p[s] = re
		}
	}
	if re == nil {
		return nil, in.harmless("the pattern " + clip(s))
	}
	return re, nil
}

func (in *Interp) matched(re *expression, text string, at []int) Value {
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
		return s, nil
	case *Unknown:
		return "", s
	default:
		return "", in.harmless("re." + name)
	}
}

// patternMethod is a method of a compiled pattern, which re has as a function, too.
type patternMethod func(*Interp, *expression, *Args) Value

var patternMethods map[string]patternMethod

func init() {
	share(patternClass, matchClass)
	patternMethods = map[string]patternMethod{
		"match": matchAt("match", fromStart), "search": matchAt("search", anywhere), "fullmatch": matchAt("fullmatch", throughout),
		"findall": findAll, "finditer": findIter, "split": splitPattern, "sub": substitute,
	}
	for name, fn := range patternMethods {
		patternClass.Method(name, func(in *Interp, a *Args) Value {
			return fn(in, a.Pos[0].(*Instance).Native.(*expression), &Args{a.Pos[1:], a.Kw})
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
func matchAt(name string, form int) patternMethod {
	return func(in *Interp, re *expression, a *Args) Value {
		s, other := in.subject(a, name)
		if other != nil {
			return other
		}
		return in.matched(re, s, re.find(in, form, s))
	}
}

// findAll is re.findall.
func findAll(in *Interp, re *expression, a *Args) Value {
	s, other := in.subject(a, "findall")
	if other != nil {
		return other
	}
	out := NewList()
	for at := range re.all(in, s) {
		groups := make([]string, len(at)/2)
		for g := range groups {
			groups[g] = s[max(0, at[2*g]):max(0, at[2*g+1])]
		}
		switch len(groups) {
		case 1, 2:
			out.Items = append(out.Items, groups[len(groups)-1])
		default:
			out.Items = append(out.Items, textTuple(groups[1:]))
		}
	}
	return out
}

// findIter is re.finditer.
func findIter(in *Interp, re *expression, a *Args) Value {
	s, other := in.subject(a, "finditer")
	if other != nil {
		return other
	}
	out := NewList()
	for found := range re.all(in, s) {
		in.spend(objectSteps)
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
	for _, name := range m.re.names {
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
			n = int64(m.re.group(name))
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
func splitPattern(in *Interp, re *expression, a *Args) Value {
	s, other := in.subject(a, "split")
	if other != nil {
		return other
	}
	most := int64(math.MaxInt64)
	if v, ok := a.Get("maxsplit", 1); ok {
		if n, isInt := AsInt(v); isInt && n > 0 {
			most = n
		}
	}
	out, from := NewList(), 0
	for found := range re.all(in, s) {
		if most--; most == -1 {
			break
		}
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

// piece is a part of what re.sub puts in: a text, or what a group matched.
type piece struct {
	text  string
	group int // -1 where it is the text
}

// pieces takes apart what re.sub puts in.
func (x *expression) pieces(in *Interp, by string) []piece {
	in.spendText(int64(len(by)), 8) // of what a reference takes, which has two letters
	var out []piece
	from := 0
	for _, at := range groupReference.FindAllStringSubmatchIndex(by, -1) {
		out = append(out, piece{by[from:at[0]], -1})
		name := by[max(0, at[2], at[4]):max(0, at[3], at[5])]
		g, err := strconv.Atoi(name)
		if err != nil {
			g = x.group(name)
		}
		if g >= 0 && g < len(x.names) {
			out = append(out, piece{"", g})
		}
		from = at[1]
	}
	return append(out, piece{by[from:], -1})
}

func substitute(in *Interp, re *expression, a *Args) Value {
	if len(a.Pos) < 2 {
		return in.harmless("re.sub")
	}
	s, other := in.subject(&Args{Pos: a.Pos[1:]}, "sub")
	if other != nil {
		return other
	}
	var pieces []piece
	by, isText := a.Pos[0].(string)
	if isText {
		pieces = re.pieces(in, by)
	}
	var b strings.Builder
	add := func(part string) {
		in.spendText(int64(len(part)), 1)
		b.WriteString(part)
	}
	from := 0
	for found := range re.all(in, s) {
		add(s[from:found[0]])
		for _, p := range pieces {
			if p.group >= 0 {
				p.text = s[max(0, found[2*p.group]):max(0, found[2*p.group+1])]
			}
			add(p.text)
		}
		if !isText {
			add(in.str(in.Call(a.Pos[0], &Args{Pos: []Value{in.matched(re, s, found)}})))
		}
		from = found[1]
	}
	add(s[from:])
	return b.String()
}
