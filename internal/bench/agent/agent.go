// Package agent solves tasks of the benchmark: baselines that need nobody, and a language model of a provider. A runner gives an agent
// tasks and counts what came of them.
//
// An agent sees a task and what the verifier says about its tries, and never the reference. It must not know who started it, nor where
// results go.
package agent

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/spelling"
)

// Agent solves tasks. The same task and seed give the same answer, unless it asks a provider.
type Agent interface {
	Name() string
	// Solve returns an answer, whether it passes or not. It calls step once for each change that it keeps, in their order. An error is
	// that no answer could be found out, such as a provider that is away: the task is then not counted at all.
	Solve(ctx context.Context, t *bench.Task, seed uint64, step func(Step)) (answer []byte, err error)
}

// Step is one step of a trace: what was changed and why, and what the verifier said after it.
type Step struct {
	Edits   json.RawMessage `json:"edits"` // changes of the model before it, as internal/edit reads them; or {"model": GRAPH}
	Because string          `json:"because"`
	Grade   *bench.Grade    `json:"grade"`
	// Gradings is how often the verifier graded a try until this step was kept, this one among them.
	Gradings int `json:"gradings"`
}

// Entry is an agent that needs nobody, with a line about it.
type Entry struct {
	Agent Agent
	Doc   string
}

// entries are all of them; each file adds its own.
var entries = map[string]Entry{}

func define(a Agent, doc string) bool {
	entries[a.Name()] = Entry{a, doc}
	return true
}

// Names lists the agents that need nobody.
func Names() []string {
	var out []string
	for name := range entries {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Lookup returns the agent with a name. The error names the nearest one, and all there are.
func Lookup(name string) (Entry, error) {
	if e, ok := entries[name]; ok {
		return e, nil
	}
	err := action.Errorf(action.CodeValue, "policy", "is %q but must be one of %s%s", clip(name), strings.Join(Names(), ", "),
		spelling.DidYouMean(name, Names()))
	err.Allowed = Names()
	return Entry{}, err
}

func clip(s string) string {
	const most = 80
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
