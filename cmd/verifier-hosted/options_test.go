package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
)

// table is the part of docs/hosted.md that says what can be configured.
func table() string {
	var b strings.Builder
	for _, o := range options {
		otherwise := ""
		if o.otherwise != "" {
			otherwise = "`" + o.otherwise + "`"
		}
		fmt.Fprintf(&b, "| `--%s` | `%s` | %s | %s |\n", o.flag, o.variable, otherwise, o.doc)
	}
	return b.String()
}

func TestTheDocumentHasEveryOption(t *testing.T) {
	doc, err := os.ReadFile("../../docs/hosted.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), "|---|---|---|---|\n"+table()+"\n") {
		t.Errorf("the table of options should be:\n%s", table())
	}
	for _, c := range commands {
		if !strings.Contains(string(doc), c.name) {
			t.Errorf("the command %s is missing", c.name)
		}
	}
}

func TestHelpNamesEverything(t *testing.T) {
	var out, fault bytes.Buffer
	if code := run(context.Background(), []string{"--help"}, func(string) string { return "" }, nil, &out, &fault); code != 0 || fault.Len() > 0 {
		t.Fatal(code, fault.String())
	}
	for _, o := range options {
		if !strings.Contains(out.String(), "--"+o.flag) || !strings.Contains(out.String(), o.variable) {
			t.Errorf("%s is missing", o.flag)
		}
	}
}

func TestWrongUsageIsRefused(t *testing.T) {
	for _, c := range []struct{ args, says string }{
		{"--nothing", "nothing"}, {"dance", "there is no command"}, {"backup", "takes FILE"}, {"migrate now", "takes nothing"}, {"--key-rate 0", "--key-rate"}, {"--plan-rate x", "--plan-rate"},
		{"--workers 5000", "--workers"}, {"--peer-connections 0", "--peer-connections"}, {"--drain 1h", "--drain"}, {"--log-level loud", "--log-level"}, {"--trusted-proxies here", "--trusted-proxies"}, {"--oidc-issuer https://x", "--oidc-client"},
	} {
		var out, fault bytes.Buffer
		if code := run(context.Background(), strings.Fields(c.args), func(string) string { return "" }, nil, &out, &fault); code != exitUsage || !strings.Contains(fault.String(), c.says) {
			t.Errorf("%s: %d %s", c.args, code, fault.String())
		}
	}
}

func TestAVariableStandsForAnOption(t *testing.T) {
	env := map[string]string{"VERIFIER_KEY_RATE": "7", "VERIFIER_ADDR": "127.0.0.1:1", "VERIFIER_DATABASE_URL": "postgres:///x"}
	c, rest, err := parse([]string{"--addr", "127.0.0.1:2", "serve"}, func(k string) string { return env[k] }, nil)
	if err != nil || c.addr != "127.0.0.1:2" || c.hosted.KeyRate != 7 || c.database != "postgres:///x" || c.data != "" || len(rest) != 1 {
		t.Errorf("%+v %v %v", c, rest, err)
	}
}
