package policy

import (
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/rules"
)

// line is one kind of policy line.
type line struct {
	key      string
	severity rules.Severity
	title    string // of a violation
	read     func(reader, *Policy, item) *graph.Error
	take     func(p, from *Policy)
	text     func(*Policy) string // the value in canonical form, "" where the policy has no such line
	check    func(*Policy, *Facts) answer
}

// answer is what checking a line gives. The zero answer is that the model keeps it.
type answer struct {
	problem string // why it fails or, if unknown, what is not known
	fix     string
	unknown bool
}

func unknown(what string) answer { return answer{problem: what, unknown: true} }

// lines are in the order of the specification, which is that of the violations.
var lines = []line{
	limitLine("max_params", rules.Block, "More parameters than the policy allows", count{sized: true},
		func(p *Policy) **Limit { return &p.MaxParams },
		func(p *Policy, f *Facts) answer {
			if f.Params < 0 {
				return unknown("the number of parameters is not known")
			}
			return p.MaxParams.exceeded(f.Params, "the model has "+atLeast(f.Uncounted)+plural(f.Params, "parameter"))
		}),
	{
		key: "must_fit", severity: rules.Block, title: "Does not fit the GPU of the policy",
		read: func(r reader, p *Policy, v item) (err *graph.Error) {
			name, err := r.gpu(v)
			p.MustFit = []string{name}
			return err
		},
		take:  func(p, from *Policy) { p.MustFit = from.MustFit },
		text:  func(p *Policy) string { return strings.Join(p.MustFit, ", ") },
		check: mustFit,
	},
	typesLine("forbid_types", "Uses a component type that the policy forbids",
		func(p *Policy) *[]string { return &p.ForbidTypes },
		func(named, used []string) answer {
			found := filter(named, func(t string) bool { return slices.Contains(used, t) })
			return found.answer("the model has ", "remove the ")
		}),
	typesLine("require_types", "Lacks a component type that the policy requires",
		func(p *Policy) *[]string { return &p.RequireTypes },
		func(named, used []string) answer {
			missing := filter(named, func(t string) bool { return !slices.Contains(used, t) })
			return missing.answer("the model lacks ", "add a component of type ")
		}),
	limitLine("max_layers", rules.Block, "More layers than the policy allows", count{},
		func(p *Policy) **Limit { return &p.MaxLayers },
		func(p *Policy, f *Facts) answer {
			if f.Layers < 0 {
				return unknown("the number of layers is not known")
			}
			return p.MaxLayers.exceeded(int64(f.Layers), "the model has "+plural(int64(f.Layers), "layer"))
		}),
	limitLine("max_memory_gb", rules.Warn, "More memory than the policy allows", count{exponent: 9, fraction: true},
		func(p *Policy) **Limit { return &p.MaxMemoryGB },
		func(p *Policy, f *Facts) answer {
			if f.CardBytes < 0 {
				return unknown("the memory that training takes is not known")
			}
			takes, most := quantity.BytesApart(f.CardBytes, p.MaxMemoryGB.Most)
			return p.MaxMemoryGB.exceeded(f.CardBytes, "training takes "+atLeast(f.Partial)+"an estimated "+takes+" on the card, more than "+most)
		}),
	limitLine("max_cost_usd", rules.Warn, "Costs more than the policy allows", count{exponent: 6, fraction: true},
		func(p *Policy) **Limit { return &p.MaxCostUSD },
		func(p *Policy, f *Facts) answer {
			if f.CostMicroUSD < 0 {
				return unknown("the cost of training is not known")
			}
			return p.MaxCostUSD.exceeded(f.CostMicroUSD, "training costs "+atLeast(f.Partial)+"an estimated $"+quantity.USD(f.CostMicroUSD).String())
		}),
}

// atLeast stands before an amount that lacks something of the model.
func atLeast(lack string) string {
	if lack == "" {
		return ""
	}
	return "at least "
}

func limitLine(key string, s rules.Severity, title string, c count, at func(*Policy) **Limit, check func(*Policy, *Facts) answer) line {
	return line{
		key: key, severity: s, title: title, check: check,
		read: func(_ reader, p *Policy, v item) (err *graph.Error) { *at(p), err = c.limit(v); return err },
		take: func(p, from *Policy) { *at(p) = *at(from) },
		text: func(p *Policy) string {
			if l := *at(p); l != nil {
				return l.String()
			}
			return ""
		},
	}
}

func typesLine(key, title string, at func(*Policy) *[]string, check func(named, used []string) answer) line {
	return line{
		key: key, severity: rules.Block, title: title,
		read: func(_ reader, p *Policy, v item) (err *graph.Error) { *at(p), err = types(v); return err },
		take: func(p, from *Policy) { *at(p) = *at(from) },
		text: func(p *Policy) string {
			if *at(p) == nil {
				return ""
			}
			return "[" + strings.Join(*at(p), ", ") + "]"
		},
		check: func(p *Policy, f *Facts) answer { return check(*at(p), f.Types) },
	}
}

func (l *line) violation(p *Policy, f *Facts) *Violation {
	text := l.text(p)
	if text == "" {
		return nil
	}
	a := l.check(p, f)
	if lack := l.lack(f); a.problem == "" && lack != "" {
		a = unknown(lack)
	}
	if a.problem == "" {
		return nil
	}
	v := &Violation{Line: l.key + ": " + text, Key: l.key, Severity: l.severity, Title: l.title, Fix: a.fix}
	v.Detail = v.Line + ": " + a.problem
	if a.unknown {
		v.Severity, v.Title = rules.Warn, "A policy line could not be checked"
		v.Detail = v.Line + ": could not be checked, because " + a.problem
	}
	return v
}

// lack is what an amount that a line is about does not contain: it grows with what is not known.
func (l *line) lack(f *Facts) string {
	switch l.key {
	case "max_params":
		return f.Uncounted
	case "must_fit", "max_memory_gb", "max_cost_usd":
		return f.Partial
	}
	return ""
}

func (r reader) gpu(v item) (string, *graph.Error) {
	if v.kind != graph.String {
		return "", v.wrong("the name of a GPU")
	}
	if r.gpus == nil || v.text == "" {
		return "", v.errorf(CodeValue, "no GPU is named %q", clip(v.text))
	}
	name, ok, near := r.gpus(v.text)
	switch {
	case ok:
		return name, nil
	case near != "":
		return "", v.errorf(CodeValue, "no GPU is named %q: did you mean %s?", clip(v.text), near)
	}
	return "", v.errorf(CodeValue, "no GPU is named %q", clip(v.text))
}

// types reads a list of component types. A list that is empty is a line all the same: for a model it takes back a general one.
func types(v item) ([]string, *graph.Error) {
	if v.kind != graph.List {
		return nil, v.wrong("a list of component types")
	}
	out := []string{}
	for _, t := range v.list {
		if t.kind != graph.String {
			return nil, t.wrong("a component type")
		}
		id := catalog.Canonical(t.text)
		if catalog.Lookup(id) == nil {
			message := "no component type is named " + strconv.Quote(clip(t.text))
			if near := catalog.Nearest(t.text); near != "" {
				message += ": did you mean " + near + "?"
			}
			return nil, t.errorf(CodeValue, "%s", message)
		}
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out, nil
}

type typeList []string

func filter(named []string, keep func(string) bool) typeList {
	var out typeList
	for _, t := range named {
		if keep(t) {
			out = append(out, t)
		}
	}
	return out
}

func (t typeList) answer(problem, fix string) answer {
	switch len(t) {
	case 0:
		return answer{}
	case 1:
		return answer{problem: problem + t[0], fix: fix + t[0]}
	}
	return answer{problem: problem + strings.Join(t, ", ")}
}

func plural(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return quantity.Grouped(n) + " " + noun
}

// mustFit asks for each card.
func mustFit(p *Policy, f *Facts) (out answer) {
	if f.Fits == nil {
		return unknown("the memory that training takes is not known")
	}
	for _, gpu := range p.MustFit {
		fits, known := f.Fits(gpu)
		on := ""
		if len(p.MustFit) > 1 {
			on = " (" + gpu + ")"
		}
		switch {
		case !known && out.problem == "":
			out = unknown("whether training fits this GPU" + on + " is not known")
		case !known || fits:
		case f.CardBytes > 0:
			return answer{problem: "training takes " + atLeast(f.Partial) + "an estimated " + quantity.Bytes(f.CardBytes) + " on the card, more than it has" + on}
		default:
			return answer{problem: "training takes more memory than the card" + on + " has"}
		}
	}
	return out
}
