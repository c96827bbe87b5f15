package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const ours = "github.com/modelverifier/verifier/"

// TestTheBinaryLinksNoDatabase holds by what is linked that a worker has no SQL, no accounts, no objects of the service and no SDK of a
// cloud: it has a token of its own, and asks the service for everything.
func TestTheBinaryLinksNoDatabase(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Fields(string(out))
	if len(all) < 20 || !slices.Contains(all, ours+"internal/training/run") {
		t.Fatalf("only %d packages: the list is not complete", len(all))
	}
	for _, p := range all {
		for _, no := range []string{"account", "ledger", "corpus", "share", "jobs", "blob", "store", "secret", "llm", "site", "hub", "hostedapi", "httpapi", "cli", "mcp", "client"} {
			if dir := ours + "internal/" + no; p == dir || strings.HasPrefix(p, dir+"/") {
				t.Errorf("links %s", p)
			}
		}
		for _, no := range []string{"sql", "sqlite", "pgx", "gocloud.dev", "aws", "azure", "cloud.google.com", "k8s.io", "river", "grpc"} {
			if !strings.HasPrefix(p, ours) && strings.Contains(p, no) {
				t.Errorf("links %s", p)
			}
		}
	}
}

func TestSQLIsNotLinkedFromTheStandardLibrary(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, no := range []string{"database/sql", "plugin", "net/smtp", "net/rpc"} {
		if slices.Contains(strings.Fields(string(out)), no) {
			t.Errorf("links %s", no)
		}
	}
}
