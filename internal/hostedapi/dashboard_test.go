package hostedapi_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	prom "github.com/prometheus/common/model"
	"sigs.k8s.io/yaml"

	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/hostedapi"
)

const (
	rulesFile     = "../../deploy/prometheus/rules.yaml"
	rulesTest     = "../../deploy/prometheus/rules_test.yaml"
	dashboardFile = "../../deploy/grafana/dashboard.json"
)

// panelQuery is an expression of the dashboard, with the name of its panel.
type panelQuery struct{ panel, expr string }

// panelQueries reads the dashboard, and puts values in the place of Grafana's variables.
func panelQueries(t *testing.T) (all []panelQuery) {
	t.Helper()
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	data, err := os.ReadFile(dashboardFile)
	if err == nil {
		err = json.Unmarshal(data, &dashboard)
	}
	if err != nil {
		t.Fatal(err)
	}
	values := strings.NewReplacer("$__rate_interval", "10s", "$job", ".*", "$instance", ".*", "[30d]", "[10s]")
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			expr := values.Replace(target.Expr)
			if strings.Contains(expr, "$") {
				t.Errorf("%s: a variable is left in %s", p.Title, expr)
			}
			all = append(all, panelQuery{p.Title, expr})
		}
	}
	if len(all) < 30 {
		t.Fatalf("only %d queries", len(all))
	}
	return all
}

type ruleFile struct {
	Groups []struct {
		Name  string
		Rules []struct {
			Record, Alert, Expr, For string
			Annotations              map[string]string
			Labels                   map[string]string
		}
	}
}

func readRules(t *testing.T) (f ruleFile) {
	t.Helper()
	data, err := os.ReadFile(rulesFile)
	if err == nil {
		err = yaml.UnmarshalStrict(data, &f)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

var (
	promString   = regexp.MustCompile(`"[^"]*"`)
	promRange    = regexp.MustCompile(`\[[^\]]*\]`)
	promGrouping = regexp.MustCompile(`\b(by|without|on|ignoring)\s*\(([^)]*)\)`)
	promSelector = regexp.MustCompile(`([a-zA-Z_:][a-zA-Z0-9_:]*)\s*\{([^}]*)\}`)
	promWord     = regexp.MustCompile(`[a-zA-Z_:][a-zA-Z0-9_:]*\s*\(?`)
	promLabel    = regexp.MustCompile(`([a-zA-Z_]+)\s*(=~|!~|!=|=)`)
)

// namedIn returns the metrics that an expression names, each with the labels that it asks for.
func namedIn(expr string) map[string][]string {
	expr = promRange.ReplaceAllString(promString.ReplaceAllString(expr, `""`), "")
	found := map[string][]string{}
	var grouped []string
	for _, g := range promGrouping.FindAllStringSubmatch(expr, -1) {
		for name := range strings.SplitSeq(g[2], ",") {
			grouped = append(grouped, strings.TrimSpace(name))
		}
	}
	expr = promGrouping.ReplaceAllString(expr, "")
	for _, s := range promSelector.FindAllStringSubmatch(expr, -1) {
		for _, l := range promLabel.FindAllStringSubmatch(s[2], -1) {
			found[s[1]] = append(found[s[1]], l[1])
		}
	}
	for _, w := range promWord.FindAllString(promSelector.ReplaceAllString(expr, "$1"), -1) {
		word := strings.TrimSpace(w)
		if strings.HasSuffix(word, "(") || slices.Contains([]string{"and", "or", "unless", "bool", "offset"}, word) {
			continue
		}
		found[word] = append(found[word], grouped...)
	}
	return found
}

// scraped is what a service exposes behind some traffic, read with Prometheus' own parser.
func scraped(t *testing.T, s *service) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(prom.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(s.inside(t, "/metrics").body))
	if err != nil {
		t.Fatal(err)
	}
	return families
}

// busyService has answered well, refused and not known callers.
func busyService(t *testing.T, change ...func(*hostedapi.Config)) (*service, func()) {
	s := start(t, accounttest.SQLite(t), change...)
	o := s.tenant(t, "Alpha")
	traffic := func() {
		for _, a := range []string{"check", "lint", "plan"} {
			s.call(t, http.MethodPost, "/api/v1/"+a, o.key, request("", 3))
		}
		s.call(t, http.MethodPost, "/api/v1/check", "wrong", request("", 3))
		s.call(t, http.MethodPost, "/api/v1/check", o.key, "{")
		s.call(t, http.MethodPost, "/api/v1/check", o.key, `{"model":{"components":[]}}`)
	}
	traffic()
	return s, traffic
}

// TestEveryQueryNamesMetricsThatThereAre compares the dashboard and the rules with what the service exposes.
func TestEveryQueryNamesMetricsThatThereAre(t *testing.T) {
	s, _ := busyService(t)
	labels := map[string]map[string]bool{"up": {}}
	for name, f := range scraped(t, s) {
		names := []string{name}
		if f.GetType() == dto.MetricType_HISTOGRAM {
			names = []string{name + "_bucket", name + "_sum", name + "_count"}
		}
		for _, n := range names {
			labels[n] = map[string]bool{}
			for _, m := range f.GetMetric() {
				for _, l := range m.GetLabel() {
					labels[n][l.GetName()] = true
				}
			}
			if strings.HasSuffix(n, "_bucket") {
				labels[n]["le"] = true
			}
		}
	}
	if !strings.Contains(s.inside(t, "/metrics").body, "# TYPE verifier_shed_total counter\n") {
		t.Error("verifier_shed_total is not there")
	}
	labels["verifier_shed_total"] = map[string]bool{"reason": true} // it has no sample before anything is shed
	rules := readRules(t)
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			if r.Record != "" {
				labels[r.Record] = map[string]bool{}
			}
		}
	}
	look := func(where, expr string) {
		named := namedIn(expr)
		if len(named) == 0 {
			t.Errorf("%s names no metric: %s", where, expr)
		}
		for metric, wants := range named {
			has, ok := labels[metric]
			if !ok {
				t.Errorf("%s asks for %s, which is not there: %s", where, metric, expr)
				continue
			}
			for _, l := range wants {
				if !has[l] && l != "job" && l != "instance" { // Prometheus itself adds these
					t.Errorf("%s asks for the label %s, which %s does not have: %s", where, l, metric, expr)
				}
			}
		}
	}
	for _, q := range panelQueries(t) {
		look(q.panel, q.expr)
	}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			look(g.Name+" "+r.Record+r.Alert, r.Expr)
			if r.Alert != "" && (r.Annotations["summary"] == "" || r.Annotations["description"] == "" || r.Labels["severity"] == "") {
				t.Errorf("%s does not say what it is", r.Alert)
			}
		}
	}
	if len(namedIn(`sum by (a) (rate(x_total{b="c{"}[5m])) / on (d) y:z > 3 and up{e!~"f"} == 0`)) != 3 {
		t.Error("the reader of expressions is wrong")
	}
}

// prometheus finds a program of Prometheus.
func prometheus(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not installed: make test installs it", name)
		}
		t.Skipf("%s is not installed (Debian: apt-get install prometheus)", name)
	}
	return path
}

// TestPrometheusTakesRulesAndQueries has promtool read the rules, run their tests, and read every query of the dashboard as a rule.
func TestPrometheusTakesRulesAndQueries(t *testing.T) {
	promtool := prometheus(t, "promtool")
	type rule struct {
		Record string `json:"record"`
		Expr   string `json:"expr"`
	}
	var rules []rule
	for i, q := range panelQueries(t) {
		rules = append(rules, rule{fmt.Sprintf("dashboard:query:%d", i), q.expr})
	}
	text, err := yaml.Marshal(map[string]any{"groups": []any{map[string]any{"name": "dashboard", "rules": rules}}})
	if err != nil {
		t.Fatal(err)
	}
	queries := filepath.Join(t.TempDir(), "queries.yaml")
	if err := os.WriteFile(queries, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"check", "rules", rulesFile}, {"test", "rules", rulesTest}, {"check", "rules", queries}} {
		if out, err := exec.Command(promtool, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
}

// TestPrometheusAnswersTheDashboard scrapes a service with Prometheus itself and asks it every query: all have an answer.
func TestPrometheusAnswersTheDashboard(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	program := prometheus(t, "prometheus")
	s, traffic := busyService(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	dir := t.TempDir()
	rules, err := filepath.Abs(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf("global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [%q]\nscrape_configs:\n- job_name: verifier\n  static_configs: [{targets: [%q]}]\n",
		rules, strings.TrimPrefix(s.inner, "http://"))
	if err := os.WriteFile(filepath.Join(dir, "prometheus.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--config.file="+filepath.Join(dir, "prometheus.yaml"), "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+address, "--log.level=warn")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	said := &accounttest.Log{}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	missing := map[string]string{}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(500 * time.Millisecond) {
		traffic()
		clear(missing)
		for _, q := range panelQueries(t) {
			if got, why := ask(address, q.expr); got == 0 {
				missing[q.panel] = q.expr + ": " + why
			}
		}
		if len(missing) == 0 {
			return
		}
		if time.Now().After(deadline) {
			break
		}
	}
	for panel, why := range missing {
		t.Errorf("%s has no answer: %s", panel, why)
	}
	t.Log(said)
}

// ask returns how many samples Prometheus has for a query.
func ask(address, query string) (samples int, why string) {
	resp, err := http.Get("http://" + address + "/api/v1/query?" + url.Values{"query": {query}}.Encode())
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	var answer struct {
		Status, Error string
		Data          struct{ Result []any }
	}
	if err == nil {
		err = json.Unmarshal(body, &answer)
	}
	if err != nil || answer.Status != "success" {
		return 0, string(body)
	}
	return len(answer.Data.Result), "no sample"
}
