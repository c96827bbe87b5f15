package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/modelverifier/verifier/models"
)

// document asks a server for its description.
func document(t *testing.T, s *Server) map[string]any {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("GET", "/openapi.json", nil))
	var doc map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil || w.Code != 200 {
		t.Fatalf("%d %v", w.Code, err)
	}
	return doc
}

// compile returns the schema at a place in the document; a schema of OpenAPI 3.1 is one of JSON Schema 2020-12.
func compile(t *testing.T, doc map[string]any, at string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("https://local/openapi.json", plain(t, doc)); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("https://local/openapi.json#" + at)
	if err != nil {
		t.Fatalf("%s: %v", at, err)
	}
	return schema
}

// plain reads a value again as the validator wants it.
func plain(t *testing.T, value any) any {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	out, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func pointer(path, method string, status int) string {
	return "/paths/" + strings.ReplaceAll(path, "/", "~1") + "/" + method + "/responses/" + strconv.Itoa(status) + "/content/application~1json/schema"
}

func TestEveryRouteIsDescribed(t *testing.T) {
	s := New(testConfig(io.Discard))
	doc := document(t, s)
	if doc["openapi"] != "3.1.0" || len(doc["x-hosted_only"].([]any)) != len(HostedOnly) {
		t.Errorf("the head is %v, %v", doc["openapi"], doc["x-hosted_only"])
	}
	paths := doc["paths"].(map[string]any)
	for path := range s.routes {
		if paths[path] == nil {
			t.Errorf("%s is not described", path)
		}
	}
	for path := range paths {
		if _, ok := s.routes[path]; !ok {
			t.Errorf("%s is described and not served", path)
		}
	}
	for name := range doc["components"].(map[string]any)["schemas"].(map[string]any) {
		compile(t, doc, "/components/schemas/"+name)
	}
}

// TestAnswersAreAsTheDocumentSays validates what the server gives for every bundled model, whole and broken, and for
// requests that it refuses.
func TestAnswersAreAsTheDocumentSays(t *testing.T) {
	if testing.Short() {
		t.Skip("not run with -short: under the race detector it takes minutes, with one goroutine")
	}
	s := New(testConfig(io.Discard))
	doc := document(t, s)
	cache := map[string]*jsonschema.Schema{}
	check := func(method, path, body string) {
		t.Helper()
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		at := pointer(path, strings.ToLower(method), w.Code)
		if cache[at] == nil {
			cache[at] = compile(t, doc, at)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(w.Body.Bytes()))
		if err == nil {
			err = cache[at].Validate(value)
		}
		if err != nil {
			t.Errorf("%s %s: %d %v\n%.300s", method, path, w.Code, err, w.Body)
		}
	}
	for _, path := range []string{"/version", "/healthz", "/metrics/preview"} {
		check("GET", path, "")
	}
	for _, name := range models.List() {
		g, err := models.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		whole := string(g.AppendJSON(nil))
		g.Components = g.Components[1:]
		broken := string(g.AppendJSON(nil))
		for _, model := range []string{whole, broken} {
			for _, path := range []string{"/v1/check", "/v1/lint"} {
				check("POST", path, `{"model":`+model+`,"policy":{"max_params":1,"max_cost_usd":0.01}}`)
			}
			check("POST", "/v1/plan", `{"model":`+model+`,"base":`+whole+`,"source":{"kind":"file","target":"x"},"attention":"eager"}`)
			check("POST", "/v1/rank", `{"candidates":[{"model":`+model+`},{"model":`+whole+`}],"tieBreak":"cost"}`)
		}
	}
	for _, a := range s.Config.Actions {
		for _, body := range marked {
			check("POST", a.Path, body)
		}
	}
	if len(cache) < 10 {
		t.Errorf("only %d kinds of answers were seen", len(cache))
	}
}

// TestTheDocumentCanFail shows that an answer with a member missing or of another type is not as the document says.
func TestTheDocumentCanFail(t *testing.T) {
	schema := compile(t, document(t, New(testConfig(io.Discard))), pointer("/v1/lint", "post", 200))
	good := object{"verdict": "pass", "counts": object{"block": 0, "warn": 0, "info": 0}, "findings": []any{}, "hosted_only": []any{}}
	if err := schema.Validate(plain(t, good)); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]any{"verdict": nil, "counts": object{}, "findings": "none", "hosted_only": nil} {
		bad := object{}
		for k, v := range good {
			bad[k] = v
		}
		if bad[name] = value; value == nil {
			delete(bad, name)
		}
		if schema.Validate(plain(t, bad)) == nil {
			t.Errorf("%s = %v is taken", name, value)
		}
	}
}

// TestOptionObjectsTakeTheKeysOfTheirSchema asks for a key that no object has: the answer names those that the document declares.
func TestOptionObjectsTakeTheKeysOfTheirSchema(t *testing.T) {
	s := start(t, nil)
	schemas := document(t, New(testConfig(io.Discard)))["components"].(map[string]any)["schemas"].(map[string]any)
	objects := 0
	var look func(path string, at []string, schema map[string]any)
	look = func(path string, at []string, schema map[string]any) {
		if to, ok := schema["$ref"].(string); ok {
			schema = schemas[strings.TrimPrefix(to, "#/components/schemas/")].(map[string]any)
		}
		properties, _ := schema["properties"].(map[string]any)
		for name, property := range properties {
			look(path, append(slices.Clone(at), name), property.(map[string]any))
		}
		if schema["additionalProperties"] != false {
			return
		}
		objects++
		body := `{"surely_not":1}`
		switch at[len(at)-1] {
		case "serve":
			body = `{"surely_not":1,"command":"vllm serve x"}`
		case "lora":
			body = `{"surely_not":1,"rank":1}`
		}
		for _, name := range slices.Backward(at) {
			body = fmt.Sprintf(`{%q:%s}`, name, body)
		}
		r := s.post(path, strings.TrimSuffix(small, "}")+","+body[1:])
		if path == "/v1/rank" {
			r = s.post(path, `{"candidates":[`+small+`],`+body[1:])
		}
		allowed, _ := r.body["allowed"].([]any)
		if r.status != 422 || r.body["code"] != "unknown-key" || r.body["path"] != strings.Join(at, ".")+".surely_not" || len(allowed) != len(properties) {
			t.Errorf("%s %v: %d %s", path, at, r.status, r.text)
		}
		for _, key := range allowed {
			if properties[key.(string)] == nil {
				t.Errorf("%s: the document lacks %v.%s", path, at, key)
			}
		}
	}
	for path, request := range map[string]string{"/v1/check": "CheckRequest", "/v1/lint": "LintRequest", "/v1/plan": "PlanRequest", "/v1/rank": "RankRequest"} {
		look(path, nil, schemas[request].(map[string]any))
	}
	if objects != 11 { // policy of four, data, layout, serve, training, lora, inference and source
		t.Errorf("%d objects of options", objects)
	}
}
