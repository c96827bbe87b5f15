// Package telemetry counts what was asked and what was answered, and sends the counts where the operator wants it.
//
// It knows no graph. What goes in are names that are our own (actions, verdicts, rule ids) and what comes out are numbers
// under those names. Counting goes on in either mode, so that the preview can show what a send would contain; nothing is sent
// unless a Config says where to.
package telemetry

import (
	"encoding/json"
	"maps"
	"sync"
)

// Payload is what a send contains, all of it.
type Payload struct {
	Version  string                      `json:"version"`
	Requests map[string]int64            `json:"requests"` // per action
	Verdicts map[string]map[string]int64 `json:"verdicts"` // per action and verdict
	Rules    map[string]int64            `json:"rules"`    // how often each rule fired
}

// Counts adds up since the process began, and remembers what has been sent. Its methods may be called at the same time.
type Counts struct {
	version     string
	mu          sync.Mutex
	total, sent counters
}

type verdict struct{ action, verdict string }

type counters struct {
	requests map[string]int64
	verdicts map[verdict]int64
	rules    map[string]int64
}

// New starts at zero. The version is that of the program.
func New(version string) *Counts {
	return &Counts{version: version, total: newCounters(), sent: newCounters()}
}

func newCounters() counters {
	return counters{map[string]int64{}, map[verdict]int64{}, map[string]int64{}}
}

// Tally is what one answer adds.
type Tally struct {
	Verdicts []string // usually one; rank has one for each candidate
	Rules    []string // the ids of the rules that fired, one for each time
}

// Add counts one answered request.
func (c *Counts) Add(action string, t Tally) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total.requests[action]++
	for _, v := range t.Verdicts {
		c.total.verdicts[verdict{action, v}]++
	}
	for _, r := range t.Rules {
		c.total.rules[r]++
	}
}

// Total returns the counts since the process began.
func (c *Counts) Total() Payload {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total.since(newCounters(), c.version)
}

// Unsent returns what a send would contain now: the bytes of it.
func (c *Counts) Unsent() []byte {
	body, _, _ := c.pending()
	return body
}

// pending returns the bytes of a send, the counts that they bring the receiver up to, and whether there is anything to tell.
func (c *Counts) pending() (body []byte, upTo counters, news bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.total.since(c.sent, c.version)
	body, err := json.Marshal(p)
	if err != nil {
		return []byte("{}"), c.sent, false // maps of integers can be written
	}
	return body, c.total.clone(), len(p.Requests) > 0
}

// delivered notes that the receiver has the counts.
func (c *Counts) delivered(upTo counters) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent = upTo
}

func (c counters) clone() counters {
	return counters{maps.Clone(c.requests), maps.Clone(c.verdicts), maps.Clone(c.rules)}
}

// since is the difference to an earlier state, without what did not change.
func (c counters) since(before counters, version string) Payload {
	p := Payload{Version: version, Requests: grown(c.requests, before.requests), Verdicts: map[string]map[string]int64{}, Rules: grown(c.rules, before.rules)}
	for k, n := range grown(c.verdicts, before.verdicts) {
		if p.Verdicts[k.action] == nil {
			p.Verdicts[k.action] = map[string]int64{}
		}
		p.Verdicts[k.action][k.verdict] = n
	}
	return p
}

func grown[K comparable](now, before map[K]int64) map[K]int64 {
	out := map[K]int64{}
	for k, n := range now {
		if d := n - before[k]; d != 0 {
			out[k] = d
		}
	}
	return out
}
