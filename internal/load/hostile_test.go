package load

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/attest"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hostile"
	"github.com/modelverifier/verifier/internal/load/dataset"
	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/runfile"
)

// TestMain reads a hostile file where that is what the process is for.
func TestMain(m *testing.M) {
	hostile.Main(m, func(file string) {
		if readOther(file) {
			return
		}
		ref, opt := file, Options{Limits: graph.ServiceLimits} // those of the tool server
		if strings.HasSuffix(file, ".py") {
			ref, opt.Inputs = file+":Net", []string{"4"}
		}
		loaded, err := Open(context.Background(), ref, opt)
		if err != nil && len(err.Error()) > 1<<20 {
			panic("a message of more than a megabyte: " + err.Error()[:200])
		}
		if err == nil {
			_ = loaded.Places()
		}
	})
}

// readOther reads what is no model: policies, datasets and launch scripts.
func readOther(file string) bool {
	switch data, err := os.ReadFile(file); {
	case err != nil:
		panic(err)
	case strings.HasSuffix(file, ".yml"):
		if f, err := policy.ParseFile(data, policy.Names{}); err == nil { // what it costs is asked, not what it says
			for range 400 {
				_ = f.Waiver("check", "high-dropout", "", strings.Repeat("a", 3900))
				_ = f.Waiver("policy", "max-params", "", strings.Repeat("a", 3900))
			}
		}
	case strings.HasSuffix(file, ".toml"), strings.HasSuffix(file, "run.yaml"), strings.HasSuffix(file, "run.json"):
		_, _ = runfile.Parse(file, data, runfile.Options{})
	case strings.HasSuffix(file, ".intoto.json"):
		if record, err := attest.Parse(data); err == nil {
			_, _ = record.Statement.Check()
		}
	case readLaunch(file, data):
	case strings.HasSuffix(file, ".csv"), strings.HasSuffix(file, "tokenizer.json"), strings.HasSuffix(file, "dataset_info.json"), strings.HasSuffix(file, ".npy"), strings.HasSuffix(file, ".parquet"):
		_, _ = dataset.Open(file)
	default:
		return false
	}
	return true
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
func TestHostileNeurarchFilesCostTheirOwnCall(t *testing.T) {
	each(t, ".neurarch.json", hostile.Neurarch())
}
func TestHostileNotationCostsItsOwnCall(t *testing.T) { each(t, ".graph", hostile.Notation()) }
func TestHostileSafetensorsCostTheirOwnCall(t *testing.T) {
	each(t, ".safetensors", hostile.Safetensors())
}
func TestHostileGGUFCostsItsOwnCall(t *testing.T) { each(t, ".gguf", hostile.GGUF()) }
func TestHostileONNXCostsItsOwnCall(t *testing.T) { each(t, ".onnx", hostile.ONNX()) }
func TestHostileKerasFilesCostTheirOwnCall(t *testing.T) {
	each(t, ".json", hostile.Keras())
}

func TestHostilePoliciesCostTheirOwnCall(t *testing.T) { each(t, ".yml", hostile.Policies()) }
func TestHostileScriptsCostTheirOwnCall(t *testing.T)  { each(t, ".sh", hostile.Scripts()) }
func TestHostileTablesCostTheirOwnCall(t *testing.T)   { each(t, ".csv", hostile.Tables()) }
func TestHostileTokenizersCostTheirOwnCall(t *testing.T) {
	each(t, "/tokenizer.json", hostile.JSON(vocabulary))
}
func TestHostileRecordsCostTheirOwnCall(t *testing.T) { each(t, ".intoto.json", hostile.Records()) }
func TestHostileArraysCostTheirOwnCall(t *testing.T)  { each(t, ".npy", hostile.Arrays()) }
func TestHostileParquetCostsItsOwnCall(t *testing.T)  { each(t, ".parquet", hostile.Parquet()) }
func TestHostileRunsCostTheirOwnCall(t *testing.T) {
	for ending, files := range hostile.Runs() {
		t.Run(strings.TrimLeft(ending, "/."), func(t *testing.T) { each(t, ending, files) })
	}
}

func vocabulary(v string) string { return `{"model":{"vocab":` + v + "}}" }
