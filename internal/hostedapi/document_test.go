package hostedapi_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	names "github.com/prometheus/common/model"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/hostedapi"
)

// TestEveryAnswerIsOfTheDocument compares real answers, good ones and refusals, with the OpenAPI document, and that with the routes.
func TestEveryAnswerIsOfTheDocument(t *testing.T) {
	s := start(t, accounttest.SQLite(t))
	o := s.tenant(t, "Alpha")
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(hostedapi.Document(s.url, "test")))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("https://verifier.test/openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	shared := s.call(t, "POST", "/api/v1/plan", o.key, `{"share":true,"model":`+model("", 3)+`}`).json(t, "share.id").(string)
	outcome := `{"fingerprint":"0123abcd","metric":"m","value":1}`
	seen := map[string]bool{}
	for _, r := range []struct{ method, path, query, body string }{
		{"POST", "/api/v1/check", "", request("", 3)}, {"POST", "/api/v1/check", "", "{}"}, {"POST", "/api/v1/lint", "", request("", 3)}, {"POST", "/api/v1/plan", "", request("", 3)},
		{"POST", "/api/v1/rank", "", `{"candidates":[{"model":` + model("", 3) + `}]}`}, {"POST", "/api/v1/history", "", outcome}, {"POST", "/api/v1/history", "", "{}"},
		{"GET", "/api/v1/history", "?fingerprint=0123abcd", ""}, {"GET", "/api/v1/history", "?fingerprint=x", ""}, {"GET", "/api/v1/report", "", ""}, {"POST", "/api/v1/train", "", "{}"},
		{"POST", "/api/v1/train", "", `{"dataset":"tabular","model":` + rows() + `}`}, {"POST", "/api/v1/train", "", `{"dataset":"mnist","model":` + rows() + `}`}, {"GET", "/api/v1/train", "", ""}, {"DELETE", "/api/v1/train", "?job=1", ""},
		{"GET", "/api/v1/train", "?job=1", ""}, {"POST", "/api/v1/fix", "", "{}"}, {"DELETE", "/api/v1/plans/" + shared, "", ""}, {"DELETE", "/api/v1/plans/" + shared, "", ""},
	} {
		path := strings.Replace(r.path, shared, "{id}", 1)
		for _, key := range []string{o.key, wrongKey} {
			if path == "/api/v1/plans/{id}" && key == wrongKey {
				continue
			}
			got := s.call(t, r.method, r.path+r.query, key, r.body)
			at := "https://verifier.test/openapi.json#/paths/" + strings.ReplaceAll(path, "/", "~1") + "/" + strings.ToLower(r.method) + "/responses/" + strconv.Itoa(got.status) + "/content/application~1json/schema"
			schema, err := c.Compile(at)
			if err != nil {
				t.Errorf("%s %s: %d is not in the document: %v", r.method, path, got.status, err)
				continue
			}
			body, err := jsonschema.UnmarshalJSON(strings.NewReader(got.body))
			if err == nil {
				err = schema.Validate(body)
			}
			if err != nil {
				t.Errorf("%s %s: %v", r.method, path, err)
			}
			seen[strings.ToLower(r.method)+" "+path] = true
		}
	}
	var paths struct{ Paths map[string]map[string]any }
	if err := json.Unmarshal(hostedapi.Document(s.url, "test"), &paths); err != nil {
		t.Fatal(err)
	}
	for path, methods := range paths.Paths {
		for method := range methods {
			if !seen[method+" "+path] {
				t.Errorf("%s %s is in the document and was not tried", method, path)
			}
		}
	}
}

func TestPrometheusReadsTheMetrics(t *testing.T) {
	s := start(t, accounttest.SQLite(t), func(c *hostedapi.Config) { c.KeyRate = 1 })
	o := s.tenant(t, "Alpha")
	for _, key := range []string{o.key, o.key, wrongKey} {
		s.call(t, http.MethodPost, "/api/v1/lint", key, request("", 3))
	}
	parser := expfmt.NewTextParser(names.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(s.inside(t, "/metrics").body))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"verifier_unauthorized_total": 1, "verifier_limited_total": 1, "verifier_corpus_rows_total": 1, "verifier_store_faults_total": 0} {
		sum := 0.0
		for _, m := range families[name].GetMetric() {
			if len(m.GetLabel()) == 0 || m.GetLabel()[0].GetValue() == "added" || m.GetLabel()[0].GetValue() == "key" {
				sum += m.GetCounter().GetValue()
			}
		}
		if sum != want {
			t.Errorf("%s is %v, want %v", name, sum, want)
		}
	}
}
