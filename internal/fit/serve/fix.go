package serve

import (
	"slices"
	"strconv"
	"strings"
)

// step is one edit of a command.
type step struct {
	op    operation
	flag  string // the flag, or the name as it is written
	value string
}

type operation uint8

// The operations.
const (
	opSet         operation = iota // gives a flag a value
	opAdd                          // adds a switch
	opDrop                         // leaves a flag out
	opRename                       // writes another name in place of what is written
	opAlone                        // leaves the value of a flag out
	opModelFlag                    // names the model with a flag in place of a word
	opModelWord                    // names the model with a word in place of a flag
	opContainer                    // adds an option of the container
	opNoWord                       // leaves a word out that is no flag
	opNotRepeated                  // leaves out the command that the container repeats
)

// change are steps that belong together.
type change []step

// remedy is what could be done about a finding, the best first. It is offered as far as the command was judged with it.
type remedy []change

// set gives a flag one of some values.
func set(flag string, values ...string) remedy {
	var r remedy
	for _, v := range values {
		r = append(r, change{{opSet, flag, v}})
	}
	return r
}

// setSize gives a flag one of some sizes.
func setSize(flag string, sizes ...int64) remedy {
	var r remedy
	for _, n := range sizes {
		r = append(r, change{{opSet, flag, strconv.FormatInt(n, 10)}})
	}
	return r
}

// add adds switches together; drop leaves out one of some flags; rename writes another name for what is written.
func add(flags ...string) remedy {
	var c change
	for _, f := range flags {
		c = append(c, step{op: opAdd, flag: f})
	}
	return remedy{c}
}

func drop(flags ...string) remedy {
	var r remedy
	for _, f := range flags {
		r = append(r, change{{op: opDrop, flag: f}})
	}
	return r
}

func rename(written string, names ...string) remedy {
	var r remedy
	for _, n := range names {
		r = append(r, change{{opRename, written, n}})
	}
	return r
}

// or is one remedy, and another where the first is none.
func (r remedy) or(others ...change) remedy { return append(slices.Clone(r), others...) }

// words behind an entry point, as the arguments have them: those that variables set are not among them.
func (c *command) words() []word {
	var out []word
	text := func(s string) word { return word{text: s, raw: quote(s)} }
	stray := 0
	for i := 0; i <= len(c.args); i++ {
		for ; stray < len(c.strays) && (c.strayAt[stray] <= i || i == len(c.args)); stray++ {
			out = append(out, c.strays[stray])
		}
		if i == len(c.args) {
			break
		}
		a := &c.args[i]
		if a.flag != nil && a.flag.env != "" && a.written == a.flag.env {
			continue
		}
		name := a.written
		if a.dotted {
			name = a.name + "." + a.key
		}
		if len(a.values) == 1 && c.engine.dialect != plain && (a.inline || a.problem == extraValue) {
			w := a.values[0]
			out = append(out, word{text: name + "=" + w.text, raw: quote(name) + "=" + w.raw, vars: w.vars})
			continue
		}
		out = append(append(out, text(name)), a.values...)
	}
	return out
}

// with is a command with a change made, nil where it cannot be made.
func (c *command) with(ch change, asked string) *command {
	next := *c
	next.args, next.strays, next.strayAt, next.open = slices.Clone(c.args), slices.Clone(c.strays), slices.Clone(c.strayAt), nil
	for _, s := range ch {
		if !next.make(s) {
			return nil
		}
	}
	next.strays = next.words()
	next.args, next.strayAt = nil, nil
	if next.parse(asked) != nil {
		return nil
	}
	return &next
}

// make makes one step.
func (c *command) make(s step) bool {
	switch s.op {
	case opSet, opAdd:
		return c.put(s)
	case opDrop:
		return c.edit(s, func(*argument) bool { return false })
	case opRename:
		return c.edit(s, func(a *argument) bool { a.written, a.dotted = s.value, false; return true })
	case opAlone:
		return c.edit(s, func(a *argument) bool { a.values, a.inline, a.problem = nil, false, ""; return true })
	case opModelFlag:
		if len(c.strays) == 0 {
			return false
		}
		c.args = append(c.args, argument{written: s.flag, values: c.strays[:1]})
		c.strays, c.strayAt = c.strays[1:], c.strayAt[1:]
	case opModelWord:
		for i := range c.args {
			if a := &c.args[i]; a.flag != nil && a.flag.name == s.flag && len(a.values) == 1 {
				c.strays, c.strayAt = append([]word{a.values[0]}, c.strays...), append([]int{0}, c.strayAt...)
				return c.edit(step{flag: s.flag}, func(*argument) bool { return false })
			}
		}
		return false
	case opNoWord:
		i := slices.IndexFunc(c.strays, func(w word) bool { return w.text == s.value })
		if i < 0 {
			return false
		}
		c.strays, c.strayAt = slices.Delete(c.strays, i, i+1), slices.Delete(c.strayAt, i, i+1)
	case opContainer:
		box := *c.box
		box.hasGPUs, box.shm = box.hasGPUs || s.flag == boxGPUs, box.shm || s.flag == boxMemory
		c.box = &box
	case opNotRepeated:
		c.repeated = false
	}
	return true
}

// put gives a flag, or with a dot a member of its object, a value or none: the last one of the command, else a new one.
func (c *command) put(s step) bool {
	name, key, dotted := strings.Cut(s.flag, ".")
	f := c.engine.flags().byName[name]
	if f == nil || !f.alive(c.version) {
		return false
	}
	var values []word
	if s.op == opSet {
		values = []word{{text: s.value, raw: quote(s.value)}}
	}
	for i := len(c.args) - 1; i >= 0; i-- {
		if a := &c.args[i]; a.flag == f && a.key == key && a.written != f.env && a.problem != unknownFlag {
			a.values, a.problem, a.negated = values, "", false
			if strings.HasPrefix(a.written, "--no-") {
				a.written = f.shownName(c.version)
			}
			return true
		}
	}
	c.args = append(c.args, argument{flag: f, name: f.name, key: key, dotted: dotted, written: f.shownName(c.version), values: values})
	return true
}

// edit changes the arguments that a step names, by the flag or as they are written; those that it does not want are left out.
func (c *command) edit(s step, change func(*argument) bool) bool {
	var args []argument
	found := false
	shift := make([]int, len(c.args)+1) // arguments that are left out before each
	for i := range c.args {
		a := c.args[i]
		shift[i+1] = shift[i]
		named := a.written == s.flag || a.flag != nil && a.flag.name == s.flag
		if named && (a.flag == nil || a.written != a.flag.env || a.flag.env == "") {
			found = true
			if !change(&a) {
				shift[i+1]++
				continue
			}
		}
		args = append(args, a)
	}
	for i, at := range c.strayAt {
		c.strayAt[i] = at - shift[min(at, len(shift)-1)]
	}
	c.args = args
	return found
}

const (
	boxGPUs   = "--gpus all"
	boxMemory = "--ipc=host"
)

// tried is how many changes of a remedy are judged.
const tried = 24

// mostArguments is how long a command may be for changes of it to be judged: each change reads all of it again.
const mostArguments = 512

// mostRejudged bounds what judging changes takes in all: the work of the command, each time that it is judged again.
const mostRejudged = 30_000

// work is about what reading and judging a command takes: one for each argument, word and variable, and as much for some bytes of text.
// What every command takes is the first number.
func (l *launch) work() int {
	n, bytes := 64+len(l.args)+len(l.strays)+len(l.env), 0
	for i := range l.args {
		for _, v := range l.args[i].values {
			n, bytes = n+1, bytes+len(v.text)
		}
	}
	for _, w := range l.strays {
		bytes += len(w.text)
	}
	for _, s := range l.env {
		bytes += len(s.value.text)
	}
	for _, f := range l.request.Files {
		bytes += len(f.Text)
	}
	return n + bytes/16
}

// settle judges the command with every change that could be made, and words those that help: after them the finding is gone, nothing
// blocks that did not block before, and fewer findings block, or as many and fewer are left. So following them ends.
func (l *launch) settle() {
	before := l.out.Findings
	work, spent := l.work(), 0
	if len(l.args)+len(l.strays) > mostArguments {
		spent = mostRejudged
	}
	for i, r := range l.remedies {
		var helps remedy
		for _, ch := range r[:min(tried, len(r))] {
			if spent += work; spent > mostRejudged {
				break
			}
			c := l.origin.with(ch, l.request.EngineVersion)
			if c == nil {
				continue
			}
			if then := l.rejudge(c); better(before, then, before[i].Rule) {
				helps = append(helps, ch)
			}
		}
		l.remedies[i] = helps
		l.out.Findings[i].Fix = strings.ToValidUTF8(helps.String(), "\uFFFD")
	}
}

// rejudge is what is found in another command for the same model.
func (l *launch) rejudge(c *command) []Finding {
	next := l.again(c)
	next.judge()
	return next.out.Findings
}

// better reports whether a change does away with a finding of a rule and makes nothing worse.
func better(before, after []Finding, rule string) bool {
	tally := func(list []Finding) (of, blocks int, blocking map[string]bool) {
		blocking = map[string]bool{}
		for _, f := range list {
			if f.Rule == rule {
				of++
			}
			if f.Severity == Block {
				blocks++
				blocking[f.Rule] = true
			}
		}
		return of, blocks, blocking
	}
	was, wasBlocks, old := tally(before)
	is, isBlocks, now := tally(after)
	for r := range now {
		if !old[r] {
			return false
		}
	}
	return is < was && (isBlocks < wasBlocks || isBlocks == wasBlocks && len(after) < len(before))
}

// String is a remedy for people: values of one flag together, and other changes behind them.
func (r remedy) String() string {
	var parts []string
	for i := 0; i < len(r); {
		first, j := r[i], i+1
		if len(first) != 1 || first[0].op != opSet && first[0].op != opRename {
			words := make([]string, len(first))
			for k, s := range first {
				words[k] = s.String()
			}
			parts = append(parts, strings.Join(words, " and "))
			i++
			continue
		}
		values := []string{quote(first[0].value)}
		for ; j < len(r) && len(r[j]) == 1 && r[j][0].op == first[0].op && r[j][0].flag == first[0].flag; j++ {
			values = append(values, quote(r[j][0].value))
		}
		i = j
		switch {
		case len(values) == 1:
			parts = append(parts, first[0].String())
		case first[0].op == opRename:
			parts = append(parts, "write one of "+strings.Join(values, ", "))
		default:
			parts = append(parts, "set "+first[0].flag+" to one of "+strings.Join(values, ", "))
		}
	}
	return strings.Join(parts, ", or ")
}

func (s step) String() string {
	switch s.op {
	case opSet:
		return "set " + s.flag + " to " + quote(s.value)
	case opAdd, opContainer:
		return "add " + s.flag
	case opDrop:
		return "leave " + s.flag + " out"
	case opRename:
		return "write " + s.value
	case opAlone:
		return "write " + s.flag + " alone"
	case opNoWord:
		return "leave the word " + quote(s.value) + " out"
	case opModelFlag:
		return "write the model behind " + s.flag
	case opModelWord:
		return "write the model as a word, without " + s.flag
	}
	return "leave the repeated command out"
}
