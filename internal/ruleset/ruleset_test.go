package ruleset

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"testing"
)

func TestAModuleIsInTheId(t *testing.T) {
	for _, f := range Files() {
		if !f.IsModule() {
			continue
		}
		sum := sha256.Sum256([]byte(f.SHA256))
		changed := strings.Replace(digests, f.line(), File{f.Path, hex.EncodeToString(sum[:])}.line(), 1)
		if idOf(changed) == ID() {
			t.Errorf("the id does not depend on %s", f.Path)
		}
	}
}

// isFile and isModule are what a name in the list may be.
var (
	isFile   = regexp.MustCompile(`^(internal|models|worker)/[A-Za-z0-9_./-]+$`).MatchString
	isModule = regexp.MustCompile(`^module [a-z0-9./-]+@v[0-9A-Za-z.+-]+$`).MatchString
)

func TestFilesAndModulesAreToldApart(t *testing.T) {
	modules := 0
	for _, f := range Files() {
		if f.IsModule() {
			modules++
		}
		if f.IsModule() && !isModule(f.Path) || !f.IsModule() && !isFile(f.Path) {
			t.Errorf("%q is no path and no module", f.Path)
		}
		if b, err := hex.DecodeString(f.SHA256); err != nil || len(b) != sha256.Size {
			t.Errorf("%s: %q is no SHA-256", f.Path, f.SHA256)
		}
	}
	if modules == 0 {
		t.Error("no module is in the list")
	}
}

// TestBundlesCoverTheList wants every line in one bundle.
func TestBundlesCoverTheList(t *testing.T) {
	sums := map[string]string{}
	for _, b := range Bundles() {
		if sums[b.Name] != "" {
			t.Errorf("%s is there twice", b.Name)
		}
		sums[b.Name] = b.SHA256
	}
	for name, prefix := range map[string]string{"graph": "internal/graph/", "cli": "internal/cli/", "models": "models/", "modules": "module "} {
		var lines strings.Builder
		for line := range strings.Lines(digests) {
			if strings.HasPrefix(line[66:], prefix) {
				lines.WriteString(line)
			}
		}
		sum := sha256.Sum256([]byte(lines.String()))
		if sums[name] != hex.EncodeToString(sum[:]) {
			t.Errorf("%s is %q, want the digest of its lines, %x", name, sums[name], sum)
		}
	}
	for _, f := range Files() {
		if sums[f.bundle()] == "" {
			t.Errorf("%s is in no bundle", f.Path)
		}
	}
}
