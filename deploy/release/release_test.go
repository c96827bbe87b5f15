package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/modelverifier/verifier"
)

const commit = "0123456789abcdef0123456789abcdef01234567"

// released writes a release of this machine's platform and returns its files.
func released(t *testing.T, root string) map[string]string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "dist")
	if err := run(&options{root: root, out: out, platforms: here, pgo: "off", commit: commit, seconds: 1_700_000_000, only: true, noEngine: true}); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(out, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

const here = runtime.GOOS + "/" + runtime.GOARCH

// elsewhere is a copy of the source in another folder, without git.
func elsewhere(t *testing.T) string {
	t.Helper()
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "*.go", "go.mod", "go.sum", "VERSION", "LICENSE", "README.md", "cmd", "deploy", "docs", "internal", "models", "web/dist", "web/engine", "worker")
	list.Dir = "../.."
	names, err := list.Output()
	if err != nil {
		t.Skip("this is no checkout of git")
	}
	dir := t.TempDir()
	built, err := filepath.Glob("../../web/engine/*") // ignored by git, and embedded where it was built
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range built {
		names = append(names, strings.TrimPrefix(path, "../../")+"\x00"...)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		if strings.Contains(name, "/testdata/") {
			continue
		}
		data, err := os.ReadFile(filepath.Join("../..", name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		path := filepath.Join(dir, name)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o755)
		}
		if err == nil {
			err = os.WriteFile(path, data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestTwoReleasesOfACommitAreTheSameBytes makes one here and one in another folder, and looks into it.
func TestTwoReleasesOfACommitAreTheSameBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("not run with -short: it builds the program twice")
	}
	if !slices.Contains(platforms, here) || runtime.GOOS == "windows" {
		t.Skip("nothing is released for " + here)
	}
	files := released(t, "../..")
	for name, data := range released(t, elsewhere(t)) {
		if files[name] != data {
			t.Errorf("%s differs", name)
		}
	}
	base := "verifier_" + strings.TrimPrefix(verifier.Version(), "v") + "_" + runtime.GOOS + "_" + runtime.GOARCH
	names := strings.Join(sorted(files), " ")
	if want := fmt.Sprintf("SHA256SUMS verifier.rb verifier_%s.intoto.json %s.cdx.json %[2]s.tar.gz", strings.TrimPrefix(verifier.Version(), "v"), base); names != want {
		t.Errorf("got  %s\nwant %s", names, want)
	}
	if !strings.Contains(files["verifier.rb"], base+".tar.gz") {
		t.Error("the formula has no archive")
	}
	program := unpacked(t, base, files[base+".tar.gz"])
	out, err := exec.Command(program, "version").Output()
	if err != nil || !strings.HasPrefix(string(out), "verifier "+verifier.Version()+"\ncommit   "+commit+"\n") {
		t.Errorf("%v %s", err, out)
	}
	sum, err := digest(program)
	if err != nil {
		t.Fatal(err)
	}
	checkBOM(t, files[base+".cdx.json"], sum)
	checkProvenance(t, files)
}

func sorted(files map[string]string) []string {
	var out []string
	for name := range files {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// unpacked writes the program of an archive, and looks for what must come with it.
func unpacked(t *testing.T, base, archive string) string {
	t.Helper()
	z, err := gzip.NewReader(strings.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "verifier")
	var names []string
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		name, inside := strings.CutPrefix(h.Name, base+"/")
		if !inside || h.Uid != 0 || h.Uname != "" || !h.ModTime.Equal(time.Unix(1_700_000_000, 0)) {
			t.Errorf("%+v", h)
		}
		names = append(names, name)
		if name == "verifier" {
			data, err := io.ReadAll(r)
			if err == nil {
				err = os.WriteFile(path, data, h.FileInfo().Mode())
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range []string{"LICENSE", "README.md", "licenses.txt", "man/man1/verifier-check.1", "verifier"} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is not in %v", name, names)
		}
	}
	return path
}

// checkBOM validates an SBOM against what the published schema says of the members that it has.
func checkBOM(t *testing.T, text, sum string) {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile("testdata/bom-1.6.subset.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		t.Errorf("the SBOM: %v", err)
	}
	if err := schema.Validate(map[string]any{"bomFormat": "CycloneDX", "specVersion": "1.6", "components": []any{map[string]any{"name": "x"}}}); err == nil {
		t.Error("a component without a type is taken")
	}
	var b bom
	if err := json.Unmarshal([]byte(text), &b); err != nil {
		t.Fatal(err)
	}
	if b.Metadata.Component.Hashes[0].Content != sum {
		t.Error("the SBOM is of another program")
	}
	for _, want := range []string{"pkg:golang/std@", "pkg:golang/github.com/spf13/cobra@"} {
		if !slices.ContainsFunc(b.Components, func(c component) bool { return strings.HasPrefix(c.PURL, want) }) {
			t.Errorf("the SBOM has no %s", want)
		}
	}
}

// checkProvenance wants every other file of the release as a subject, and what SLSA requires.
func checkProvenance(t *testing.T, files map[string]string) {
	t.Helper()
	var s statement
	d := json.NewDecoder(bytes.NewReader([]byte(files["verifier_"+strings.TrimPrefix(verifier.Version(), "v")+".intoto.json"])))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		t.Fatal(err)
	}
	if len(s.Subject) != len(files)-2 {
		t.Errorf("%d subjects of %d files", len(s.Subject), len(files))
	}
	for _, subject := range s.Subject {
		if !strings.Contains(files["SHA256SUMS"], subject.Digest.SHA256+"  "+subject.Name+"\n") {
			t.Errorf("%s has another digest in SHA256SUMS", subject.Name)
		}
	}
	definition := s.Predicate.BuildDefinition
	if definition.BuildType == "" || s.Predicate.RunDetails.Builder.ID == "" || definition.ResolvedDependencies[0].Digest["gitCommit"] != commit {
		t.Errorf("%+v", s.Predicate)
	}
	for _, r := range definition.ResolvedDependencies[1:] {
		if len(r.Digest["dirHash"]) != 64 {
			t.Errorf("%+v", r)
		}
	}
}

func TestAReleaseIsRefused(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "old.whl"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	bare := t.TempDir()
	for want, o := range map[string]options{
		`-platforms has "plan9/386": there are darwin/amd64`: {platforms: "plan9/386"},
		"is not empty": {platforms: "linux/amd64", out: full, noEngine: true, root: bare, commit: commit, seconds: 1},
		"the engine for the browser is not built": {platforms: "linux/amd64", out: t.TempDir(), root: bare, commit: commit, seconds: 1},
	} {
		if err := run(&o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestDirHashIsInTotos has the example of in-toto's DigestSet.
func TestDirHashIsInTotos(t *testing.T) {
	got, err := dirHash("h1:Khu2En+0gcYPZ2kuIihfswbzxv/mIHXgzPZ018Oty48=")
	if err != nil || got != "2a1bb6127fb481c60f67692e22285fb306f3c6ffe62075e0ccf674d7c3adcb8f" {
		t.Error(got, err)
	}
	if _, err := dirHash("sha256:00"); err == nil {
		t.Error("a digest of another kind is taken")
	}
}
