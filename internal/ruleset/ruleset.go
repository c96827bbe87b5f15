// Package ruleset names the exact set of rules that a verdict was made with: the SHA-256 digest of every file and table that can
// change one, and an id made from them.
//
// The digests are generated into digests.txt (go generate ./internal/ruleset, or make generate) and embedded; a test fails when
// they are stale. Two programs with the same id give the same bytes for the same model.
package ruleset

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"strings"
)

//go:generate go run ./gen

// Packages are the folders under internal/ whose files decide a verdict: the pure packages up to the report, and those that make a graph
// of a model's files. A folder that does not exist yet is passed over.
var Packages = []string{"graph", "quantity", "catalog", "hardware", "infer", "rules", "estimate", "fit", "policy", "action", "report", "importer", "hub", "load"}

//go:embed digests.txt
var digests string

// File is one file that decides a verdict.
type File struct {
	Path   string // from the root of the repository, with slashes
	SHA256 string // lower-case hex
}

// Files lists the files and their digests, sorted by path.
func Files() []File {
	var out []File
	for _, line := range strings.Split(strings.TrimSpace(digests), "\n") {
		sum, path, _ := strings.Cut(line, "  ")
		out = append(out, File{path, sum})
	}
	return out
}

// ID is the id of the rule set: the first twelve hex digits of the SHA-256 of the list of files.
func ID() string {
	sum := sha256.Sum256([]byte(digests))
	return hex.EncodeToString(sum[:6])
}
