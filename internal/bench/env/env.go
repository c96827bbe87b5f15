// Package env is the benchmark as an environment: an episode begins with the start of a task, takes changes step by step, says after
// each what the verifier finds and what it is worth, and ends when it is submitted or its steps are over.
//
// Memory is bounded: so many episodes, each with one graph within the limits of a request. What an episode answers follows from its
// task and the steps alone. The package knows no surface.
package env

import (
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/graph"
)

// Limits are what a pool takes on.
type Limits struct {
	Episodes int           // that are open at once
	Steps    int           // of one episode
	Idle     time.Duration // after which an episode may be closed to make room for another; 0: never
}

// Defaults are those of the server.
var Defaults = Limits{Episodes: 256, Steps: 64, Idle: 10 * time.Minute}

// The codes of errors that only episodes have. The others are those of package action.
const (
	CodeUnknown = "unknown-episode"
	CodeEnded   = "episode-ended"
	CodeFull    = "too-many-episodes"
	CodeBusy    = "episode-busy"
)

// Pool holds the open episodes. Its methods may be called at once from several goroutines.
type Pool struct {
	limits Limits
	now    func() time.Time

	mu   sync.Mutex
	last int // the number of the last episode that was opened
	open map[int]*episode
}

// New makes a pool. now is the clock that Idle is measured with.
func New(limits Limits, now func() time.Time) *Pool {
	return &Pool{limits: limits, now: now, open: map[int]*episode{}}
}

// Opened is the answer to opening an episode.
type Opened struct {
	Episode     string       `json:"episode"`
	Observation *Observation `json:"observation"`
}

// Open begins an episode with a task.
func (p *Pool) Open(task string) (*Opened, error) {
	problem, err := bench.Find(task)
	if err != nil {
		return nil, err
	}
	e, err := begin(&problem.Task, p.limits.Steps)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.open) >= p.limits.Episodes && !p.evict() {
		full := action.Errorf(CodeFull, "", "%d episodes are open, and no more are: submit or close one", len(p.open))
		full.Limit = int64(p.limits.Episodes)
		return nil, full
	}
	p.last++
	e.used = p.now()
	p.open[p.last] = e
	return &Opened{Episode: name(p.last), Observation: e.observe(nil)}, nil
}

// evict closes the episode that was unused for longest, where that is longer than Idle.
func (p *Pool) evict() bool {
	oldest := 0
	for n, e := range p.open {
		if oldest == 0 || e.used.Before(p.open[oldest].used) || e.used.Equal(p.open[oldest].used) && n < oldest {
			oldest = n
		}
	}
	if oldest == 0 || p.limits.Idle == 0 || p.now().Sub(p.open[oldest].used) < p.limits.Idle {
		return false
	}
	delete(p.open, oldest)
	return true
}

// Step takes one step of an episode: see Action. An error leaves the episode as it was, and costs no step.
func (p *Pool) Step(id string, body []byte) (*Stepped, error) {
	n, e, err := p.find(id)
	if err != nil {
		return nil, err
	}
	a, err := decode(body)
	if err != nil {
		return nil, err
	}
	if !e.mu.TryLock() {
		return nil, action.Errorf(CodeBusy, "", "a step of episode %s is under way: wait for its answer", name(n))
	}
	defer e.mu.Unlock()
	if e.done {
		return nil, ended(n)
	}
	s := e.step(a)
	p.mu.Lock()
	defer p.mu.Unlock()
	e.used = p.now()
	if s.Done {
		e.done = true
		delete(p.open, n)
	}
	return s, nil
}

// Close ends an episode without an answer.
func (p *Pool) Close(id string) error {
	n, _, err := p.find(id)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, n)
	return nil
}

// Open episodes are named by their number.
func name(n int) string { return "e" + strconv.Itoa(n) }

// find returns an open episode, or says that it has ended or never was.
func (p *Pool) find(id string) (int, *episode, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	digits, ok := strings.CutPrefix(id, "e")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 1 || n > p.last || name(n) != id {
		return 0, nil, action.Errorf(CodeUnknown, "episode", "there is no episode %q; opening one gives its name", clip(id))
	}
	e := p.open[n]
	if e == nil {
		return 0, nil, ended(n)
	}
	return n, e, nil
}

func ended(n int) *graph.Error {
	return action.Errorf(CodeEnded, "episode", "episode %s has ended: it was submitted, closed, out of steps or unused for too long", name(n))
}

func clip(s string) string {
	const most = 80
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
