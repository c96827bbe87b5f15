package mcp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestPathsStayInsideTheRoot tries to get out: by dots, from the root of the disk, through links to files and folders, through files of a
// model that are links, by an id that a cache would know, and through what is no file.
func TestPathsStayInsideTheRoot(t *testing.T) {
	outside := t.TempDir()
	for name, text := range map[string]string{"secret.json": right, "config.json": gpt2, "secret.py": "x = 1\n", "models--org--name/snapshots/x/config.json": gpt2} {
		path := filepath.Join(outside, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HF_HUB_CACHE", outside)
	dir := folder(t)
	for link, target := range map[string]string{
		"link.json": filepath.Join(outside, "secret.json"), "linked": outside, "llm2/config.json": filepath.Join(outside, "config.json"), "link.py": filepath.Join(outside, "secret.py"),
		"inside.json": "right.json", "up.json": "../" + filepath.Base(outside) + "/secret.json", "data2/train.csv": filepath.Join(outside, "secret.json"),
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, link)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skipf("skipped: links cannot be made here: %v", err)
		}
	}
	s := connect(t, dir, nil, "--write")
	refs := []string{
		"../" + filepath.Base(outside) + "/secret.json", filepath.Join(outside, "secret.json"), "/etc/passwd", "link.json", "linked/secret.json", "linked", "llm2", "llm2/config.json", "link.py", "up.json",
		"llm/../../" + filepath.Base(outside) + "/secret.json", "org/name", "..", "/", "right.json\x00", "~/secret.json", "file:///etc/passwd", "-",
	}
	if runtime.GOOS != "windows" {
		refs = append(refs, "/dev/stdin", "/proc/self/environ")
	}
	for _, ref := range refs {
		for _, tool := range []string{"check", "describe", "import", "edit", "fit"} {
			r := call(t, s, tool, fmt.Sprintf(`{"model":%s,"changes":[{"op":"remove","component":"o"}],"data":{"seq_len":4}}`, quoted(ref)))
			code, _ := r.body["code"].(string)
			if !r.failed || code != "outside-root" && code != "model-not-found" {
				t.Errorf("%s %q: %s %s", tool, ref, code, r.text)
			}
		}
	}
	if r := call(t, s, "fit", `{"model":"right.json","data":"data2"}`); !r.failed {
		t.Errorf("a dataset's link leads out: %s", r.text)
	}
	if r := call(t, s, "check", `{"model":"inside.json"}`); r.failed {
		t.Errorf("a link that stays inside is refused: %s", r.text)
	}
	if data, err := os.ReadFile(filepath.Join(outside, "secret.json")); err != nil || string(data) != right {
		t.Error("a file outside was changed")
	}
}

func quoted(s string) string {
	return `"` + strings.ReplaceAll(s, "\x00", `\u0000`) + `"`
}

func TestAFileOutsideTheRootIsRefusedAtStart(t *testing.T) {
	cmd := program(t, folder(t), "../x.json")
	cmd.Stderr = nil
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "leads out of the root") {
		t.Errorf("%v %s", err, out)
	}
}

// TestABareNameIsABundledModel asks for one by its id, for one that is mistyped, and for one that a file of the root is named as.
func TestABareNameIsABundledModel(t *testing.T) {
	dir := folder(t)
	if err := os.WriteFile(filepath.Join(dir, "alexnet"), []byte(right), 0o644); err != nil {
		t.Fatal(err)
	}
	s := connect(t, dir, nil)
	for tool, more := range map[string]string{"check": "", "lint": "", "plan": "", "describe": "", "import": "", "export": `,"to":"mermaid"`} {
		if r := call(t, s, tool, `{"model":"lenet5"`+more+`}`); r.failed {
			t.Errorf("%s: %s", tool, r.text)
		}
	}
	if r := call(t, s, "import", `{"model":"lenet5"}`); !strings.Contains(r.text, "lenet5 is the bundled model LeNet-5") {
		t.Errorf("it is not said where the model is from: %s", r.text)
	}
	if r := call(t, s, "describe", `{"model":"alexnet"}`); strings.Contains(r.text, "61,100,840") {
		t.Errorf("the bundled model came before the file: %s", r.text)
	}
	if r := call(t, s, "check", `{"model":"resnet81"}`); !r.failed || !strings.Contains(r.text, "Did you mean the bundled model resnet18?") {
		t.Errorf("%s", r.text)
	}
	if r := call(t, s, "catalog", `{"rule":"liner-in-mismatch"}`); !r.failed || !strings.Contains(r.text, "Did you mean linear-in-mismatch?") {
		t.Errorf("%s", r.text)
	}
}
