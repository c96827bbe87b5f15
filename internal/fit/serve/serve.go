// Package serve says whether the launch command of a serving engine is legal for a model, and whether the model fits the cards
// that it names: it reads the command as a shell and the engine's own parser do, and judges it as the engine does at start-up.
//
// One file is one engine; the flags of each are a table in flags/, with the versions that have them. A finding blocks only where
// the engine refuses, or where weights and one sequence cannot fit even without overhead; what was not read in an engine's source
// warns at most. The package runs nothing, reads no files and knows no surface.
package serve

import (
	"errors"
	"strings"

	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/fit/facts"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// MaxGPUs is how many cards of one machine can be named. No other size of a command is larger, either.
const MaxGPUs = 1 << 20

// Request is what can be asked.
type Request struct {
	Command       string
	GPU           *hardware.GPU // nil where none was named: fit and capability are not judged
	GPUs          int64         // of one machine; 0 for as many as the command needs
	Images        int64         // in each request, of a model that sees; 0 where nothing is asked about them
	EngineVersion string        // "" for that of the image, or the assumed one
	Files         []File        // that the command names, where the caller has them
}

// File is the text of a configuration file.
type File struct{ Name, Text string }

// Severity is how much a finding weighs.
type Severity string

// The severities.
const (
	Block Severity = "block"
	Warn  Severity = "warn"
)

// Finding is one thing found.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	Title    string   `json:"title"`
	Detail   string   `json:"detail"`
	Fix      string   `json:"fix,omitempty"` // what was judged to do away with it
}

// Memory is that of the fullest card, in units of 10^9 bytes. An unknown part is 0.
type Memory struct {
	WeightsGb     quantity.Decimal `json:"weightsGb"`
	KvGb          quantity.Decimal `json:"kvGb"` // what is left for keys and values
	ActivationsGb quantity.Decimal `json:"activationsGb"`
	OverheadGb    quantity.Decimal `json:"overheadGb"`
	CapacityGb    quantity.Decimal `json:"capacityGb"`
}

// Result is the answer.
type Result struct {
	Verdict                string    `json:"verdict"` // pass, warn or block
	Engine                 string    `json:"engine"`  // "" where none was recognised
	EngineVersion          string    `json:"engineVersion"`
	EngineVersionAssumed   bool      `json:"engineVersionAssumed"`
	Findings               []Finding `json:"findings"`
	Memory                 *Memory   `json:"memory"` // null where no card was named, the sizes are not known, or components are not
	KVBytesPerToken        *int64    `json:"kvBytesPerToken"`
	MaxConcurrentSequences *int64    `json:"maxConcurrentSequences"` // null as memory
	Command                string    `json:"command"`                // in canonical form

	Images *estimate.ImagesBody `json:"images,omitempty"` // what those of a request take, where their number was given

	// Judged are the ids of the rules that were looked at with everything that they need, sorted: what is not among them was not found
	// out, for lack of a card, of the model's sizes, or of an engine that is known.
	Judged []string `json:"-"`

	launch *launch // that was judged, for Open
}

// launch is one command on its way through the rules.
type launch struct {
	guesses map[string]guess // by what is written
	*command
	model      facts.Facts
	walked     *infer.Result
	config     config // config.json of the model, nil where there is none
	text       config // the part of it that describes the language model
	request    *Request
	weighed    *parts // once they are sorted
	looked     *estimate.Images
	gpus       int64 // that the process sees, 0 where unknown
	out        *Result
	soften     string              // why nothing blocks for certain, "" where it does
	fileValues config              // of the file that overrides the command
	fileRead   bool                // the file of --config was there to be read
	asked      *Request            // as it was sent
	origin     *command            // as it was read, before files are
	known      *launch             // one for the same model, whose facts are taken
	listed     map[string]*listing // by rule
	said       map[Finding]bool
	objects    map[string]config   // that flags give, by the flag, decoded once
	files      map[string]yamlFile // by name: each is read once, however often the command is judged again
	remedies   []remedy            // of the findings, in the order in which they were found: those that help, once they were judged
	seen       map[string]bool     // rules that were looked at with everything that they need
}

// Check judges a launch command.
func Check(res *infer.Result, r *Request) *Result {
	c, err := read(r.Command, r.EngineVersion)
	return check(res, r, c, err).out
}

// check judges a command that was read, nil where none is known.
func check(res *infer.Result, r *Request, c *command, err error) *launch {
	l := newLaunch(res, r, c)
	out := l.out
	var shell *shellError
	if l.judged("command-unread"); !errors.As(err, &shell) || !shell.unread {
		l.judged("command-syntax")
	}
	if err == nil {
		l.judged("unknown-engine-command")
	}
	switch {
	case errors.As(err, &shell) && shell.unread:
		l.warn("command-unread", nil, "%v", err)
		out.Command = strings.TrimSpace(clip(r.Command, 400))
	case err != nil:
		l.block("command-syntax", nil, "%v", err)
		out.Command = strings.TrimSpace(clip(r.Command, 400))
	case c == nil:
		l.warn("unknown-engine-command", nil,
			"no launch of a known engine is in %q: give a command of %s", clip(strings.TrimSpace(r.Command), 120), engineList())
		out.Command = strings.TrimSpace(clip(r.Command, 400))
	default:
		origin := *c
		l.origin = &origin
		l.judge()
		l.settle()
	}
	out.Verdict = "pass"
	for _, f := range out.Findings {
		if f.Severity == Block {
			out.Verdict = "block"
		} else if out.Verdict == "pass" {
			out.Verdict = "warn"
		}
	}
	sortFindings(out.Findings)
	out.Judged = l.lookedAt()
	out.launch = l
	return l
}

// newLaunch is one command before it is judged.
func newLaunch(res *infer.Result, r *Request, c *command) *launch {
	return &launch{out: &Result{Findings: []Finding{}}, request: r, asked: r, walked: res, command: c, seen: map[string]bool{},
		listed: map[string]*listing{}, said: map[Finding]bool{}, objects: map[string]config{}, files: map[string]yamlFile{}, guesses: map[string]guess{}}
}

// again is another command for the same model.
func (l *launch) again(c *command) *launch {
	next := newLaunch(l.walked, l.asked, c)
	next.known, next.files, next.guesses = l, l.files, l.guesses
	return next
}

// judge runs every rule of the engine.
func (l *launch) judge() {
	out, c := l.out, l.command
	out.Engine, out.EngineVersion, out.EngineVersionAssumed, out.Command = c.engine.id, c.version.text, !c.named, c.String()
	if k := l.known; k != nil {
		l.model, l.config, l.text, l.weighed = k.model, k.config, k.text, k.weighed
	} else {
		l.model = facts.Of(l.walked)
		l.config, l.text = configOf(l.walked.Graph)
	}
	if device, given := l.str("--device"); given && device != "cuda" && device != "auto" && l.engine.dialect <= flexible {
		r := *l.request // it runs on something else
		r.GPU, r.GPUs = nil, 0
		l.request = &r
	}
	l.gpus = l.request.GPUs
	if n := c.devices(); n > 0 && (l.gpus == 0 || n < l.gpus) {
		l.gpus = n
	}
	if len(c.open) > 0 {
		l.soften = "unless " + some(c.open) + " says otherwise"
	}
	l.shellNotes()
	l.judged("prints-help")
	if l.given("--help") || l.given("--version") {
		l.warn("prints-help", nil, "the command prints something and ends: nothing is launched")
		return
	}
	l.containerRules()
	l.configFiles()
	l.flagRules()
	l.engine.check(l)
	if l.out.Images == nil {
		l.imageRules(0) // without a card
	}
}

func engineList() string {
	var names []string
	for _, e := range engines {
		names = append(names, e.label)
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// block reports what the engine refuses; warn what it does not, or what is not certain.
func (l *launch) block(rule string, fix remedy, format string, args ...any) {
	if !l.full(Block, rule) {
		l.add(Block, rule, fix, quantity.Sprintf(format, args...))
	}
}

func (l *launch) warn(rule string, fix remedy, format string, args ...any) {
	if !l.full(Warn, rule) {
		l.add(Warn, rule, fix, quantity.Sprintf(format, args...))
	}
}

func (l *launch) add(s Severity, rule string, fix remedy, detail string) {
	if l.full(s, rule) {
		return
	}
	if s == Block && l.soften != "" {
		s, detail = Warn, detail+", "+l.soften
	}
	if strings.HasPrefix(rule, "mem-") && !facts.Counted(l.walked) {
		detail += "; the model takes at least that, for components of it are not known"
	}
	title, ok := titles[rule]
	if !ok {
		panic("serve: rule " + rule + " has no title")
	}
	f := Finding{Rule: rule, Severity: s, Title: title, Detail: strings.ToValidUTF8(detail, "\uFFFD")}
	if l.said[f] || !l.room(f) {
		return
	}
	l.said[f] = true
	l.out.Findings, l.remedies = append(l.out.Findings, f), append(l.remedies, fix)
	l.judged(rule)
}

// some names variables, each once, and not more than a line has room for.
func some(vars []string) string {
	const most = 8
	named := different(vars, most+1)
	if len(named) > most {
		return strings.Join(named[:most], " ") + " or another variable"
	}
	return strings.Join(named, " ")
}

// different are the first words of a list that are not the same, so many at the most, and short enough to be quoted in every finding.
func different(words []string, most int) []string {
	var out []string
	for _, w := range words {
		if len(out) == most {
			break
		}
		if w = graph.Brief(w); !contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// shellNotes says what of the text was not judged.
func (l *launch) shellNotes() {
	l.judged("shell-pipeline", "shell-comment", "shell-variable")
	if l.piped {
		l.warn("shell-pipeline", nil, "only the engine's own command is judged, not what its output is piped into")
	}
	if l.loose {
		l.warn("shell-comment", nil, "a comment follows a backslash: a shell ends the command there, here it is read as one command; put it on a line of its own")
	}
	var vars []string
	note := func(ws []word) {
		for _, w := range ws {
			vars = append(vars, w.vars...)
		}
	}
	note(l.strays)
	for i := range l.args {
		note(l.args[i].values)
	}
	if len(vars) > 0 {
		l.warn("shell-variable", nil, "the value of %s is not known here, and what depends on it is not judged: put the value in its place", strings.Join(different(vars, 8), ", "))
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// clip cuts a text that is too long to be quoted.
func clip(s string, n int) string {
	if len(s) <= n {
		return strings.ToValidUTF8(s, "�")
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
