// Package adversary makes requests that are meant to cost much more than their size: long names, wide graphs, deep lists, options of
// megabytes. Tests of every surface send them and measure processor time and memory, which the package itself does not.
//
// It must not know an endpoint: a request has the name of its action and its body. Everything is drawn from a seed, so that a request
// that was found to cost too much is made again from its name.
package adversary

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// The bar of one request of up to 8 MiB.
const (
	MaxSeconds = 0.2       // of processor time
	MaxBytes   = 100 << 20 // of memory
)

// What rank is measured by: it takes twenty models of 2,000 components, and the bar of one model is not kept by twenty. 0.12 s to 0.36 s
// were seen.
const (
	MaxRankSeconds = 0.5
	MaxRankBytes   = MaxBytes
)

// MostBytes is the size of the largest request.
const MostBytes = 8<<20 - 4096

// Request is one request.
type Request struct {
	Name   string
	Action string // check, lint, plan, rank or fix
	Body   string
	Answer string // of the language model that a fix asks
	Wire   bool   // Answer is the whole body of its response, and not the text in it
}

// Random draws a request.
func Random(seed uint64) Request {
	d := &draw{Rand: rand.New(rand.NewPCG(seed, 1))}
	action := pick(d, "check", "lint", "plan", "rank")
	size := MostBytes >> d.IntN(8)
	body := d.body(action, size)
	for len(body) > MostBytes {
		size /= 2
		body = d.body(action, size)
	}
	return Request{Name: fmt.Sprintf("random %d", seed), Action: action, Body: body}
}

// draw is a source of choices.
type draw struct{ *rand.Rand }

func pick[T any](d *draw, items ...T) T { return items[d.IntN(len(items))] }

// chance is true once in so many times.
func (d *draw) chance(n int) bool { return d.IntN(n) == 0 }

// body draws the body of a request of about a size.
func (d *draw) body(action string, size int) string {
	var members []string
	rest := size
	add := func(name, value string) {
		members = append(members, fmt.Sprintf("%q:%s", name, value))
		rest = max(0, rest-len(value)) // a value may be larger than it was asked to be
	}
	for _, o := range options[action] {
		if d.chance(3) {
			add(o.name, o.draw(d, rest/pick(d, 2, 4, 64, 4096)))
		}
	}
	switch action {
	case "rank":
		n := pick(d, 1, 2, 20)
		list := make([]string, n)
		m := d.model(rest / n)
		for i := range list {
			if d.chance(2) {
				m = d.model(rest / n)
			}
			list[i] = fmt.Sprintf(`{"id":%s,"model":%s}`, quote(fmt.Sprint("c", i)+d.word(pick(d, 3, rest/n/8))), m)
		}
		add("candidates", "["+strings.Join(list, ",")+"]")
	case "plan":
		m := d.model(rest / 2)
		if d.chance(2) {
			base := m
			if d.chance(2) {
				base = d.model(rest / 2)
			}
			add("base", base)
		}
		add("model", m)
	default:
		add("model", d.model(rest))
	}
	d.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, ",") + "}"
}
