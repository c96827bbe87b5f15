package load

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/hostile"
)

// format is a kind of file: what its name ends in, and files that more are drawn from.
type format struct {
	ending string
	pool   func() map[string]hostile.File
	sound  string // a pattern of files that can be read
}

var formats = []format{
	{".py", hostile.Sources, "../importer/torch/testdata/corpus/*.py"},
	{"/config.json", hostile.Configs, "../../models/configs/*.json"},
	{".json", hostile.Graphs, ""},
	{".neurarch.json", hostile.Neurarch, ""},
	{".graph", hostile.Notation, "../../models/*.graph"},
	{".safetensors", hostile.Safetensors, ""},
	{".gguf", hostile.GGUF, ""},
	{".onnx", hostile.ONNX, ""},
	{"/keras.json", hostile.Keras, ""},
	{".yml", hostile.Policies, "../../examples/*/.verifier.yml"},
	{".sh", hostile.Scripts, ""},
	{".csv", hostile.Tables, ""},
	{"/tokenizer.json", func() map[string]hostile.File { return hostile.JSON(vocabulary) }, ""},
	{".npy", hostile.Arrays, ""},
	{".parquet", hostile.Parquet, ""},
	{"/run.yaml", func() map[string]hostile.File { return hostile.Runs()["/run.yaml"] }, "../runfile/testdata/*.yaml"},
	{".toml", func() map[string]hostile.File { return hostile.Runs()[".toml"] }, "../runfile/testdata/*.toml"},
	{"/run.json", func() map[string]hostile.File { return hostile.Runs()["/run.json"] }, "../runfile/testdata/*.json"},
	{".intoto.json", hostile.Records, "../attest/testdata/*.json"},
}

// TestDrawnFilesCostTheirOwnCall reads files that nobody wrote: a few of each format, or, with VERIFIER_PROMISE set to a duration, as
// many as that allows, from the seed that VERIFIER_PROMISE_SEED has.
func TestDrawnFilesCostTheirOwnCall(t *testing.T) {
	hostile.SkipUnderRace(t)
	seed, end := uint64(1), time.Time{}
	if long, err := time.ParseDuration(os.Getenv("VERIFIER_PROMISE")); err == nil {
		if _, err := fmt.Sscan(os.Getenv("VERIFIER_PROMISE_SEED"), &seed); err != nil {
			seed = uint64(time.Now().UnixNano())
		}
		end = time.Now().Add(long)
		t.Logf("from seed %d", seed)
	}
	drawn := 0
	for first := true; first || time.Now().Before(end); first = false {
		for _, f := range formats {
			draw(t, f, seed, 2)
			drawn += 2
		}
		seed++
	}
	t.Logf("%d files", drawn)
}

// draw measures some files of a format.
func draw(t *testing.T, f format, seed uint64, n int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 2))
	pool := members(t, f, rng)
	for i := range n {
		text := hostile.Draw(rng, pool)
		t.Run(fmt.Sprintf("%s/%d/%d", f.ending[1:], seed, i), func(t *testing.T) { // the name says how it is drawn again
			file := filepath.Join(t.TempDir(), "drawn"+f.ending)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			hostile.Measure(t, file)
		})
	}
}

// members are some of the files that others are drawn from: all of them would take longer to write than to read.
func members(t *testing.T, f format, rng *rand.Rand) []string {
	t.Helper()
	files := f.pool()
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	var pool []string
	for range 3 {
		pool = append(pool, files[names[rng.IntN(len(names))]]())
	}
	if f.sound == "" {
		return pool
	}
	sound, err := filepath.Glob(f.sound)
	if err != nil || len(sound) == 0 {
		t.Fatalf("no file is like %s (%v)", f.sound, err)
	}
	for range 2 {
		data, err := os.ReadFile(sound[rng.IntN(len(sound))])
		if err != nil {
			t.Fatal(err)
		}
		pool = append(pool, string(data))
	}
	return pool
}
