package hub

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/safetensors"
)

// st is a safetensors file around a header.
func st(header string, dataBytes int) string {
	return string(binary.LittleEndian.AppendUint64(nil, uint64(len(header)))) + header + strings.Repeat("\x00", dataBytes)
}

var (
	weightA = st(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 8)
	weightB = st(`{"b":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}}`, 12)
)

const config = `{"model_type":"llama","architectures":["LlamaForCausalLM"]}`

// tree writes files; a value that begins with "-> " is a link, and "fifo" a pipe where the test makes one.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(text, "-> "); ok {
			err = os.Symlink(target, path)
		} else {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// env is an environment of these variables alone.
func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func resolve(t *testing.T, ref string, opt Options) (*Source, error) {
	t.Helper()
	if opt.Getenv == nil {
		opt.Getenv = env()
	}
	s, err := Resolve(t.Context(), ref, opt)
	if s != nil {
		t.Cleanup(func() { s.Close() })
	}
	if (s == nil) == (err == nil) {
		t.Fatalf("%s: %v, %v", ref, s, err)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		var e *graph.Error
		if !errors.As(err, &e) || action.Status(err) == 500 {
			t.Errorf("%s: not an error of the caller's: %v", ref, err)
		}
	}
	return s, err
}

func TestAFolderIsWhatSaysMostAboutTheModel(t *testing.T) {
	cases := []struct {
		name    string
		files   map[string]string
		kind    Kind
		main    string
		weights string
		note    string
	}{
		{"config alone", map[string]string{"config.json": config}, Config, "config.json", "", ""},
		{"config and weights", map[string]string{"config.json": config, "model.safetensors": weightA}, Config, "config.json", "model.safetensors", ""},
		{"config and an index", map[string]string{"config.json": config, "model.safetensors.index.json": "{}", "model-00001-of-00002.safetensors": weightA}, Config, "config.json", "model.safetensors.index.json", ""},
		{"config and pickles", map[string]string{"config.json": config, "pytorch_model.bin": "x", "training_args.bin": "x"}, Config, "config.json", "", "pytorch_model.bin: pickles are never read"},
		{"everything", map[string]string{"config.json": config, "model.onnx": "x", "m.gguf": "x", "m.graph": "x"}, Config, "config.json", "", "config.json was chosen; also there: model.onnx, m.gguf, m.graph"},
		{"config and unrelated weights", map[string]string{"config.json": config, "a.safetensors": "", "b.safetensors": ""}, Config, "config.json", "", "the weights are not read: several files"},
		{"onnx", map[string]string{"model.onnx": "x", "other.onnx": "x", "x.gguf": "x"}, ONNX, "model.onnx", "", "model.onnx was chosen among model.onnx, other.onnx"},
		{"onnx below", map[string]string{"onnx/model.onnx": "x", "README.md": "x"}, ONNX, "onnx/model.onnx", "", ""},
		{"gguf with a projector", map[string]string{"x-Q4.gguf": "x", "mmproj-x.gguf": "x"}, GGUF, "x-Q4.gguf", "", ""},
		{"split gguf", map[string]string{"x-00001-of-00002.gguf": "x", "x-00002-of-00002.gguf": "x"}, GGUF, "x-00001-of-00002.gguf", "", ""},
		{"weights alone", map[string]string{"model.safetensors": weightA}, Safetensors, "model.safetensors", "model.safetensors", ""},
		{"graph", map[string]string{"net.graph": "x", "README.md": "x"}, Graph, "net.graph", "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, err := resolve(t, tree(t, c.files), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if s.Kind != c.kind || s.Main != c.main || strings.Join(s.Weights, " ") != c.weights {
				t.Errorf("%s %s %v", s.Kind, s.Main, s.Weights)
			}
			if notes := strings.Join(s.Notes, "\n"); (c.note == "") != (notes == "") || !strings.Contains(notes, c.note) {
				t.Errorf("notes %q, want %q", notes, c.note)
			}
			r, err := s.Open()
			if err != nil {
				t.Fatal(err)
			}
			r.Close()
		})
	}
}

func TestAFolderWithoutAModelSaysWhy(t *testing.T) {
	cases := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"nothing", map[string]string{"sub/x": ""}, "holds no files"},
		{"other files", map[string]string{"README.md": "x"}, "Found: README.md"},
		{"pickles", map[string]string{"pytorch_model.bin": "x", "model.pt": "x"}, "never read"},
		{"sources", map[string]string{"net.py": "x"}, "net.py:name"},
		{"pipeline", map[string]string{"model_index.json": "{}", "unet/config.json": "{}", "vae/config.json": "{}", "x/y": ""}, "name the folder of one of them: unet, vae"},
		{"adapter", map[string]string{"adapter_config.json": "{}", "adapter_model.safetensors": weightA}, "holds an adapter, not a model"},
		{"two gguf", map[string]string{"a.gguf": "", "b.gguf": ""}, "holds 2 models"},
		{"two onnx", map[string]string{"a.onnx": "", "b.onnx": ""}, "holds 2 models"},
		{"link out", map[string]string{"config.json": "-> /etc/passwd"}, "lead nowhere or out of the folder: config.json"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if _, err := resolve(t, tree(t, c.files), Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

func TestAFileIsToldByNameAndContent(t *testing.T) {
	dir := tree(t, map[string]string{
		"config.json": config, "llama.json": config, "net.json": `{"components":[],"connections":[]}`, "request.json": `{"model":{}}`, "net.graph": "x",
		"net.txt": "in: input", "m.safetensors": weightA, "m.onnx": "x", "m.gguf": "GGUF", "noname": "GGUF1234", "net.py": "", "model.safetensors": weightA,
		"m.safetensors.index.json": "{}", "m-00001-of-00002.safetensors": weightA, "list.json": `{"a":`, "link.json": "-> config.json", "pkg/__init__.py": "", "pkg/sub/__init__.py": "", "pkg/sub/net.py": "",
	})
	for _, c := range []struct {
		ref, main string
		kind      Kind
		symbol    string
	}{
		{"config.json", "config.json", Config, ""}, {"llama.json", "llama.json", Config, ""}, {"link.json", "config.json", Config, ""},
		{"net.json", "net.json", Graph, ""}, {"request.json", "request.json", Graph, ""}, {"list.json", "list.json", Graph, ""},
		{"net.graph", "net.graph", Graph, ""}, {"net.txt", "net.txt", Graph, ""},
		{"m.safetensors", "m.safetensors", Safetensors, ""}, {"m.safetensors.index.json", "m.safetensors.index.json", Safetensors, ""},
		{"m-00001-of-00002.safetensors", "m-00001-of-00002.safetensors", Safetensors, ""},
		{"m.onnx", "m.onnx", ONNX, ""}, {"m.gguf", "m.gguf", GGUF, ""}, {"noname", "noname", GGUF, ""},
		{"net.py", "net.py", Python, ""}, {"net.py:Net", "net.py", Python, "Net"}, {"pkg/sub/net.py:build", "pkg/sub/net.py", Python, "build"},
	} {
		s, err := resolve(t, filepath.Join(dir, c.ref), Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		if s.Kind != c.kind || s.Main != c.main || s.Symbol != c.symbol {
			t.Errorf("%s: %s %s %s", c.ref, s.Kind, s.Main, s.Symbol)
		}
		if s.FS() != nil {
			if _, err := fs.Stat(s.FS(), s.Main); err != nil {
				t.Errorf("%s: %v", c.ref, err)
			}
		}
	}
	s, _ := resolve(t, filepath.Join(dir, "config.json"), Options{})
	if !reflect.DeepEqual(s.Weights, []string{"model.safetensors"}) {
		t.Error(s.Weights)
	}
	s, _ = resolve(t, filepath.Join(dir, "m-00001-of-00002.safetensors"), Options{})
	if s.Config != "config.json" || len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "file 1 of 2") {
		t.Error(s.Config, s.Notes)
	}
}

func TestPicklesAndForeignModelsAreRefusedWithAdvice(t *testing.T) {
	dir := tree(t, map[string]string{"a.pt": "x", "a.pth": "x", "a.bin": "x", "a.ckpt": "x", "a.pkl": "x", "A.PT": "x", "zip": "PK\x03\x04", "raw": "\x80\x02", "a.h5": "x"})
	for _, name := range []string{"a.pt", "a.pth", "a.bin", "a.ckpt", "a.pkl", "A.PT", "zip", "raw"} {
		_, err := resolve(t, filepath.Join(dir, name), Options{})
		if err == nil || !strings.Contains(err.Error(), "never read") || !strings.Contains(err.Error(), "safetensors") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := resolve(t, filepath.Join(dir, "a.h5"), Options{}); err == nil || !strings.Contains(err.Error(), "Keras") {
		t.Error(err)
	}
}

func TestStandardInputIsAGraph(t *testing.T) {
	s, err := resolve(t, "-", Options{Stdin: strings.NewReader("text")})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Open()
	if err != nil {
		t.Fatal(err)
	}
	if data, _ := io.ReadAll(r); string(data) != "text" || s.Kind != Graph || s.FS() != nil {
		t.Errorf("%q %s", data, s.Kind)
	}
}

const (
	commitA = "0123456789abcdef0123456789abcdef01234567"
	commitB = "fedcba9876543210fedcba9876543210fedcba98"
)

// cached is a cache with one model in two commits.
func cached(t *testing.T) string {
	entry := "models--org--net/"
	return tree(t, map[string]string{
		entry + "refs/main": commitA, entry + "refs/refs/pr/1": commitB + "\n", entry + "refs/broken": "x",
		entry + "blobs/c": config, entry + "blobs/w": weightA,
		entry + "snapshots/" + commitA + "/config.json":          "-> ../../blobs/c",
		entry + "snapshots/" + commitA + "/model.safetensors":    "-> ../../blobs/w",
		entry + "snapshots/" + commitA + "/sub/config.json":      "-> ../../../blobs/c",
		entry + "snapshots/" + commitA + "/gone.bin":             "-> ../../blobs/gone",
		entry + "snapshots/" + commitA + "/escape.json":          "-> ../../../../../../../etc/passwd",
		entry + "snapshots/" + commitB + "/config.json":          "-> ../../blobs/c",
		"models--gpt2/snapshots/" + commitB + "/config.json":     config,
		"models--org--two/snapshots/" + commitA + "/config.json": config, "models--org--two/snapshots/" + commitB + "/config.json": config,
	})
}

func TestAnIDIsFoundInTheCache(t *testing.T) {
	cache := cached(t)
	opt := Options{Getenv: env("HF_HUB_CACHE", cache)}
	for ref, want := range map[string]string{
		"org/net": commitA, "org/net@main": commitA, "org/net@" + commitB: commitB, "org/net@refs/pr/1": commitB, "org/net@fedcba98": commitB,
		"models--org--net": commitA, "models--org--net@" + commitB: commitB, "hf://org/net": commitA, "https://huggingface.co/org/net/tree/" + commitB: commitB,
		"gpt2": commitB, filepath.Join(cache, "models--org--net"): commitA, filepath.Join(cache, "models--org--net", "snapshots", commitB): commitB,
		filepath.Join(cache, "models--org--net", "snapshots", commitA, "config.json"): commitA, filepath.Join(cache, "models--org--net", "snapshots", commitA, "sub"): commitA,
	} {
		s, err := resolve(t, ref, opt)
		if err != nil {
			t.Error(err)
			continue
		}
		if s.Revision != want || s.Kind != Config || s.Config != "config.json" || s.ID() != "org/net" && s.ID() != "gpt2" {
			t.Errorf("%s: %s %s %s", ref, s.Revision, s.Kind, s.ID())
		}
		if data, err := fs.ReadFile(s.FS(), "config.json"); err != nil || string(data) != config {
			t.Errorf("%s: %q %v", ref, data, err)
		}
	}
	s, err := resolve(t, "org/net", opt)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := safetensors.ReadModel(s.FS(), s.Weights[0]); err != nil || len(m.Tensors) != 1 {
		t.Error(err)
	}
	if len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "escape.json, gone.bin") {
		t.Error(s.Notes)
	}
	for _, name := range []string{"escape.json", "../../refs/main", "/etc/passwd", "gone.bin"} {
		if f, err := s.FS().Open(name); err == nil {
			t.Errorf("%s leads out of the folder: %v", name, f)
		}
	}
}

func TestTheCacheIsWhereHuggingFaceKeepsIt(t *testing.T) {
	cache := cached(t)
	home := tree(t, map[string]string{".cache/huggingface/hub": "-> " + cache, "hf/hub": "-> " + cache, "xdg/huggingface/hub": "-> " + cache})
	for _, e := range [][]string{
		{"HF_HUB_CACHE", cache, "HF_HOME", "/nowhere"}, {"HUGGINGFACE_HUB_CACHE", cache}, {"HF_HOME", home + "/hf"}, {"HF_HOME", "~/hf", "HOME", home},
		{"HF_HOME", "$BASE/hf", "BASE", home}, {"XDG_CACHE_HOME", home + "/xdg", "HOME", "/nowhere"}, {"HOME", home},
	} {
		if s, err := resolve(t, "org/net", Options{Getenv: env(e...)}); err != nil || s.Revision != commitA {
			t.Errorf("%v: %v", e, err)
		}
	}
}

func TestWhatIsNotFoundSaysWhereItWasLookedFor(t *testing.T) {
	cache := cached(t)
	opt := Options{Getenv: env("HF_HUB_CACHE", cache)}
	for ref, want := range map[string]string{
		"org/other":                      "not in the Hugging Face cache " + cache + " (HF_HUB_CACHE or HF_HOME set another). Add --download",
		"org/net@dev":                    "the cache has no dev of this model. It has the commits " + commitA,
		"org/two":                        "the cache has no main of this model",
		"org/net@broken":                 "does not hold a commit",
		"missing.json":                   "no such file or folder, and not an id",
		"a/b/c":                          "not an id of the hub",
		"org/net@../../x":                "not an id of the hub",
		"../x":                           "not an id of the hub",
		"org/..":                         "not an id of the hub",
		"":                               "no model is named",
		"gone.py:Net":                    "cannot be opened",
		"org/model.onnx":                 "not an id of the hub",
		"a\x00b":                         "zero byte",
		filepath.Join(cache, "x/y.json"): "not an id of the hub",
	} {
		if _, err := resolve(t, ref, opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", ref, err, want)
		}
	}
	if _, err := resolve(t, "org/net", Options{}); err == nil || !strings.Contains(err.Error(), "neither HF_HUB_CACHE") {
		t.Error(err)
	}
}

func TestAnEntryWithOneCommitAndNoBranchIsTaken(t *testing.T) {
	s, err := resolve(t, "gpt2", Options{Getenv: env("HF_HUB_CACHE", cached(t))})
	if err != nil || len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "the only one there was taken") {
		t.Errorf("%v %v", s, err)
	}
}

func FuzzID(f *testing.F) {
	for _, s := range []string{"org/name@main", "models--org--name", "gpt2", "hf://a/b", "https://huggingface.co/a/b/tree/x", "a/b@refs/pr/1", "../..", "a@/x", "a//b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, ref string) {
		i, ok := parseID(ref)
		if !ok {
			return
		}
		if !fs.ValidPath(i.repo()) || strings.Contains(i.folder(), "/") || !fs.ValidPath("refs/"+i.revision) || i.name == "" {
			t.Fatalf("%q is %+v", ref, i)
		}
		if again, ok := parseID(i.folder() + "@" + i.revision); !ok || again != i {
			t.Fatalf("%q is %+v, and its entry is %+v", ref, i, again)
		}
	})
}

func TestPipesInAFolderAreNotOpened(t *testing.T) {
	dir := tree(t, map[string]string{"config.json": config})
	if err := mkfifo(filepath.Join(dir, "model.safetensors")); err != nil {
		t.Skip("no pipes here:", err)
	}
	done := make(chan error, 1)
	go func() {
		s, err := Resolve(context.Background(), dir, Options{Getenv: env()})
		if err == nil {
			_, err = s.FS().Open("model.safetensors")
			s.Close()
		}
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("waits for the other end of a pipe")
	}
}
