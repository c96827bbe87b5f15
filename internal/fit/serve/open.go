package serve

import (
	"slices"

	"github.com/modelverifier/verifier/internal/fit/facts"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/rules"
)

// Open is what could not be judged of the command, and for want of what. It judges the command again where no card was named, so it is
// for those who write a result down.
func (r *Result) Open() []rules.Open {
	if r.launch == nil {
		return nil
	}
	return r.launch.leftOpen()
}

// leftOpen names what is missing: the engine, what a variable or a file says, the card, the model. Rules of other engines, and those about
// what the command does not have, lack nothing: they are of no concern here.
func (l *launch) leftOpen() []rules.Open {
	switch {
	case l.command == nil:
		return []rules.Open{{Why: "no engine was recognised, so nothing of the command was judged"}}
	case l.soften != "":
		return []rules.Open{{Why: "nothing is certain " + l.soften}}
	}
	var out []rules.Open
	if o := l.withoutCard(); len(o.Tests) > 0 {
		out = append(out, o)
	}
	if !facts.Counted(l.walked) {
		out = append(out, rules.Open{Why: "components of the model are not known, so no sum of its weights and its memory is"})
	}
	if l.config == nil {
		out = append(out, rules.Open{Why: "the model has no config.json, which the engine reads", Fix: "give the model as its folder or config.json"})
	}
	return out
}

// withoutCard are the rules that the command would have been judged by, had any card been named.
func (l *launch) withoutCard() rules.Open {
	o := rules.Open{Why: "no card was named", Fix: "name the card with gpu"}
	if l.request.GPU != nil {
		return o
	}
	largest := slices.MaxFunc(hardware.GPUs(), func(a, b *hardware.GPU) int { return int(a.MemoryBytes>>20 - b.MemoryBytes>>20) })
	with := *l.request
	with.GPU = largest
	for _, id := range Check(l.walked, &with).Judged {
		if !slices.Contains(l.out.Judged, id) {
			o.Tests = append(o.Tests, id)
		}
	}
	return o
}
