package runfile

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Report is what a file says, with every key accounted for.
type Report struct {
	File     string    `json:"file"`
	Run      *Run      `json:"run"`
	Keys     []Key     `json:"keys"`
	Findings []Finding `json:"findings"`
}

// Severities of findings.
const (
	Block = "block" // the trainer refuses it, or it cannot both be so
	Warn  = "warn"
)

// Finding is something about a file that a person should know.
type Finding struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	File     string `json:"file,omitempty"` // where it is not the file that was asked for
	Line     int    `json:"line,omitempty"`
	Path     string `json:"path,omitempty"`
	Message  string `json:"message"`
	Fix      string `json:"fix,omitempty"`
}

// The rules that findings name.
const (
	ruleContradiction = "contradiction"
	ruleUnknownKey    = "unknown-key"
	ruleAuto          = "auto"
	ruleNotRead       = "not-read"
	ruleOptimizer     = "unknown-optimizer"
	ruleIneffective   = "ineffective"
	ruleBatch         = "batch-mismatch"
	ruleWorld         = "world-size"
	ruleQuantised     = "quantised-without-adapter"
	rulePacking       = "packing"
	ruleGroup         = "group-size"
	ruleAssumed       = "assumed"
)

func (r *Report) find(f Finding) { r.Findings = append(r.Findings, f) }

func (r *Report) contradiction(path string, p place, message, fix string) {
	r.find(Finding{Rule: ruleContradiction, Severity: Block, File: p.file, Line: p.line, Path: path, Message: message, Fix: fix})
}

func (r *Report) unknownKey(k Key, trainer string) {
	f := Finding{Rule: ruleUnknownKey, Severity: Warn, File: k.File, Line: k.Line, Path: k.Path,
		Message: clip(k.Path) + " is no key of " + trainers[trainer].title}
	if k.Nearest != "" {
		f.Fix = "did you mean " + k.Nearest + "?"
	}
	r.find(f)
}

// Blocked are the findings with which the run cannot be what its file says.
func (r *Report) Blocked() (out []Finding) {
	for _, f := range r.Findings {
		if f.Severity == Block {
			out = append(out, f)
		}
	}
	return out
}

// Count is the number of keys of which one thing became.
func (r *Report) Count(u Use) (n int) {
	for i := range r.Keys {
		if r.Keys[i].Use == u {
			n++
		}
	}
	return n
}

// Options are what a caller can say of a file.
type Options struct {
	Trainer string                            // its id; empty to find out by the keys
	Open    func(name string) ([]byte, error) // reads a file that this one names, nil for none
}

// trainer is one program that takes such files.
type trainer struct {
	id, title, version string
	keys               table
	loose              bool     // whether "2" passes for 2
	signs              []string // keys of the top that no other trainer has
	finish             func(*reader, *value)
}

// trainers are found by their ids. Each has a file of its own.
var trainers = map[string]*trainer{}

func register(t trainer) bool {
	trainers[t.id] = &t
	return true
}

// Trainers are the ids of those whose files are read, sorted.
func Trainers() (out []string) {
	for id := range trainers {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}

// Parse reads a file. What is wrong with it is an error of type Faults; what only contradicts is a finding.
func Parse(name string, data []byte, o Options) (*Report, error) {
	report := &Report{File: name, Keys: []Key{}, Findings: []Finding{}}
	top, verb, err := parse(name, data)
	if err != nil {
		return nil, located(name, err)
	}
	if top.kind != mapping {
		return nil, located(name, Fault{Message: "has no keys and values at its top"})
	}
	t, err := trainerOf(&top, o.Trainer, verb)
	if err != nil {
		return nil, located(name, err)
	}
	r := &reader{run: &Run{Trainer: t.id, Version: t.version}, report: report, loose: t.loose || verb != "", open: o.Open}
	report.Run = r.run
	if verb != "" {
		top.add(commandVerb, value{kind: text, text: verb, path: commandVerb})
	}
	r.walk(t.keys, &top, "")
	if t.finish != nil {
		t.finish(r, &top)
	}
	if len(r.faults) > 0 {
		return nil, located(name, r.faults)
	}
	report.judge()
	return report, nil
}

// located says in which file something is wrong.
func located(name string, err error) error {
	var one Fault
	var all Faults
	switch {
	case errors.As(err, &all):
	case errors.As(err, &one):
		all = Faults{one}
	default:
		return err
	}
	for i := range all {
		if all[i].File == "" {
			all[i].File = name
		}
	}
	return all
}

// commandVerb is the key under which the word of a command stands: sft of trl sft.
const commandVerb = "(command)"

// parse reads the text by what it is written in. A command gives its word too.
func parse(name string, data []byte) (top value, verb string, err error) {
	if len(data) > MaxBytes {
		return top, "", Fault{Message: fmt.Sprintf("has %d bytes but at most %d are read", len(data), MaxBytes)}
	}
	head := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\uFEFF")), " \t\r\n")
	ext := strings.ToLower(path.Ext(strings.ReplaceAll(name, `\`, "/")))
	switch {
	case len(head) == 0:
		return top, "", Fault{Message: "is empty"}
	case bytes.IndexByte(head, 0) >= 0:
		return top, "", Fault{Message: "is not text"}
	case ext == ".toml":
		top, err = parseTOML(data)
	case head[0] == '{' || ext == ".json":
		top, err = parseJSON(data)
	case isCommand(head):
		return readCommand(string(head))
	default:
		top, err = parseYAML(data)
	}
	return top, "", err
}

// trainerOf finds out whose file it is: the trainer that was named, or else the one that knows most of its keys.
func trainerOf(top *value, id, verb string) (*trainer, error) {
	if id != "" {
		if t := trainers[id]; t != nil {
			return t, nil
		}
		return nil, Fault{Message: fmt.Sprintf("cannot be read as %q; known are %s", clip(id), strings.Join(Trainers(), ", "))}
	}
	if verb != "" {
		return trainers["trl"], nil
	}
	var best []*trainer
	most := 0
	for _, id := range Trainers() {
		t := trainers[id]
		score := t.score(top)
		if score > most {
			best, most = nil, score
		}
		if score == most && score > 0 {
			best = append(best, t)
		}
	}
	if i := slices.IndexFunc(best, func(t *trainer) bool { return t.id == "transformers" }); i >= 0 {
		best = best[i : i+1] // what it knows the others know too
	}
	switch len(best) {
	case 0:
		return nil, Fault{Message: "has no key of a trainer that is known: " + strings.Join(Trainers(), ", ")}
	case 1:
		return best[0], nil
	}
	var ids []string
	for _, t := range best {
		ids = append(ids, t.id)
	}
	return nil, Fault{Message: "could be a file of " + strings.Join(ids, " or ") + ": say which trainer it is for"}
}

// score counts the keys of the top that a trainer knows; one that no other has weighs more than all those that several have.
func (t *trainer) score(top *value) (n int) {
	for i := range top.members {
		name := top.members[i].name
		if _, found := t.keys.keys[name]; found || t.keys.has(name) {
			n++
		}
		if slices.Contains(t.signs, name) {
			n += 1000
		}
	}
	return n
}
