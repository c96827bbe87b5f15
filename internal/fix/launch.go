package fix

import (
	"regexp"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/fit/serve"
	"github.com/modelverifier/verifier/internal/patch"
)

// launch puts the launch command of a file into what is judged.
func launch(q *check.Request, text string) error {
	command, err := serve.CommandIn(text)
	if err != nil {
		return err
	}
	r := serve.Request{}
	if q.Serve != nil {
		r = *q.Serve
	}
	r.Command = command
	q.Serve = &r
	return nil
}

// launched is a finding about a launch command, which says in words what was judged to do away with it.
type launched struct {
	path, text string
	fix        string
}

func newLaunch(files []patch.File, t *Target, f action.Finding) *launched {
	return &launched{t.Command, textOf(files, t.Command), f.Fix}
}

var (
	setOne   = regexp.MustCompile(`^set (--?\S+) to (\S+)$`)
	setSome  = regexp.MustCompile(`^set (--?\S+) to one of (.+)$`)
	leaveOut = regexp.MustCompile(`^leave (--?\S+) out$`)
	addFlag  = regexp.MustCompile(`^add (--?\S+)$`)
)

// candidates make the changes that the finding names. Where it names several, none is chosen.
func (l *launched) candidates() []candidate {
	var out []candidate
	ways := strings.Split(l.fix, ", or ")
	for i, way := range ways {
		cost := costEdit
		if len(ways) > 1 {
			cost = costSeveral
		}
		for _, c := range l.way(way) {
			c.cost, c.order = min(cost, c.cost), i
			out = append(out, c)
		}
	}
	return sorted(out)
}

func (l *launched) way(way string) []candidate {
	if m := setOne.FindStringSubmatch(way); m != nil {
		return l.put(m[1], m[2], costEdit)
	}
	if m := setSome.FindStringSubmatch(way); m != nil {
		var out []candidate
		for v := range strings.SplitSeq(m[2], ", ") {
			for _, c := range l.put(m[1], v, costSeveral) {
				c.several = true
				out = append(out, c)
			}
		}
		return out
	}
	if m := leaveOut.FindStringSubmatch(way); m != nil {
		if at := l.flag(m[1]); at != nil {
			return []candidate{l.edit(at[0], at[1], "", m[1]+" left out", costEdit)}
		}
	}
	if m := addFlag.FindStringSubmatch(way); m != nil {
		end := len(strings.TrimRight(l.text, " \t\r\n"))
		return []candidate{l.edit(end, end, " "+m[1], m[1]+" added", costEdit)}
	}
	return nil
}

// flag finds a flag with its value in the file, and the space before it: where both begin and end, and the value.
func (l *launched) flag(name string) []int {
	return regexp.MustCompile(`[ \t]+` + regexp.QuoteMeta(name) + `(?:[ \t=]+([^\s\\"'-][^\s\\"']*|-?\d[^\s\\"']*))?`).FindStringSubmatchIndex(l.text)
}

// put gives a flag another value, or adds it behind the command.
func (l *launched) put(name, value string, cost int) []candidate {
	if at := l.flag(name); at != nil {
		if at[2] < 0 {
			return nil
		}
		return []candidate{l.edit(at[2], at[3], value, name+" "+value+" in place of "+l.text[at[2]:at[3]], cost)}
	}
	end := len(strings.TrimRight(l.text, " \t\r\n"))
	return []candidate{l.edit(end, end, " "+name+" "+value, name+" "+value+" added", cost)}
}

func (l *launched) edit(start, end int, text, what string, cost int) candidate {
	return candidate{edits: []patch.Edit{{Path: l.path, Start: start, End: end, New: text}}, cost: cost, what: what}
}

func (l *launched) evidence(*trial, *verdict) int { return 0 }
