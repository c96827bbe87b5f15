package agent

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/bench"
)

// Plan is which tasks a run has: N of every family in every split, beginning with From.
type Plan struct {
	Families, Splits []string
	From, N          int
	Seed             uint64
}

// IDs are the tasks of a plan, split by split and family by family.
func (p *Plan) IDs() []string {
	var out []string
	for _, split := range p.Splits {
		for _, family := range p.Families {
			for i := range p.N {
				out = append(out, bench.ID(family, split, p.From+i))
			}
		}
	}
	return out
}

// Outcome is what an agent made of one task: a line of a trace.
type Outcome struct {
	Task     string       `json:"task"`
	Agent    string       `json:"agent"`
	Model    string       `json:"model,omitempty"` // of a provider
	Prompt   string       `json:"prompt"`
	Steps    []Step       `json:"steps"`
	Answer   string       `json:"answer"`
	Grade    *bench.Grade `json:"grade"`
	family   string
	split    string
	number   int
	gradings int
}

// Attempt is the outcome as results count it.
func (o *Outcome) Attempt() bench.Attempt {
	return bench.Attempt{Family: o.family, Split: o.split, Number: o.number, Grade: o.Grade, Steps: len(o.Steps), Gradings: o.gradings}
}

// Run gives an agent every task of a plan, and calls done after each, in their order.
func Run(ctx context.Context, a Agent, p *Plan, workers int, done func(*Outcome) error) (*bench.Result, error) {
	var attempts []bench.Attempt
	r := &bench.Result{Agent: a.Name(), Seed: p.Seed, From: p.From, N: p.N}
	err := Each(ctx, a, p.IDs(), p.Seed, workers, func(o *Outcome) error {
		attempts = append(attempts, o.Attempt())
		r.Model = o.Model
		return done(o)
	})
	if err != nil {
		return nil, err
	}
	r.Rows = bench.Tally(attempts)
	return r, nil
}

// Each gives an agent some tasks, several at a time, and emits what came of them in their order. The first error ends it.
func Each(ctx context.Context, a Agent, ids []string, seed uint64, workers int, emit func(*Outcome) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	type solved struct {
		*Outcome
		error
	}
	queue := make(chan chan solved, max(0, workers-1)) // as many are under way as it holds, and the one that is waited for
	go func() {
		defer close(queue)
		for _, id := range ids {
			one := make(chan solved, 1)
			select {
			case queue <- one:
			case <-ctx.Done():
				return
			}
			go func() {
				o, err := attempt(ctx, a, id, seed)
				one <- solved{o, err}
			}()
		}
	}()
	for one := range queue {
		s := <-one
		if s.error != nil {
			return s.error
		}
		if err := emit(s.Outcome); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// attempt gives an agent one task.
func attempt(ctx context.Context, a Agent, id string, seed uint64) (*Outcome, error) {
	p, err := bench.Find(id)
	if err != nil {
		return nil, err
	}
	o := &Outcome{Task: id, Agent: a.Name(), Prompt: p.Task.Prompt, Steps: []Step{}, family: p.Task.Family, split: p.Task.Split}
	if o.number, err = strconv.Atoi(id[strings.LastIndexByte(id, '/')+1:]); err != nil {
		return nil, fmt.Errorf("agent: the number of %s: %w", id, err)
	}
	task := p.Task
	answer, err := a.Solve(ctx, &task, seed, func(s Step) {
		o.Steps = append(o.Steps, s)
		o.gradings += s.Gradings
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", id, err)
	}
	if named, ok := a.(interface{ Model() string }); ok {
		o.Model = named.Model()
	}
	o.Answer, o.Grade = string(answer), bench.Score(&p.Task, answer)
	o.gradings++
	return o, nil
}
