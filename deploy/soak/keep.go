//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// kept is what the service acknowledged, and must have from then on.
type kept struct {
	mu       sync.Mutex
	plans    []*plan
	outcomes []*outcome
	jobs     []*job
	last     int
}

// plan is a shared plan.
type plan struct {
	owner   *tenant
	id      string
	known   *known
	removed bool // acknowledged
	unsure  bool // asked to be removed, without an answer
}

// outcome is a row of the history. Its figures follow from its number.
type outcome struct {
	owner       *tenant
	fingerprint string
	body        string
	value       float64
}

// next numbers what is made.
func (k *kept) next() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last++
	return k.last
}

// share shares a plan; every fifth is removed later.
func (l *load) share(_ context.Context, t *tenant) {
	if l.draw(5) == 0 && l.unshare() {
		return
	}
	versions := *l.versions.Load()
	var may []*known
	for _, k := range answerable(l.known, versions) {
		// A shared plan is kept without the version before, and as the graph that another editor's was translated to (docs/store.md): its page
		// has another answer then.
		if k.action == "plan" && k.status == http.StatusOK && !bytes.Contains(k.body, []byte(`"base"`)) && !strings.Contains(k.name, "another-editor") {
			may = append(may, k)
		}
	}
	k := may[l.draw(len(may))]
	body := append([]byte(`{"share":true,`), bytes.TrimSpace(k.body)[1:]...)
	status, answer := l.ask(sharing, t.key, http.MethodPost, "/api/v1/plan", body)
	if status == 0 {
		return // whether it was kept is not known: then nobody knows its address
	}
	var made struct{ Share struct{ ID, URL string } }
	if err := json.Unmarshal(answer, &made); status != http.StatusOK || err != nil || made.Share.ID == "" {
		l.lied("sharing %s: %d %.300s", k.name, status, answer)
		return
	}
	addition := fmt.Appendf(nil, `,"share":{"id":%q,"url":%q}`, made.Share.ID, l.url+"/p/"+made.Share.ID)
	if !k.says(status, bytes.Replace(answer, addition, nil, 1), versions) && !k.says(status, bytes.Replace(answer, addition, nil, 1), *l.versions.Load()) {
		l.lied("sharing %s: %.300s", k.name, answer)
	}
	l.kept.mu.Lock()
	defer l.kept.mu.Unlock()
	l.kept.plans = append(l.kept.plans, &plan{owner: t, id: made.Share.ID, known: k})
}

// unshare removes a plan that was shared.
func (l *load) unshare() bool {
	l.kept.mu.Lock()
	if len(l.kept.plans) < 10 {
		l.kept.mu.Unlock()
		return false
	}
	n := len(l.kept.plans)
	l.kept.mu.Unlock()
	n = l.draw(n)
	l.kept.mu.Lock()
	p := l.kept.plans[n]
	busy := p.removed || p.unsure
	p.unsure = true // others do not look at it until it is known
	l.kept.mu.Unlock()
	if busy {
		return false
	}
	status, answer := l.ask(sharing, p.owner.key, http.MethodDelete, "/api/v1/plans/"+p.id, nil)
	if status == 0 {
		return true
	}
	if status != http.StatusOK && status != http.StatusNoContent {
		l.lied("removing plan %s: %d %.200s", p.id, status, answer)
	}
	l.kept.mu.Lock()
	defer l.kept.mu.Unlock()
	p.removed, p.unsure = true, false
	return true
}

// tell writes an outcome. Sent again behind a lost answer it is the same row.
func (l *load) tell(ctx context.Context, t *tenant) {
	n := l.kept.next()
	o := &outcome{owner: t, fingerprint: fmt.Sprintf("%08x", n), value: float64(n) / 8}
	o.body = fmt.Sprintf(`{"fingerprint":%q,"metric":"accuracy","value":%v,"epochs":%d,"at":"2026-01-02T03:04:05Z","source":"soak"}`, o.fingerprint, o.value, n%7+1)
	for ctx.Err() == nil {
		status, answer := l.ask(telling, t.key, http.MethodPost, "/api/v1/history", []byte(o.body))
		if status == 0 {
			pause(ctx, 200*time.Millisecond)
			continue
		}
		if status != http.StatusOK || !bytes.HasPrefix(answer, []byte(`{"ledger":"written"`)) && !bytes.HasPrefix(answer, []byte(`{"ledger":"already"`)) {
			l.lied("an outcome: %d %.200s", status, answer)
			return
		}
		l.kept.mu.Lock()
		defer l.kept.mu.Unlock()
		l.kept.outcomes = append(l.kept.outcomes, o)
		return
	}
}

// look reads something that was acknowledged, of any replica.
func (l *load) look(_ context.Context) {
	l.kept.mu.Lock()
	var p *plan
	var o *outcome
	if n := len(l.kept.plans); n > 0 {
		p = l.kept.plans[l.draw(n)]
	}
	if n := len(l.kept.outcomes); n > 0 {
		o = l.kept.outcomes[l.draw(n)]
	}
	l.kept.mu.Unlock()
	if p != nil {
		l.sees(p)
	}
	if o != nil {
		l.reads(o)
	}
}

// state copies how a plan stands.
func (l *load) state(p *plan) (removed, unsure bool) {
	l.kept.mu.Lock()
	defer l.kept.mu.Unlock()
	return p.removed, p.unsure
}

// sees reads a shared plan, and reports whether there was an answer.
func (l *load) sees(p *plan) bool {
	removed, unsure := l.state(p)
	versions := *l.versions.Load()
	status, answer := l.ask(sharing, "", http.MethodGet, "/p/"+p.id+".json", nil)
	if status == 0 {
		return false
	}
	now, still := l.state(p)
	right := p.known.says(status, answer, versions) || p.known.says(status, answer, *l.versions.Load())
	switch {
	case unsure || still || now != removed:
	case removed && status != http.StatusNotFound:
		l.lied("plan %s was removed, and is there: %d %.200s", p.id, status, answer)
	case !removed && !right:
		l.lied("plan %s (%s) of %s: %d %.300s", p.id, p.known.name, p.owner.name, status, answer)
	}
	return true
}

// reads reads an outcome, and reports whether there was an answer.
func (l *load) reads(o *outcome) bool {
	status, answer := l.ask(telling, o.owner.key, http.MethodGet, "/api/v1/history?fingerprint="+o.fingerprint, nil)
	if status == 0 {
		return false
	}
	var got struct {
		Rows []struct {
			Metric string
			Value  float64
		}
	}
	if err := json.Unmarshal(answer, &got); status != http.StatusOK || err != nil || len(got.Rows) != 1 || got.Rows[0].Metric != "accuracy" || got.Rows[0].Value != o.value {
		l.lied("outcome %s of %s, acknowledged as %v: %d %.300s", o.fingerprint, o.owner.name, o.value, status, answer)
	}
	return true
}

// spy asks for what belongs to somebody else.
func (l *load) spy(_ context.Context) {
	l.kept.mu.Lock()
	var p *plan
	var o *outcome
	var j *job
	if n := len(l.kept.plans); n > 0 {
		p = l.kept.plans[l.draw(n)]
	}
	if n := len(l.kept.outcomes); n > 0 {
		o = l.kept.outcomes[l.draw(n)]
	}
	if n := len(l.kept.jobs); n > 0 {
		j = l.kept.jobs[l.draw(n)]
	}
	l.kept.mu.Unlock()
	other := func(than *tenant) *tenant {
		for {
			if t := l.tenants[l.draw(len(l.tenants))]; t != than {
				return t
			}
		}
	}
	if p != nil {
		if status, answer := l.ask(foreign, other(p.owner).key, http.MethodDelete, "/api/v1/plans/"+p.id, nil); status != 0 && status != http.StatusNotFound {
			l.lied("somebody else removed plan %s: %d %.200s", p.id, status, answer)
		}
	}
	if o != nil {
		status, answer := l.ask(foreign, other(o.owner).key, http.MethodGet, "/api/v1/history?fingerprint="+o.fingerprint, nil)
		if status != 0 && (status != http.StatusOK || !bytes.Contains(answer, []byte(`"rows":[]`))) {
			l.lied("somebody else reads outcome %s: %d %.200s", o.fingerprint, status, answer)
		}
	}
	if j != nil {
		if status, answer := l.ask(foreign, other(l.trainer).key, http.MethodGet, "/api/v1/train?job="+j.id, nil); status != 0 && status != http.StatusNotFound {
			l.lied("somebody else reads job %s: %d %.200s", j.id, status, answer)
		}
	}
}
