package ruleset

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Bundle is one part of the verifier as it was loaded.
type Bundle struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// Bundles digests each package under internal/ with those below it, the bundled models, and the modules that are linked: the SHA-256
// of its lines in digests.txt, so that `sha256sum` over the sorted files, piped into sha256sum, gives the same.
func Bundles() []Bundle {
	lines := map[string]*strings.Builder{}
	var names []string
	for _, f := range Files() {
		name := f.bundle()
		if lines[name] == nil {
			lines[name] = &strings.Builder{}
			names = append(names, name)
		}
		lines[name].WriteString(f.line())
	}
	out := make([]Bundle, len(names))
	for i, name := range names {
		sum := sha256.Sum256([]byte(lines[name].String()))
		out[i] = Bundle{name, hex.EncodeToString(sum[:])}
	}
	return out
}

// bundle is the part that a file belongs to: "catalog", "models", "modules".
func (f File) bundle() string {
	if f.IsModule() {
		return "modules"
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(f.Path, "internal/"), "/")
	return name
}
