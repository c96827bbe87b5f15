package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/ruleset"
	"github.com/modelverifier/verifier/internal/telemetry"
)

const small = `{"model":{"components":[{"id":"x","type":"input","params":{"shape":[4]}},{"id":"f","type":"linear","params":{"inFeatures":4,"outFeatures":2}},{"id":"o","type":"output"}],"connections":[{"from":"x","to":"f"},{"from":"f","to":"o"}]}}`

func components(n int) string {
	return `{"model":{"components":[` + strings.TrimSuffix(strings.Repeat(`{"type":"relu"},`, n), ",") + `]}}`
}

// TestEveryRefusalSaysWhatAndWhere goes over every status that the surface gives of itself.
func TestEveryRefusalSaysWhatAndWhere(t *testing.T) {
	s := start(t, nil)
	const js = "application/json"
	for name, c := range map[string]struct {
		method, path, kind, body string
		status                   int
		code, at                 string
		limit                    int
	}{
		"no JSON":             {"POST", "/v1/lint", js, `{"model":`, 400, "invalid-json", "model", 0},
		"an empty body":       {"POST", "/v1/lint", js, ``, 400, "invalid-json", "", 0},
		"no object":           {"POST", "/v1/lint", js, `[]`, 400, "wrong-type", "", 0},
		"no model":            {"POST", "/v1/lint", js, `{}`, 400, "missing-field", "model", 0},
		"a null model":        {"POST", "/v1/lint", js, `{"model":null}`, 400, "", "model", 0},
		"no components":       {"POST", "/v1/lint", js, `{"model":{}}`, 400, "missing-field", "model", 0},
		"a wrong type":        {"POST", "/v1/lint", js, `{"model":{"components":[{"id":3}]}}`, 400, "wrong-type", "model.components[0].id", 0},
		"a key twice":         {"POST", "/v1/lint", js, `{"model":{"components":[]},"model":{}}`, 400, "duplicate-key", "model", 0},
		"too deep":            {"POST", "/v1/lint", js, `{"model":{"components":[]},"x":` + strings.Repeat("[", 80), 400, "too-deep", "", 64},
		"too large a number":  {"POST", "/v1/lint", js, `{"model":{"components":[{"params":{"n":9223372036854775808}}]}}`, 400, "number-out-of-range", "model.components[0].params.n", 0},
		"2,001 components":    {"POST", "/v1/lint", js, components(2001), 413, "too-many-components", "model.components", 2000},
		"a body over 8 MiB":   {"POST", "/v1/lint", js, strings.Repeat(" ", 8<<20+1), 413, "too-large", "", 8 << 20},
		"21 candidates":       {"POST", "/v1/rank", js, `{"candidates":[` + strings.TrimSuffix(strings.Repeat(`{"model":{"components":[]}},`, 21), ",") + `]}`, 413, "too-many-candidates", "candidates", 20},
		"no candidates":       {"POST", "/v1/rank", js, `{}`, 400, "missing-field", "candidates", 0},
		"an unknown word":     {"POST", "/v1/plan", js, `{"model":{"components":[]},"attention":"fast"}`, 422, "unknown-value", "attention", 0},
		"a malformed shape":   {"POST", "/v1/check", js, `{"model":{"components":[{"type":"input","params":{"shape":[0]}}]}}`, 422, "malformed-shape", "model.components[0]", 0},
		"text":                {"POST", "/v1/lint", "text/plain", small, 415, "unsupported-media-type", "", 0},
		"no type":             {"POST", "/v1/lint", "", small, 415, "unsupported-media-type", "", 0},
		"a broken type":       {"POST", "/v1/lint", "application/json; x", small, 415, "unsupported-media-type", "", 0},
		"another charset":     {"POST", "/v1/lint", js + "; charset=latin1", small, 415, "unsupported-media-type", "", 0},
		"GET of an action":    {"GET", "/v1/lint", "", "", 405, "method-not-allowed", "", 0},
		"DELETE of an action": {"DELETE", "/v1/lint", "", "", 405, "method-not-allowed", "", 0},
		"POST of a page":      {"POST", "/healthz", js, "{}", 405, "method-not-allowed", "", 0},
		"an unknown path":     {"GET", "/v1/none", "", "", 404, "not-found", "", 0},
		"the root":            {"GET", "/", "", "", 404, "not-found", "", 0},
		"a trailing slash":    {"POST", "/v1/lint/", js, small, 404, "not-found", "", 0},
		"a path to be tidied": {"POST", "/v1/../v1/lint", js, small, 404, "not-found", "", 0},
		"a hosted path":       {"POST", "/api/v1/lint", js, small, 404, "not-found", "", 0},
	} {
		r := s.do(c.method, c.path, c.kind, c.body)
		if r.status != c.status || r.body == nil {
			t.Errorf("%s: %d %s", name, r.status, r.text)
			continue
		}
		if code, _ := r.body["code"].(string); code != c.code && c.code != "" {
			t.Errorf("%s: code %q, want %q", name, code, c.code)
		}
		if sentence, _ := r.body["error"].(string); len(sentence) < 10 {
			t.Errorf("%s: the error is %q", name, sentence)
		}
		if at, _ := r.body["path"].(string); !strings.HasPrefix(at, c.at) {
			t.Errorf("%s: at %q, want %q", name, at, c.at)
		}
		if limit, _ := r.body["limit"].(float64); int(limit) != c.limit {
			t.Errorf("%s: limit %v, want %d", name, limit, c.limit)
		}
		if allow := r.header.Get("Allow"); (c.status == 405) != (allow != "") {
			t.Errorf("%s: Allow is %q", name, allow)
		}
		checkEnvelope(t, name, r)
	}
	s.nothingHeld()
}

var idForm = regexp.MustCompile(`^[0-9a-f]{10}-[0-9a-f]{8}$`)

// checkEnvelope holds what is true of every JSON response.
func checkEnvelope(t *testing.T, name string, r response) {
	t.Helper()
	if !strings.HasSuffix(r.text, `"hosted_only":["mint a shared /p/<id> plan URL","attach organisation outcome history","record a corpus row","create a citable verification badge"]}`) {
		t.Errorf("%s: does not end with hosted_only: %s", name, r.text)
	}
	if r.header.Get("Content-Type") != "application/json" || r.header.Get("Content-Length") != strconv.Itoa(len(r.text)) {
		t.Errorf("%s: headers %v", name, r.header)
	}
	if id := r.header.Get("X-Request-Id"); !idForm.MatchString(id) {
		t.Errorf("%s: request id %q", name, id)
	}
}

func TestTheAnswerIsTheActionsBodyAndHostedOnly(t *testing.T) {
	s := start(t, nil)
	r := s.post("/v1/lint", small)
	checkEnvelope(t, "lint", r)
	const want = `{"verdict":"pass","counts":{"block":0,"warn":0,"info":0},"findings":[],"hosted_only":[`
	if r.status != 200 || !strings.HasPrefix(r.text, want) {
		t.Errorf("%d %s", r.status, r.text)
	}
	for _, kind := range []string{"application/json; charset=utf-8", "Application/JSON", `application/json;charset="UTF-8"`} {
		if again := s.do("POST", "/v1/lint?x=1", kind, small); again.text != r.text {
			t.Errorf("as %s: %d %s", kind, again.status, again.text)
		}
	}
	first, second := r.header.Get("X-Request-Id"), s.get("/healthz").header.Get("X-Request-Id")
	if first == second {
		t.Errorf("two requests have the id %s", first)
	}
}

// TestEveryActionIsServed asks each for the same small model.
func TestEveryActionIsServed(t *testing.T) {
	s := start(t, nil)
	for path, want := range map[string]string{
		"/v1/check": `{"verdict":"ask","outcome":"needs_input","summary":"`,
		"/v1/lint":  `{"verdict":"pass",`,
		"/v1/plan":  `{"plan":{"version":1,"summary":"`,
		"/v1/rank":  `{"ranked":[{"id":"candidate-0","rank":1,`,
	} {
		body := small
		if path == "/v1/rank" {
			body = `{"candidates":[` + small + `]}`
		}
		r := s.post(path, body)
		if r.status != 200 || !strings.HasPrefix(r.text, want) {
			t.Errorf("%s: %d %s", path, r.status, r.text)
		}
		checkEnvelope(t, path, r)
	}
	const counts = `"requests":{"check":1,"lint":1,"plan":1,"rank":1},"verdicts":{"check":{"ask":1},"lint":{"pass":1},"plan":{"legal":1},"rank":{"legal":1}}`
	if p := s.get("/metrics/preview").text; !strings.Contains(p, counts) {
		t.Errorf("counted: %s", p)
	}
}

// The rules that fired on every candidate are counted, not only those that order designs.
func TestRulesOfCandidatesAreCounted(t *testing.T) {
	s := start(t, nil)
	cut := `{"model":{"components":[{"id":"x","type":"input","params":{"shape":[4]}},{"id":"l","type":"linear","params":{"inFeatures":3,"outFeatures":2}}],"connections":[{"from":"x","to":"l"}]}}`
	if r := s.post("/v1/rank", `{"candidates":[`+small+`,`+cut+`]}`); r.status != 200 {
		t.Fatal(r.text)
	}
	if p := s.get("/metrics/preview").text; !strings.Contains(p, `"linear-in-mismatch":1`) {
		t.Errorf("counted: %s", p)
	}
}

func TestTheLargestModelIsTaken(t *testing.T) {
	s := start(t, nil)
	if r := s.post("/v1/lint", components(2000)); r.status != 200 {
		t.Errorf("%d %s", r.status, r.text)
	}
	// 8 MiB to the byte is still read, and refused for what it says.
	if r := s.post("/v1/lint", `{"model":{}}`+strings.Repeat(" ", 8<<20-12)); r.status != 400 {
		t.Errorf("%d %s", r.status, r.text)
	}
}

func TestVersionNamesTheProgramItsFilesAndTheRuleSet(t *testing.T) {
	file := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(file, []byte("program"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, func(c *Config) {
		c.Build = Build{Name: "verifier-server", Version: "1.2.3", Commit: "abc", Executable: file}
	})
	r := s.get("/version")
	checkEnvelope(t, "version", r)
	if r.body["name"] != "verifier-server" || r.body["version"] != "1.2.3" || r.body["commit"] != "abc" || r.body["ruleSet"] != ruleset.ID() {
		t.Errorf("%s", r.text)
	}
	sum := sha256.Sum256([]byte("program"))
	bundles := r.body["bundles"].([]any)
	digests := map[string]string{}
	for _, b := range bundles {
		digests[b.(map[string]any)["name"].(string)] = b.(map[string]any)["sha256"].(string)
	}
	if digests["verifier-server"] != hex.EncodeToString(sum[:]) {
		t.Errorf("the program's digest is %q", digests["verifier-server"])
	}
	for _, name := range []string{"graph", "catalog", "infer", "rules", "action"} {
		if len(digests[name]) != 64 {
			t.Errorf("%s has the digest %q", name, digests[name])
		}
	}
}

func TestHealthAndPreviewTellTheMode(t *testing.T) {
	off := start(t, nil)
	r := off.get("/healthz")
	checkEnvelope(t, "healthz", r)
	if r.body["status"] != "ok" || r.body["telemetry"] != "off" {
		t.Errorf("%s", r.text)
	}
	if r := off.get("/metrics/preview"); r.body["mode"] != "off" || r.body["endpoint"] != nil || !strings.Contains(r.text, `"endpoint":null`) {
		t.Errorf("%s", r.text)
	}
	on := start(t, func(c *Config) { c.Telemetry = telemetry.Config{URL: "https://counts.example/v1"} })
	if r := on.get("/healthz"); r.body["telemetry"] != "on" {
		t.Errorf("%s", r.text)
	}
	for _, s := range []*running{off, on} {
		s.post("/v1/lint", small)
		s.post("/v1/lint", `{"model":{"components":[]}}`)
		s.post("/v1/lint", `{`)
		r := s.get("/metrics/preview")
		checkEnvelope(t, "preview", r)
		if payload := string(s.Counts.Unsent()); !strings.Contains(r.text, `"payload":`+payload+`,"hosted_only"`) {
			t.Errorf("the preview is %s, a send would be %s", r.text, payload)
		}
		if !strings.Contains(r.text, `"requests":{"lint":2},"verdicts":{"lint":{"fail":1,"pass":1}},"rules":{"empty-graph":1}`) {
			t.Errorf("%s", r.text)
		}
	}
	if r := on.get("/metrics/preview"); r.body["mode"] != "on" || r.body["endpoint"] != "https://counts.example/v1" {
		t.Errorf("%s", r.text)
	}
}

func TestHeadIsAnsweredAsGetWithoutABody(t *testing.T) {
	s := start(t, nil)
	for _, path := range []string{"/healthz", "/version", "/metrics", "/metrics/preview"} {
		if r := s.do("HEAD", path, "", ""); r.status != 200 || r.text != "" {
			t.Errorf("%s: %d %q", path, r.status, r.text)
		}
	}
}

// odd are actions as they must never be.
func odd() []Action {
	none := func(any) telemetry.Tally { return telemetry.Tally{} }
	of := func(name string, run func(*action.Room, []byte, action.Observer) (any, error)) Action {
		return Action{Name: name, Path: "/v1/" + name, Run: run, Tally: none}
	}
	return []Action{
		of("panics", func(_ *action.Room, b []byte, _ action.Observer) (any, error) { panic("secret-mark " + string(b)) }),
		of("nan", func(*action.Room, []byte, action.Observer) (any, error) {
			return map[string]float64{"x": math.NaN()}, nil
		}),
		of("list", func(*action.Room, []byte, action.Observer) (any, error) { return []int{1}, nil }),
		of("fails", func(*action.Room, []byte, action.Observer) (any, error) { return nil, errors.New("secret-mark") }),
		of("empty", func(*action.Room, []byte, action.Observer) (any, error) { return struct{}{}, nil }),
	}
}

func TestAFaultOfOurOwnIsAnsweredAndSaysNothing(t *testing.T) {
	s := start(t, func(c *Config) { c.Actions = odd() })
	for _, name := range []string{"panics", "nan", "list", "fails"} {
		r := s.post("/v1/"+name, `{"x":"secret-mark"}`)
		if r.status != 500 || r.body["code"] != "internal" || strings.Contains(r.text, "secret-mark") {
			t.Errorf("%s: %d %s", name, r.status, r.text)
		}
		checkEnvelope(t, name, r)
	}
	if r := s.post("/v1/empty", "{}"); r.status != 200 || !strings.HasPrefix(r.text, `{"hosted_only":[`) {
		t.Errorf("%d %s", r.status, r.text)
	}
	s.nothingHeld()
	log := s.log.String()
	if strings.Contains(log, "secret-mark") {
		t.Errorf("the log has the panic's value: %s", log)
	}
	if !strings.Contains(log, `"msg":"panic","id":`) || !strings.Contains(log, `"route":"panics","type":"string","stack":`) || !strings.Contains(log, "contract_test.go") {
		t.Errorf("the log does not say where it happened: %s", log)
	}
}
