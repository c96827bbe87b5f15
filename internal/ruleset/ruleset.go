// Package ruleset names the exact set of rules that an answer was made with: the SHA-256 digest of every file, table and linked
// module that can change or reword one, and an id made from them.
//
// The digests are found from the build and generated into digests.txt (go generate ./internal/ruleset, or make generate) and embedded;
// a test fails when they are stale. Two programs with the same id give the same bytes for the same model.
package ruleset

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"strings"
)

//go:generate go run ./gen

//go:embed digests.txt
var digests string

// modulePrefix begins the name of a module in the list.
const modulePrefix = "module "

// File is one file, or one module of others, that decides or words an answer.
type File struct {
	Path   string // from the root of the repository, with slashes; or "module path@version"
	SHA256 string // lower-case hex; of a module, that of its line in go.sum
}

// IsModule tells a linked module from a file.
func (f File) IsModule() bool { return strings.HasPrefix(f.Path, modulePrefix) }

func (f File) line() string { return f.SHA256 + "  " + f.Path + "\n" }

// Files lists the files and modules with their digests, sorted by path.
func Files() []File {
	var out []File
	for _, line := range strings.Split(strings.TrimSpace(digests), "\n") {
		sum, path, _ := strings.Cut(line, "  ")
		out = append(out, File{path, sum})
	}
	return out
}

// ID is the id of the rule set: the first twelve hex digits of the SHA-256 of the list of files.
func ID() string { return idOf(digests) }

func idOf(list string) string {
	sum := sha256.Sum256([]byte(list))
	return hex.EncodeToString(sum[:6])
}
