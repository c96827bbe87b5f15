package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

var sample = image{tag: "verifier-server:latest", arch: "amd64", version: "1.2.3"}

// TestAnotherImplementationTakesTheImage reads the archive with go-containerregistry, both as a Docker archive and as an OCI
// layout, and has it check every digest and size.
func TestAnotherImplementationTakesTheImage(t *testing.T) {
	archive, id, err := sample.pack([]byte("the binary"), []byte("the terms"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "image.tar")
	if err := os.WriteFile(file, archive, 0o600); err != nil {
		t.Fatal(err)
	}
	tag, err := name.NewTag("verifier-server:latest")
	if err != nil {
		t.Fatal(err)
	}
	docker, err := tarball.ImageFromPath(file, &tag)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Image(docker); err != nil {
		t.Errorf("as a Docker archive: %v", err)
	}
	if out, err := exec.Command("tar", "-xf", file, "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Errorf("as an OCI layout: %v", err)
	}
	m, err := index.IndexManifest()
	if err != nil || len(m.Manifests) != 1 || m.Manifests[0].Digest.String() != id {
		t.Errorf("the index is %+v, %v", m, err)
	}
	got, err := docker.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if got.Config.User != "65532:65532" || got.OS != "linux" || got.Architecture != "amd64" || got.Config.Healthcheck == nil || got.Config.Healthcheck.Test[1] != "/verifier-server" {
		t.Errorf("the settings are %+v", got)
	}
	layers, err := docker.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatalf("%d layers, %v", len(layers), err)
	}
	content, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close()
	if data, err := io.ReadAll(content); err != nil || !bytes.Contains(data, []byte("the binary")) || !bytes.Contains(data, []byte("the terms")) {
		t.Errorf("the layer does not hold the binary and its licences: %v", err)
	}
}

// TestTheImageIsTheSameBytesAgain runs make image here and in a copy of the sources somewhere else.
func TestTheImageIsTheSameBytesAgain(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("there is no make on this machine")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := t.TempDir()
	for _, part := range []string{"go.mod", "go.sum", "Makefile", "VERSION", "repo.go", "internal", "models", "cmd", "deploy"} {
		if out, err := exec.Command("cp", "-r", filepath.Join(root, part), elsewhere).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	var images [2][]byte
	for i, dir := range []string{root, elsewhere} {
		bin := t.TempDir()
		// Without the profile, which would have everything below the program compiled once more: what differs would differ without it, too.
		cmd := exec.Command("make", "-C", dir, "image", "BIN="+bin, "VERSION=1.2.3", "COMMIT=abc", "PGO=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if images[i], err = os.ReadFile(filepath.Join(bin, "verifier-server.tar")); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(images[0], images[1]) {
		t.Error("two builds differ")
	}
	if bytes.Contains(images[0], []byte(root)) {
		t.Errorf("the image holds the path %s", root)
	}
	if len(images[0]) > 10<<20 {
		t.Errorf("the image has %d bytes", len(images[0]))
	}
}

// TestTheDockerfileSaysTheSame holds deploy/Dockerfile and this program to the same settings.
func TestTheDockerfileSaysTheSame(t *testing.T) {
	data, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	s := sample.settings()
	entry, _ := json.Marshal(s.Entrypoint)
	health, _ := json.Marshal(s.Healthcheck.Test[1:])
	want := []string{"FROM scratch", "COPY verifier-server licenses.txt /"}
	for _, e := range s.Env {
		want = append(want, "ENV "+e)
	}
	want = append(want, "USER "+s.User, "EXPOSE 8080",
		"HEALTHCHECK --interval=10s --timeout=3s --start-period=2s --retries=3 CMD "+strings.ReplaceAll(string(health), ",", ", "), "ENTRYPOINT "+string(entry))
	var got []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			got = append(got, line)
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the Dockerfile says\n%s\nthe program\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
