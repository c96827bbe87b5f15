package conformance

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// document is what the server says about itself.
func document(t *testing.T, s *httptest.Server) map[string]any {
	t.Helper()
	_, body := ask(t, s, http.MethodGet, "/openapi.json", "", nil)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return doc.(map[string]any)
}

// closed forbids members that the document does not name, which it leaves open for clients: here nothing may be missing in it.
// What is joined with hosted_only is left open.
func closed(schemas map[string]any) {
	for name, v := range schemas {
		object, _ := v.(map[string]any)
		if strings.Contains(name, ".") && object["properties"] != nil && !strings.HasSuffix(name, ".Result") && object["additionalProperties"] == nil {
			object["additionalProperties"] = false
		}
	}
}

// schemas compiles the schema at a place of the document.
func schemas(t *testing.T, doc map[string]any) func(at ...string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("https://verifier.test/openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	return func(at ...string) *jsonschema.Schema {
		t.Helper()
		pointer := ""
		for _, name := range at {
			pointer += "/" + strings.ReplaceAll(name, "/", "~1")
		}
		s, err := c.Compile("https://verifier.test/openapi.json#" + pointer)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

func validate(s *jsonschema.Schema, body []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

func TestEveryResponseIsOfTheDocument(t *testing.T) {
	s := server(t)
	doc := document(t, s)
	components := doc["components"].(map[string]any)["schemas"].(map[string]any)
	closed(components)
	for _, name := range []string{"action.ErrorBody", "httpapi.Version", "httpapi.Health", "httpapi.Preview"} {
		delete(components[name].(map[string]any), "additionalProperties") // joined with hosted_only
	}
	schema := schemas(t, doc)
	for _, c := range load(t) {
		path := "/v1/" + c.Action
		resp, body := ask(t, s, http.MethodPost, path, "application/json", bodyOf(t, c))
		if err := validate(schema("paths", path, "post", "responses", strconv.Itoa(resp.StatusCode), "content", "application/json", "schema"), body); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}

// A request that was taken must be allowed by the document, and one that is not of the form of a request must not. What only the
// text shows, such as a key that stands twice, is beyond a schema.
func TestTheDocumentAllowsWhatIsServed(t *testing.T) {
	s := server(t)
	schema := schemas(t, document(t, s))
	for _, c := range load(t) {
		err := validate(schema("paths", "/v1/"+c.Action, "post", "requestBody", "content", "application/json", "schema"), withoutNulls(bodyOf(t, c)))
		if c.Status == http.StatusOK && err != nil {
			t.Errorf("%s is served, but not of the document: %v", c.Name, err)
		}
		if c.Status == http.StatusBadRequest && err == nil && c.RequestText == nil {
			t.Errorf("%s is refused, but of the document", c.Name)
		}
	}
}

// withoutNulls takes members out that are null: they count as left out.
func withoutNulls(body []byte) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return body
	}
	for name, v := range members {
		if string(v) == "null" && name != "model" {
			delete(members, name)
		}
	}
	out, err := json.Marshal(members)
	if err != nil {
		return body
	}
	return out
}
