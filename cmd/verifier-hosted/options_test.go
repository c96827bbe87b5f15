package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/store"
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
		{"--local-worker maybe", "auto, on or off"}, {"--slurm /does/not/exist", "--slurm"}, {"--kubernetes /does/not/exist", "--kubernetes"}, {"--slurm options.go", "--slurm: options.go"},
		{"--weights-days 0", "--weights-days"}, {"--worker-lease 0s", "--worker-lease"}, {"--allow-simulated=perhaps", "--allow-simulated"}, {"limits", "takes ORG"}, {"worker-add", "takes NAME"}, {"workers all", "takes nothing"},
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

// TestSecretsComeFromFiles by an option or a variable; a wrong file is named, and no secret is in an error.
func TestSecretsComeFromFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	url, word, empty := file("url", "postgres://u:mark@h/d\n"), file("word", "mark word\n"), file("empty", "\n")
	oidc := "--oidc-issuer https://x --oidc-client c "
	for _, c := range []struct{ args, variable, value, says string }{
		{"--database-url-file " + url, "", "", ""},
		{"", "VERIFIER_DATABASE_URL_FILE", url, ""},
		{oidc + "--oidc-secret-file " + word, "VERIFIER_DATABASE_URL_FILE", url, ""},
		{"--database-url-file " + url, "VERIFIER_DATABASE_URL", "postgres:///mark", "--database-url: both it and --database-url-file are given"},
		{"--database-url-file " + url + ".none", "", "", "--database-url-file: "},
		{"--database-url-file " + empty, "", "", empty + " is empty"},
		{oidc + "--oidc-secret-file " + empty, "", "", "--oidc-secret-file"},
	} {
		got, _, err := parse(strings.Fields(c.args), func(k string) string { return map[string]string{c.variable: c.value}[k] }, nil)
		switch {
		case c.says == "" && (err != nil || got.database != "postgres://u:mark@h/d" || got.data != ""):
			t.Errorf("%s: %v", c.args, err)
		case c.says == "" && got.hosted.Provider != nil && got.hosted.Provider.ClientSecret != "mark word":
			t.Errorf("the secret is %q", got.hosted.Provider.ClientSecret)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "mark")):
			t.Errorf("%s: %v, want %s", c.args, err, c.says)
		}
	}
}

// TestTheOperatorSetsLimitsAndMakesWorkers runs the commands one after the other on one folder.
func TestTheOperatorSetsLimitsAndMakesWorkers(t *testing.T) {
	data := t.TempDir()
	s, err := store.Open(t.Context(), "sqlite:"+filepath.Join(data, "verifier.db"))
	if err == nil {
		err = s.Migrate(t.Context())
	}
	if err == nil {
		err = s.Accounts().Write(t.Context(), func(tx account.Tx) error {
			return errors.Join(tx.PutOrganisation(account.Organisation{ID: "o1", Name: "Lab"}), tx.PutOrganisation(account.Organisation{ID: "o2", Name: "Twin"}), tx.PutOrganisation(account.Organisation{ID: "o3", Name: "Twin"}))
		})
	}
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"limits Lab", 0, "big-gpu=no\njobs-in-flight=2\njobs-today=20\nusd-today=25\nruntime=1h0m0s\nagent-messages=200\n\no1 uses 0 in flight"},
		{"limits o1 jobs-today=100 big-gpu=yes usd-today=0.5", 0, "big-gpu=yes\njobs-in-flight=2\njobs-today=100\nusd-today=0.5\n"},
		{"limits Lab", 0, "jobs-today=100"},
		{"limits Lab jobs-today=many", exitUsage, "jobs-today is \"many\""},
		{"limits Lab colour=red", exitUsage, "jobs-in-flight"},
		{"limits Twin", exitUsage, "[o2 o3]"},
		{"limits Nobody", exitUsage, "no organisation"},
		{"worker-add gpu-1", 0, "  mvw_"},
		{"worker-add gpu-1", exitUsage, "already"},
		{"worker-add /etc", exitUsage, "letters"},
		{"workers", 0, "gpu-1                workers  never seen"},
		{"worker-revoke gpu-2", exitUsage, "no worker"},
		{"worker-revoke gpu-1", 0, ""},
		{"workers", 0, "revoked 20"},
	} {
		var out, fault bytes.Buffer
		code := run(t.Context(), append([]string{"--data", data}, strings.Fields(c.args)...), func(string) string { return "" }, nil, &out, &fault)
		if code != c.code || !strings.Contains(out.String()+fault.String(), c.says) {
			t.Errorf("%s: %d %s%s", c.args, code, out.String(), fault.String())
		}
	}
}

// TestTheProviderIsConfigured by its options, with the key in a variable or in a file, and never in an error.
func TestTheProviderIsConfigured(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("keymark\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, key, says string }{
		{"", "", "none"},
		{"", "keymark", "none"}, // a variable that was left behind
		{"--provider-format messages --provider-model m", "keymark", ""},
		{"--provider-format chat --provider-model m --provider-url http://127.0.0.1:8000/v1", "", ""},
		{"--provider-format chat --provider-model m --provider-key-file " + file, "", ""},
		{"--provider-format chat --provider-model m --provider-key-file " + file, "keymark", "both it and --provider-key-file are given"},
		{"--provider-format chat --provider-model m --provider-key-file " + file + ".none", "", "--provider-key-file"},
		{"--provider-format gpt --provider-model m", "keymark", "must be one of chat, messages"},
		{"--provider-format chat", "keymark", "no model of the provider is named"},
		{"--provider-model m", "", "--provider-format: is not given"},
		{"--provider-format chat --provider-model m --provider-timeout 1ms", "", "--provider-timeout must be from 1s to 10m"},
		{"--provider-format chat --provider-model m --provider-tokens 0", "", "--provider-tokens"},
		{"--provider-format chat --provider-model m", "key mark", "the key of the provider has spaces"},
	} {
		env := func(name string) string { return map[string]string{"VERIFIER_PROVIDER_KEY": c.key}[name] }
		got, _, err := parse(strings.Fields(c.args), env, &bytes.Buffer{})
		switch {
		case c.says == "" && (err != nil || got.hosted.Agent == nil), c.says == "none" && (err != nil || got.hosted.Agent != nil):
			t.Errorf("%s: %v", c.args, err)
		case c.says != "" && c.says != "none" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: %v, want %s", c.args, err, c.says)
		}
		if err != nil && (strings.Contains(err.Error(), "keymark") || strings.Contains(err.Error(), "key mark")) {
			t.Errorf("the key is in %v", err)
		}
	}
}
