package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The examples of docs/serve-check.md are run, and print what the page says.
func TestServeCheckPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/serve-check.md")
	if err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile("../fit/serve/testdata/models/llama-3.1-8b.json")
	if err != nil {
		t.Fatal(err)
	}
	var script, files strings.Builder
	n := 0
	for _, fence := range strings.Split(string(page), "```console\n")[1:] {
		body, _, _ := strings.Cut(fence, "```")
		for _, example := range strings.Split(body, "$ verifier ")[1:] {
			command, want, _ := strings.Cut(example, "\n")
			not := ""
			if strings.HasPrefix(want, "block") {
				not = "! "
			}
			n++
			name := "want" + string(rune('a'+n))
			script.WriteString(not + "exec verifier " + command + "\ncmp stdout " + name + "\n")
			files.WriteString("-- " + name + " --\n" + want)
		}
	}
	if n < 5 {
		t.Fatalf("only %d examples", n)
	}
	files.WriteString("-- llama/config.json --\n" + string(config) + "\n-- compose.yaml --\nservices:\n  llm:\n    image: vllm/vllm-openai:v0.12.0\n    command: [\"m\", \"--tensor-parallel-size\", \"6\"]\n")
	file := filepath.Join(t.TempDir(), "page.txtar")
	if err := os.WriteFile(file, []byte(script.String()+files.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{Files: []string{file}})
}
