package httpapi

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelverifier/verifier/internal/ruleset"
)

// bounds are the upper ends of the histogram's buckets.
var bounds = [...]time.Duration{100 * time.Microsecond, 250 * time.Microsecond, 500 * time.Microsecond, time.Millisecond, 2500 * time.Microsecond,
	5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second, 10 * time.Second}

// metrics are kept and written by hand: client_golang would add protobuf and two dozen packages to a program whose promise is
// how little it links. The test reads the text with Prometheus' own parser.
type metrics struct {
	mu       sync.Mutex
	requests map[answered]int64
	times    map[string]*histogram // per route
	turned   map[string]int64      // away, per reason
}

type answered struct {
	route  string
	status int
}

type histogram struct {
	buckets [len(bounds) + 1]int64
	sum     time.Duration
}

func newMetrics() *metrics {
	return &metrics{requests: map[answered]int64{}, times: map[string]*histogram{}, turned: map[string]int64{}}
}

func (m *metrics) add(route string, status int, took time.Duration) {
	i := 0
	for i < len(bounds) && took > bounds[i] {
		i++
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests[answered{route, status}]++
	h := m.times[route]
	if h == nil {
		h = &histogram{}
		m.times[route] = h
	}
	h.buckets[i]++
	h.sum += took
}

func (m *metrics) shed(reason string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turned[reason]++
}

// Exposition writes Prometheus' text format.
type Exposition struct{ strings.Builder }

// Family begins the samples of one name.
func (e *Exposition) Family(name, kind, help string) {
	fmt.Fprintf(e, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

var escapeLabel = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

// Sample writes one line; labels come as name, value, name, value.
func (e *Exposition) Sample(name string, value float64, labels ...string) {
	e.WriteString(name)
	mark := byte('{')
	for pair := range slices.Chunk(labels, 2) {
		e.WriteByte(mark)
		e.WriteString(pair[0] + `="` + escapeLabel.Replace(pair[1]) + `"`)
		mark = ','
	}
	if len(labels) > 0 {
		e.WriteByte('}')
	}
	e.WriteString(" " + strconv.FormatFloat(value, 'g', -1, 64) + "\n")
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func (s *Server) prometheus() Reply {
	e := &Exposition{}
	e.Family("verifier_build_info", "gauge", "The version and the rule set that are running.")
	e.Sample("verifier_build_info", 1, "version", s.Build.Version, "rule_set", ruleset.ID())
	s.metrics.write(e)
	s.writeAnswers(e)
	e.Family("verifier_requests_under_way", "gauge", "Actions being read, waiting or running.")
	e.Sample("verifier_requests_under_way", float64(s.gate.under.Load()))
	e.Family("verifier_body_bytes", "gauge", "Bytes of request bodies in memory.")
	e.Sample("verifier_body_bytes", float64(s.gate.held.Load()))
	e.Family("go_goroutines", "gauge", "Number of goroutines.")
	e.Sample("go_goroutines", float64(runtime.NumGoroutine()))
	s.writeProcess(e)
	if s.Edition != nil {
		s.Edition.Metrics(e)
	}
	return Reply{status: http.StatusOK, text: []byte(e.String())}
}

func (m *metrics) write(e *Exposition) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e.Family("verifier_requests_total", "counter", "Answered requests.")
	keys := slices.SortedFunc(maps.Keys(m.requests), func(a, b answered) int {
		return cmp.Or(cmp.Compare(a.route, b.route), cmp.Compare(a.status, b.status))
	})
	for _, k := range keys {
		e.Sample("verifier_requests_total", float64(m.requests[k]), "route", k.route, "status", strconv.Itoa(k.status))
	}
	e.Family("verifier_shed_total", "counter", "Requests turned away because of load.")
	for _, reason := range sorted(m.turned) {
		e.Sample("verifier_shed_total", float64(m.turned[reason]), "reason", reason)
	}
	const name = "verifier_request_duration_seconds"
	e.Family(name, "histogram", "Time from the end of the header to the end of the answer.")
	for _, route := range sorted(m.times) {
		h := m.times[route]
		e.Histogram(name, bounds[:], h.buckets[:], h.sum, "route", route)
	}
}

// Histogram writes the samples of a distribution of times: how many lie below each bound and, behind them, how many above all.
func (e *Exposition) Histogram(name string, bounds []time.Duration, buckets []int64, total time.Duration, labels ...string) {
	sum := int64(0)
	for i, n := range buckets {
		sum += n
		upper := "+Inf"
		if i < len(bounds) {
			upper = strconv.FormatFloat(bounds[i].Seconds(), 'g', -1, 64)
		}
		e.Sample(name+"_bucket", float64(sum), append(labels[:len(labels):len(labels)], "le", upper)...)
	}
	e.Sample(name+"_sum", total.Seconds(), labels...)
	e.Sample(name+"_count", float64(sum), labels...)
}

// writeAnswers adds what telemetry counts, since the process began.
func (s *Server) writeAnswers(e *Exposition) {
	total := s.Counts.Total()
	e.Family("verifier_verdicts_total", "counter", "Verdicts given.")
	for _, action := range sorted(total.Verdicts) {
		for _, v := range sorted(total.Verdicts[action]) {
			e.Sample("verifier_verdicts_total", float64(total.Verdicts[action][v]), "action", action, "verdict", v)
		}
	}
	e.Family("verifier_rules_fired_total", "counter", "Times each rule fired.")
	for _, rule := range sorted(total.Rules) {
		e.Sample("verifier_rules_fired_total", float64(total.Rules[rule]), "rule", rule)
	}
}
