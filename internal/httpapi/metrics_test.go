package httpapi

import (
	"context"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

func contextEnded(t *testing.T) (context.Context, func()) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx, cancel
}

// scrape reads the metrics with Prometheus' own parser.
func (s *running) scrape() map[string]*dto.MetricFamily {
	s.t.Helper()
	r := s.get("/metrics")
	if kind := r.header.Get("Content-Type"); kind != "text/plain; version=0.0.4; charset=utf-8" {
		s.t.Errorf("the type is %q", kind)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(r.text))
	if err != nil {
		s.t.Fatalf("%v\n%s", err, r.text)
	}
	return families
}

func find(f *dto.MetricFamily, labels ...string) *dto.Metric {
next:
	for _, m := range f.GetMetric() {
		for i := 0; i < len(labels); i += 2 {
			found := false
			for _, l := range m.GetLabel() {
				found = found || l.GetName() == labels[i] && l.GetValue() == labels[i+1]
			}
			if !found {
				continue next
			}
		}
		return m
	}
	return nil
}

func TestPrometheusReadsTheMetrics(t *testing.T) {
	s := start(t, func(c *Config) { c.Build.Version = `a"b\c` + "\n" })
	s.scrape() // with nothing counted yet
	for range 3 {
		s.post("/v1/lint", small)
	}
	s.post("/v1/lint", `{"model":{"components":[]}}`)
	s.post("/v1/lint", "{")
	m := s.scrape()
	for _, c := range []struct {
		want   float64
		family string
		labels []string
	}{
		{4, "verifier_requests_total", []string{"route", "lint", "status", "200"}},
		{1, "verifier_requests_total", []string{"route", "lint", "status", "400"}},
		{3, "verifier_verdicts_total", []string{"action", "lint", "verdict", "pass"}},
		{1, "verifier_verdicts_total", []string{"action", "lint", "verdict", "fail"}},
		{1, "verifier_rules_fired_total", []string{"rule", "empty-graph"}},
	} {
		if got := find(m[c.family], c.labels...).GetCounter().GetValue(); got != c.want {
			t.Errorf("%s%v is %v, want %v", c.family, c.labels, got, c.want)
		}
	}
	h := find(m["verifier_request_duration_seconds"], "route", "lint").GetHistogram()
	if h.GetSampleCount() != 5 || h.GetSampleSum() <= 0 || len(h.GetBucket()) != len(bounds)+1 {
		t.Errorf("the histogram is %v", h)
	}
	if find(m["verifier_build_info"], "version", `a"b\c`+"\n").GetGauge().GetValue() != 1 {
		t.Errorf("the version is %v", m["verifier_build_info"])
	}
	if g := find(m["process_resident_memory_bytes"]).GetGauge().GetValue(); g < 1<<20 {
		t.Errorf("resident memory is %v", g)
	}
}
