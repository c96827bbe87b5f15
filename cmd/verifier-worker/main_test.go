package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// called runs the program with an environment of its own.
func called(env map[string]string, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run(context.Background(), args, &process{func(name string) string { return env[name] }, &out, &err})
	return code, out.String(), err.String()
}

func TestWrongUseIsSaid(t *testing.T) {
	token := map[string]string{"VERIFIER_WORKER_TOKEN": "mvw_x"}
	for _, c := range []struct {
		env  map[string]string
		args string
		code int
		says string
	}{
		{nil, "train", exitUsage, `no command "train": there are run, data and version`},
		{nil, "run --server http://127.0.0.1:1", exitUsage, "set VERIFIER_WORKER_TOKEN, or name its file with --token-file"},
		{token, "run", exitUsage, "--server is missing"},
		{token, "run --server http://127.0.0.1:1 --token-file /nowhere/token", exitFault, "--token-file"},
		{token, "run --server ftp://x --simulate", exitFault, "must be an address such as https://"},
		{token, "run --log-level loud", exitUsage, "there are debug, info, warn and error"},
		{token, "run --server http://127.0.0.1:1 --python /nowhere/python3", exitFault, "/nowhere/python3 has no PyTorch"},
		{token, "run now", exitUsage, `"now" is no flag`},
		{nil, "data", exitUsage, "--dataset is missing: there are cifar10, mnist, tabular"},
		{nil, "data --dataset mnst", exitUsage, `--dataset names "mnst": there are cifar10, mnist, tabular`},
		{nil, "data --dataset tabular --from /nowhere --to " + t.TempDir(), exitFault, "/nowhere"},
	} {
		if code, out, err := called(c.env, strings.Fields(c.args)...); code != c.code || !strings.Contains(err, c.says) || out != "" {
			t.Errorf("%s: %d %q %q, want %d and %q", c.args, code, out, err, c.code, c.says)
		}
	}
}

func TestHelpIsNoFault(t *testing.T) {
	for args, says := range map[string]string{"": "verifier-worker run --server URL", "run --help": "-token-file file", "data -h": "-from folder", "version": "verifier-worker v"} {
		if code, out, _ := called(nil, strings.Fields(args)...); code != 0 || !strings.Contains(out, says) {
			t.Errorf("%q: %d %s", args, code, out)
		}
	}
}

func TestTheTokenIsTheFirstLineOfItsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	for _, c := range [][2]string{{"mvw_a\nmore\n", "mvw_a"}, {"  mvw_b ", "mvw_b"}, {"\nmvw_c", ""}} {
		text, want := c[0], c[1]
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := token(path, "mvw_env"); got != want || (err != nil) != (want == "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
