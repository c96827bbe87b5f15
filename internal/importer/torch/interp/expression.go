package interp

import (
	"io"
	"iter"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// expression is a pattern of re, and what it costs to hold it against a text.
type expression struct {
	source  string
	names   []string // of its groups, the whole of it first
	steps   int      // of the program that it becomes, about
	parse   int      // steps of this interpreter that it takes to parse
	perRune int      // work of holding it against one character
	made    [len(forms)]*regexp.Regexp
}

// The forms of an expression: as it is, where the text begins, from the beginning to the end, and behind a place whose last character is
// the first that is read.
const (
	anywhere = iota
	fromStart
	throughout
	further
)

var forms = [...][2]string{
	anywhere: {"(?:", ")"}, fromStart: {`\A(?:`, ")"}, throughout: {`\A(?:`, `)\z`}, further: {`\A(?s:.)(?s:.)*?(`, ")"},
}

// What it costs to read an expression, in steps of this interpreter, and how many steps its own program may have.
const (
	compileSteps   = 150    // of the smallest one
	foldSteps      = 20_000 // of a range of characters, each of which has its other case looked for
	mostExpression = 20_000
)

// newExpression reads a pattern, nil where Go's syntax is not Python's, or it is too large. Its size is asked for before it is compiled: a
// few letters can stand for millions of steps.
func (in *Interp) newExpression(source string) *expression {
	x := &expression{source: source, parse: compileSteps}
	if folds(source) {
		x.parse += foldSteps * strings.Count(source, "-")
	}
	in.work(x.parse * perStep)
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil || foreign(source) {
		return nil
	}
	x.steps, x.names = stepsOf(tree), tree.CapNames()
	x.perRune = 1 + x.steps*(64+len(x.names))/256 // 15 ns a step, and more where places of groups are copied
	if x.steps > mostExpression || x.form(in, anywhere) == nil {
		return nil
	}
	return x
}

// folds reports whether a pattern may have a range of many letters that stand for each other's cases.
func folds(s string) bool {
	return strings.Contains(s, "(?") && strings.Contains(s, "i") && strings.ContainsFunc(s, func(c rune) bool { return c >= utf8.RuneSelf })
}

// foreign reports whether a pattern has an escape that Go knows and Python refuses, such as \Q.
func foreign(s string) bool {
	for i := 0; i+1 < len(s); i++ {
		if s[i] != '\\' {
			continue
		}
		i++
		if strings.IndexByte("QEpPC", s[i]) >= 0 || strings.HasPrefix(s[i:], "x{") {
			return true
		}
	}
	return false
}

// stepsOf counts the letters of an expression, with what is repeated as often as it is. Go refuses more than a thousand repetitions.
func stepsOf(e *syntax.Regexp) int {
	steps := 1 + len(e.Rune)
	for _, part := range e.Sub {
		steps += stepsOf(part)
	}
	if e.Op == syntax.OpRepeat {
		steps *= max(1, e.Min, e.Max)
	}
	return steps
}

// form is the compiled expression in one of its forms, nil where there is none.
func (x *expression) form(in *Interp, form int) *regexp.Regexp {
	if x.made[form] == nil {
		in.work((x.parse + x.steps) * perStep)
		in.spend(int64(x.steps))
		x.made[form], _ = regexp.Compile(forms[form][0] + x.source + forms[form][1])
	}
	return x.made[form]
}

// group is the number of a group that has a name, -1 where there is none.
func (x *expression) group(name string) int {
	if name == "" {
		return -1
	}
	return slices.Index(x.names, name)
}

// read is a text that charges what an expression reads of it: how much that is depends on both.
type read struct {
	in   *Interp
	text string
	at   int
	cost int
}

// ReadRune gives the next character.
func (r *read) ReadRune() (rune, int, error) {
	r.in.work(r.cost)
	c, size := utf8.DecodeRuneInString(r.text[r.at:])
	if size == 0 {
		return 0, 0, io.EOF
	}
	r.at += size
	return c, size, nil
}

// find holds the expression against a text, and gives where it and its groups are, nil where it is not there.
func (x *expression) find(in *Interp, form int, s string) []int {
	re := x.form(in, form)
	if re == nil {
		return nil
	}
	in.work(x.steps)
	return re.FindReaderSubmatchIndex(&read{in, s, 0, x.perRune})
}

// findBehind is find behind the first so many bytes of a text, which the expression may look back at.
func (x *expression) findBehind(in *Interp, s string, from int) []int {
	if from == 0 {
		return x.find(in, anywhere, s)
	}
	_, size := utf8.DecodeLastRuneInString(s[:from])
	found := x.find(in, further, s[from-size:])
	if found == nil {
		return nil
	}
	for i := range found {
		if found[i] >= 0 {
			found[i] += from - size
		}
	}
	return found[2:]
}

// all goes over the places that do not overlap, and charges what is kept of each.
func (x *expression) all(in *Interp, s string) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		for at := 0; at <= len(s); {
			found := x.findBehind(in, s, at)
			if found == nil {
				return
			}
			in.spend(int64(len(found)))
			if !yield(found) {
				return
			}
			if at = found[1]; at == found[0] { // what is empty is not found twice in one place
				_, size := utf8.DecodeRuneInString(s[at:])
				at += max(1, size)
			}
		}
	}
}
