package cli

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/patch"
)

const gatedNet = "import torch\nimport torch.nn as nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.a = nn.Linear(8, 16)\n\n" +
	"    def forward(self, x):\n        return torch.relu(self.a(x))\n"

// TestAProviderIsAskedForTheRestAndJudgedHere has the service answer with a change that holds, one that does not, and one of another file.
func TestAProviderIsAskedForTheRestAndJudgedHere(t *testing.T) {
	for name, c := range map[string]struct {
		path, text string
		code       int
		says, file string
	}{
		"holds":        {"net.py", strings.Replace(gatedNet, "torch.relu", "torch.tanh", 1), 0, "by the language model of the service", "torch.tanh"},
		"does not":     {"net.py", strings.Replace(gatedNet, "torch.relu", "nn.functional.relu", 1), 1, "forbid_types", "torch.relu"},
		"another file": {"other.py", "x", 1, "forbid_types", "torch.relu"},
	} {
		t.Run(name, func(t *testing.T) {
			asked := ""
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var in struct {
					Model    map[string]any
					Findings []struct{ Title, Detail, Stage string }
					Files    []patch.File
					Source   struct{ Target, Input string }
				}
				if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.Findings) != 1 || in.Findings[0].Stage != "policy" || len(in.Files) != 1 || in.Files[0].Text != gatedNet || in.Model["components"] == nil {
					t.Errorf("%v %+v", err, in)
				}
				asked = r.URL.Path + " " + r.Header.Get("Authorization") + " " + in.Source.Target
				diff, err := patch.Diff(patch.File{Path: c.path, Text: gatedNet}, patch.File{Path: c.path, Text: c.text})
				if err != nil {
					t.Error(err)
				}
				_ = json.NewEncoder(w).Encode(map[string]any{"patches": []any{map[string]any{"path": c.path, "diff": diff, "findingTitles": []string{"x"}, "proved": true}}, "rationale": "because", "model": "m"})
			}))
			defer s.Close()
			dir := t.TempDir()
			file := filepath.Join(dir, "net.py")
			if err := os.WriteFile(file, []byte(gatedNet), 0o644); err != nil {
				t.Fatal(err)
			}
			t.Setenv("VERIFIER_API_KEY", "mv_secretkey")
			args := []string{"net.py:Net", "--input", "1,8", "--policy", `{"forbid_types":["relu"]}`, "--write"}
			if code, out := mended(t, dir, args...); code != 1 || asked != "" {
				t.Errorf("without --provider: %d %q %s", code, asked, out)
			}
			code, out := mended(t, dir, append(args, "--provider", "--server", s.URL)...)
			if code != c.code || !strings.Contains(out, c.says) || asked != "/api/v1/fix Bearer mv_secretkey net.py:Net" || strings.Contains(out, "secretkey") {
				t.Errorf("%d %q\n%s", code, asked, out)
			}
			if now, _ := os.ReadFile(file); !strings.Contains(string(now), c.file) {
				t.Errorf("%s", now)
			}
		})
	}
}
