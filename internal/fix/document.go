package fix

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/hf"
	"github.com/modelverifier/verifier/internal/importer/neurarch"
	"github.com/modelverifier/verifier/internal/patch"
	"github.com/modelverifier/verifier/internal/rules"
)

func init() {
	readers["graph"] = (*project).judgeGraph
	readers["config"] = (*project).judgeConfig
}

// judgeGraph reads a graph in JSON or in the text notation.
func (p *project) judgeGraph(files []patch.File, t *Target) *verdict {
	text := textOf(files, t.Path)
	var g *graph.Graph
	var err error
	if isJSON(text) {
		if g, err = graph.Decode([]byte(text), "model", p.Limits); err == nil && neurarch.Marked(g) {
			g = neurarch.Import(g).Graph
		}
	} else {
		g, err = graph.ParseWithin(text, p.Limits)
	}
	if err != nil {
		return &verdict{err: err, params: -1}
	}
	if fault := action.CheckModel(g, "model"); fault != nil {
		return &verdict{err: fault, params: -1}
	}
	v := p.check(g, t, files)
	if v.err != nil {
		return v
	}
	v.params = v.walked.Params
	return v
}

func isJSON(text string) bool { return strings.HasPrefix(strings.TrimLeft(text, "\ufeff \t\r\n"), "{") }

// judgeConfig reads a config.json.
func (p *project) judgeConfig(files []patch.File, t *Target) *verdict {
	m, err := hf.Import([]byte(textOf(files, t.Path)), hf.Options{})
	if err != nil {
		return &verdict{err: err, params: -1}
	}
	v := p.check(m.Graph, t, files)
	if v.err != nil {
		return v
	}
	v.params = m.Params
	return v
}

// unreadable is a configuration that transformers would refuse, as a finding: its numbers contradict each other.
func unreadable(err error) *verdict {
	f := action.Finding{Stage: action.Preflight, Severity: rules.Block, Title: "The configuration contradicts itself", Detail: err.Error()}
	return &verdict{blocks: []action.Finding{f}, params: -1, graph: &graph.Graph{}, why: err.Error()}
}

// document is a finding of a graph or of a configuration, with the whole numbers that stand in it.
type document struct {
	want
	ctx        context.Context
	path, text string
	places     []place
}

// place is a whole number in a document, or where one can be put.
type place struct {
	name       string // of the parameter or key
	owner      string // id of the component; "" in a configuration
	start, end int
	value      int64
	absent     string // what stands before a value that is not there yet; "" for one that is
}

func newDocument(ctx context.Context, files []patch.File, t *Target, f action.Finding) *document {
	d := &document{want: wantOf(f, f.Detail), ctx: ctx, path: t.Path, text: textOf(files, t.Path)}
	if isJSON(d.text) {
		d.jsonPlaces()
	} else {
		d.notationPlaces()
	}
	return d
}

// jsonPlaces lists the numbers of a JSON document. Where it is in the document is kept in step with the tokens: to write the way to each
// token out costs as much as all names above it are long, which are the author's.
func (d *document) jsonPlaces() {
	ids := map[int]string{}
	var owners []int // of the places, the index of the component
	w := &way{}
	dec := jsontext.NewDecoder(strings.NewReader(d.text), jsontext.AllowDuplicateNames(true))
	for tokens := 0; tokens%1024 != 0 || d.ctx.Err() == nil; tokens++ {
		tok, err := dec.ReadToken()
		if err != nil {
			break
		}
		if !w.step(tok) {
			continue
		}
		switch owner, member := w.owner(); tok.Kind() {
		case '"':
			if member == "id" {
				ids[owner] = tok.String()
			}
		case '0':
			text := tok.String()
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				continue
			}
			end := int(dec.InputOffset())
			owners = append(owners, owner)
			d.places = append(d.places, place{name: w.name(), start: end - len(text), end: end, value: n})
		}
	}
	for i := range d.places {
		d.places[i].owner = ids[owners[i]]
	}
}

// way is where a token stands in a document: the lists and objects around it, from the outside.
type way struct{ levels []level }

// level is a list or an object that is open.
type level struct {
	list  bool
	named bool   // the name of a member was read, and not yet its value
	name  string // of the member, in an object
	item  int    // from 0, in a list
}

// step goes on to a token, and reports whether it is a value that is neither a list nor an object.
func (w *way) step(tok jsontext.Token) (value bool) {
	kind := tok.Kind()
	if kind == '}' || kind == ']' {
		w.levels = w.levels[:len(w.levels)-1]
		return false
	}
	if n := len(w.levels); n > 0 {
		switch l := &w.levels[n-1]; {
		case l.list:
			l.item++
		case !l.named:
			l.named, l.name = true, tok.String()
			return false
		default:
			l.named = false
		}
	}
	if kind == '{' || kind == '[' {
		w.levels = append(w.levels, level{list: kind == '[', item: -1})
		return false
	}
	return true
}

// name is that of the member or the position of the item that the last token is.
func (w *way) name() string {
	if len(w.levels) == 0 {
		return ""
	}
	l := &w.levels[len(w.levels)-1]
	if l.list {
		return strconv.Itoa(l.item)
	}
	return l.name
}

// owner is which component the last token is in, or -1, and the member of it that the token is, if it is one.
func (w *way) owner() (index int, member string) {
	in := w.levels
	if len(in) > 0 && !in[0].list && in[0].name == "model" {
		in = in[1:]
	}
	if len(in) < 3 || in[0].list || in[0].name != "components" || !in[1].list {
		return -1, ""
	}
	if len(in) == 3 && !in[2].list {
		member = in[2].name
	}
	return in[1].item, member
}

var setting = regexp.MustCompile(`(?:^|[ \t])("(?:[^"\\]|\\.)*"|[A-Za-z_][\w.]*)=(-?\d+)(?:[ \t\r]|$)`)

// notationPlaces lists the numbers of a graph in the text notation, where a component is a line.
func (d *document) notationPlaces() {
	at := 0
	for line := range strings.Lines(d.text) {
		start := at
		at += len(line)
		g, err := graph.Parse(strings.TrimRight(line, "\r\n"))
		if err != nil || len(g.Components) != 1 {
			continue
		}
		code, _, _ := strings.Cut(line, "//")
		code = strings.TrimRight(code, " \t\r\n")
		id := g.Components[0].ID
		for from := 0; ; {
			m := setting.FindStringSubmatchIndex(code[from:])
			if m == nil {
				break
			}
			n, err := strconv.ParseInt(code[from+m[4]:from+m[5]], 10, 64)
			if err == nil {
				d.places = append(d.places, place{name: strings.Trim(code[from+m[2]:from+m[3]], `"`), owner: id, start: start + from + m[4], end: start + from + m[5], value: n})
			}
			from += m[5]
		}
		d.places = append(d.places, place{owner: id, start: start + len(code), end: start + len(code), absent: " "})
	}
}

// candidates are the finding's own edit, or else numbers that the finding asks for. Of a component that divides something, all that would do.
// No more of one cost are made than are tried.
func (d *document) candidates() []candidate {
	var out []candidate
	made := map[int]int{} // by cost
	for i := range d.places {
		if i%1024 == 0 && d.ctx.Err() != nil {
			break
		}
		d.at(&d.places[i], func(cost int, of func() candidate) {
			if made[cost] < maxReads {
				made[cost]++
				out = append(out, of())
			}
		})
	}
	return sorted(out)
}

func (d *document) at(p *place, add func(cost int, of func() candidate)) {
	for _, e := range d.finding.Edit {
		if len(d.finding.Edit) > 1 || p.owner != "" && p.owner != e.Component {
			continue
		}
		value, err := json.Marshal(e.Value)
		switch {
		case err != nil:
		case p.absent != "":
			add(costEdit+6, func() candidate { return d.set(p, p.absent+e.Param+"="+string(value), e.Param, costEdit+6) })
		case p.owner != "" && fold(p.name) == fold(e.Param):
			add(costEdit, func() candidate { return d.set(p, string(value), p.name, costEdit) })
		}
	}
	if p.absent != "" || p.owner != "" && p.owner != d.finding.Component {
		return
	}
	if d.divides() && slices.Contains(d.numbers, p.value) && p.value > 1 {
		for i, v := range dividing(p.value, d.numbers) {
			add(costSeveral, func() candidate {
				c := d.set(p, strconv.FormatInt(v, 10), p.name, costSeveral)
				c.several, c.order = true, i
				return c
			})
		}
	}
	if p.owner == "" {
		for i, v := range d.wantedFor(p.value) {
			cost := costNumber + min(i, 8)
			add(cost, func() candidate { return d.set(p, strconv.FormatInt(v, 10), p.name, cost) })
		}
	}
}

func (d *document) set(p *place, text, name string, cost int) candidate {
	was := d.text[p.start:p.end]
	what := name + " " + strings.TrimSpace(text) + " in place of " + was
	if was == "" {
		what = strings.TrimSpace(text) + " added"
	}
	return candidate{edits: []patch.Edit{{Path: d.path, Start: p.start, End: p.end, New: text}}, cost: cost, what: what}
}

// fold is a name without what its spellings differ in.
func fold(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// evidence is that a number of the finding is changed to another of its.
func (d *document) evidence(t *trial, _ *verdict) int {
	e := t.edits[0]
	if n, err := strconv.ParseInt(d.text[e.Start:e.End], 10, 64); err == nil && slices.Contains(d.numbers, n) {
		return 4
	}
	return 0
}
