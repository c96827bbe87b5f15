package manifest

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/attest"
)

// vector is a model and what the reference implementation of model signing, or its specification where they differ, makes of it.
type vector struct {
	ID             string
	Kind, Model    string
	Files          map[string]string
	Generated      map[string]int // byte i is i mod 256
	Dirs           []string
	Links          map[string]string
	Outside        map[string]string // files beside the model
	OutsideLinks   map[string]string
	HexNames       map[string]string
	FIFO           string
	Ignore         []string
	WithGit        bool
	AllowSymlinks  bool
	CalledAs       string
	Refused        string
	Name           string
	Root           string
	RootByParts    string
	Order          []string
	OrderByParts   []string
	Sums           map[string]string
	RecordedIgnore []string
}

func vectors(t *testing.T) []vector {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var out []vector
	for d := json.NewDecoder(bytes.NewReader(data)); d.More(); {
		var v vector
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	if len(out) != 30 {
		t.Fatalf("%d vectors, want 30", len(out))
	}
	return out
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

// lay puts a vector's model on disk and returns its path.
func (v *vector) lay(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	model := filepath.Join(dir, filepath.FromSlash(v.Model))
	for name, text := range v.Files {
		path := model
		if v.Kind == "directory" {
			path = filepath.Join(model, filepath.FromSlash(name))
		}
		write(t, path, text)
	}
	for name, size := range v.Generated {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(i)
		}
		write(t, filepath.Join(model, name), string(data))
	}
	for _, d := range v.Dirs {
		if err := os.MkdirAll(filepath.Join(model, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range v.Outside {
		write(t, filepath.Join(dir, name), text)
	}
	for name, target := range v.Links {
		link(t, target, filepath.Join(model, name))
	}
	for name, target := range v.OutsideLinks {
		link(t, target, filepath.Join(dir, name))
	}
	for name, text := range v.HexNames {
		raw, err := hex.DecodeString(name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(model, string(raw)), text)
	}
	if v.FIFO != "" {
		fifo(t, filepath.Join(model, v.FIFO))
	}
	switch v.CalledAs {
	case "":
		return model
	case ".":
		t.Chdir(model)
	default:
		t.Chdir(dir)
	}
	return v.CalledAs
}

func (v *vector) options(t *testing.T) Options {
	t.Helper()
	paths := v.Ignore
	if !v.WithGit {
		paths = append(slices.Clone(GitPaths), paths...)
	}
	ignore, err := Ignored(paths...)
	if err != nil {
		t.Fatal(err)
	}
	return Options{Ignore: ignore, AllowSymlinks: v.AllowSymlinks}
}

// of digests a model.
func of(path string, opt Options) (*Manifest, error) {
	l, err := List(context.Background(), path, opt)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	return l.Hash(context.Background())
}

func TestVectorsOfModelSigning(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.ID, func(t *testing.T) {
			path, opt := v.lay(t), v.options(t)
			m, err := of(path, opt)
			if v.Refused != "" {
				if err == nil {
					t.Fatalf("taken, but must be refused: %s", v.Refused)
				}
				if action.Status(err) >= 500 {
					t.Fatalf("%v has no code", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if m.Name != v.Name || !slices.Equal(opt.Ignore, v.RecordedIgnore) {
				t.Errorf("name %q, ignored %q; want %q, %q", m.Name, opt.Ignore, v.Name, v.RecordedIgnore)
			}
			v.compare(t, m)
		})
	}
}

func (v *vector) compare(t *testing.T, m *Manifest) {
	t.Helper()
	byParts := v.OrderByParts
	if byParts == nil {
		byParts = v.Order
	}
	var names []string
	for _, f := range m.Files {
		names = append(names, f.Name)
		if got := hex.EncodeToString(f.Sum[:]); got != v.Sums[f.Name] {
			t.Errorf("%q is %s, want %s", f.Name, got, v.Sums[f.Name])
		}
	}
	if !slices.Equal(names, v.Order) {
		t.Errorf("files %q, want %q", names, v.Order)
	}
	slices.SortFunc(names, attest.ByParts.Compare)
	if !slices.Equal(names, byParts) {
		t.Errorf("by parts %q, want %q", names, byParts)
	}
	wantParts := v.RootByParts
	if wantParts == "" {
		wantParts = v.Root
	}
	root, parts := m.Root(attest.ByName), m.Root(attest.ByParts)
	if got := hex.EncodeToString(root[:]); got != v.Root {
		t.Errorf("root %s, want %s", got, v.Root)
	}
	if got := hex.EncodeToString(parts[:]); got != wantParts {
		t.Errorf("root by parts %s, want %s", got, wantParts)
	}
}

// Shards are not what a record holds, but their root is made the same way.
func TestRootOfShards(t *testing.T) {
	var sums []attest.Sum
	for _, s := range []string{"1be2e452b46d7a0d9656bbb1f768e8248eba1b75baed65f5d99eafa948899a6a", "db2e7f1bd5ab9968ae76199b7cc74795ca7404d5a08d78567715ce532f9d2669",
		"cd70bea023f752a0564abb6ed08d42c1440f2e33e29914e55e0be1595e24f45a"} {
		raw, err := hex.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, attest.Sum(raw))
	}
	if root := attest.Root(sums); hex.EncodeToString(root[:]) != "02c260a7e4fe35d64b77e33a7382ff564c5912ef4bbe758118d9abaa58256698" {
		t.Errorf("%x", root)
	}
}

func TestRefusalsNameTheFile(t *testing.T) {
	for _, c := range []struct{ id, want string }{
		{"10-symlink-rejected", "link.bin: is a symbolic link: --allow-symlinks"},
		{"12-symlink-outside-root", "leak.bin: is a symbolic link that leads out of the model"},
		{"14-symlink-broken", "gone: is a symbolic link that leads nowhere"},
		{"16-empty-model", "holds no files"},
		{"24-symlink-cycle loop+self", "self: is a symbolic link that cannot be followed"},
		{"N1-non-utf8", `"bad\xff.bin": is a name that is not UTF-8`},
		{"N2-fifo", "pipe: is a pipe and no file"},
	} {
		for _, v := range vectors(t) {
			if v.ID != c.id {
				continue
			}
			if _, err := of(v.lay(t), v.options(t)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", c.id, err, c.want)
			}
		}
	}
}

func TestChangedIsToldApart(t *testing.T) {
	if err := changedError("a\nb"); !errors.Is(err, ErrChanged) || !strings.HasPrefix(err.Error(), `"a\nb" changed`) {
		t.Error(err)
	}
}
