package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// at follows keys and indexes into a document; what is not there is nil.
func at(value any, path ...any) any {
	for _, step := range path {
		switch s := step.(type) {
		case string:
			m, _ := value.(map[string]any)
			value = m[s]
		case int:
			l, _ := value.([]any)
			if s >= len(l) {
				return nil
			}
			value = l[s]
		}
	}
	return value
}

func documents(t *testing.T, path string) []any {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []any
	for d := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var doc map[string]any
		if err := d.Decode(&doc); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out = append(out, doc)
	}
}

func TestTheComposeFileLocksTheServerDown(t *testing.T) {
	doc := documents(t, "../compose.yaml")[0]
	for _, name := range []string{"verifier", "verifier-port"} {
		s := at(doc, "services", name)
		if at(s, "read_only") != true || at(s, "cap_drop", 0) != "ALL" || at(s, "mem_limit") != "256m" || at(s, "image") != sample.tag {
			t.Errorf("%s is %v", name, s)
		}
	}
	if at(doc, "services", "verifier", "network_mode") != "none" {
		t.Error("the service has a network")
	}
	if port, _ := at(doc, "services", "verifier-port", "ports", 0).(string); !strings.HasPrefix(port, "127.0.0.1:") {
		t.Errorf("the port is open to others: %s", port)
	}
}

func TestTheManifestsHaveLimitsAndProbes(t *testing.T) {
	kinds := map[any]any{}
	for _, doc := range documents(t, "../kubernetes/verifier.yaml") {
		kinds[at(doc, "kind")] = doc
	}
	pod := at(kinds["Deployment"], "spec", "template", "spec")
	c := at(pod, "containers", 0)
	for _, probe := range []string{"startupProbe", "readinessProbe", "livenessProbe"} {
		if at(c, probe, "httpGet", "path") != "/healthz" {
			t.Errorf("%s is %v", probe, at(c, probe))
		}
	}
	if at(c, "resources", "limits", "memory") != "256Mi" || at(c, "resources", "limits", "cpu") == nil || at(c, "resources", "requests", "memory") == nil {
		t.Errorf("the resources are %v", at(c, "resources"))
	}
	if at(c, "securityContext", "readOnlyRootFilesystem") != true || at(pod, "securityContext", "runAsNonRoot") != true || at(pod, "automountServiceAccountToken") != false {
		t.Errorf("the pod is %v", pod)
	}
	if egress, ok := at(kinds["NetworkPolicy"], "spec", "egress").([]any); !ok || len(egress) != 0 {
		t.Errorf("the policy lets out %v", at(kinds["NetworkPolicy"], "spec"))
	}
	if kinds["Service"] == nil {
		t.Error("there is no service")
	}
}
