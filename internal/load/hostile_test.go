package load

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hostile"
)

// TestMain reads a hostile file where that is what the process is for.
func TestMain(m *testing.M) {
	hostile.Main(m, func(file string) {
		ref, opt := file, Options{Limits: graph.LocalLimits}
		if strings.HasSuffix(file, ".py") {
			ref, opt.Inputs = file+":Net", []string{"4"}
		}
		loaded, err := Open(context.Background(), ref, opt)
		if err != nil && len(err.Error()) > 1<<20 {
			panic("a message of more than a megabyte")
		}
		if err == nil {
			_ = loaded.Places()
		}
	})
}

// each measures every file of a list, each as its own test.
func each(t *testing.T, ending string, files map[string]hostile.File) {
	for name, text := range files {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "hostile"+ending)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text()), 0o644); err != nil {
				t.Fatal(err)
			}
			hostile.Measure(t, file)
		})
	}
}

func TestHostileSourcesCostTheirOwnCall(t *testing.T) { each(t, ".py", hostile.Sources()) }

func TestHostileConfigsCostTheirOwnCall(t *testing.T) { each(t, "/config.json", hostile.Configs()) }
func TestHostileGraphsCostTheirOwnCall(t *testing.T)  { each(t, ".json", hostile.Graphs()) }
func TestHostileNotationCostsItsOwnCall(t *testing.T) { each(t, ".graph", hostile.Notation()) }
func TestHostileSafetensorsCostTheirOwnCall(t *testing.T) {
	each(t, ".safetensors", hostile.Safetensors())
}
func TestHostileGGUFCostsItsOwnCall(t *testing.T) { each(t, ".gguf", hostile.GGUF()) }
func TestHostileONNXCostsItsOwnCall(t *testing.T) { each(t, ".onnx", hostile.ONNX()) }
