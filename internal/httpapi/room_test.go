package httpapi

import (
	"bytes"
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/action/all"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/models"
)

// requests are small and large models that run, and bodies that are refused early, late and half-way, in turns.
func requests(t *testing.T) (bodies [][]byte) {
	t.Helper()
	add := func(format string, args ...any) { bodies = append(bodies, fmt.Appendf(nil, format, args...)) }
	for _, name := range models.List() {
		g, err := models.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		text := g.AppendJSON(nil)
		if len(text) > 200_000 {
			continue // those of a few hundred components are enough of the large ones
		}
		add(`{"model":%s}`, text)
		add(`%s`, imageNetwork)
		add(`{"model":%s,"data":{"samples":7,"features":3},"policy":{"max_params":"1K"},"serve":{"command":"vllm serve x --max-model-len 99999"},"layout":{"tp":2}}`, text)
		add(`%s`, strings.ReplaceAll(imageNetwork, "32", "33"))
		add(`{"model":%s`, text[:2*len(text)/3])
		add(`%s`, strings.Replace(imageNetwork, `"from":"c1"`, `"from":"nobody"`, 1))
	}
	return bodies
}

func TestUsedMemoryGivesTheAnswersOfFreshMemory(t *testing.T) {
	cfg := testConfig(io.Discard)
	cfg.Limits.Workers = 1 // every request works where the last one did
	s := New(cfg)
	statuses := map[int]int{}
	for _, body := range requests(t) {
		r := httptest.NewRequest("POST", "/v1/check", bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		status, want := all.Answer("check", body, graph.ServiceLimits)
		own := bytes.TrimSuffix(bytes.TrimRight(want, "\n"), []byte("}"))
		if w.Code != status || !bytes.HasPrefix(w.Body.Bytes(), own) {
			t.Fatalf("%.300s\nstatus %d, not %d:\n%s\nwant\n%s", body, w.Code, status, w.Body, want)
		}
		statuses[status]++
	}
	if statuses[200] < 50 || statuses[400] < 10 {
		t.Errorf("the requests are not of every kind: %v", statuses)
	}
}
