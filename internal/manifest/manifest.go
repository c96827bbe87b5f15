// Package manifest names the files of a model and digests them: a folder, a single file or a snapshot of the hub's cache becomes names
// and SHA-256 digests, as the OpenSSF model signing specification (v1.0, section 6) has it.
//
// It must not know what a model means nor what is recorded of it. It opens nothing that a name or a link leads to outside the model, and
// what changes while it is read is an error: a digest that it returns is of bytes that lay there from List until Hash was done.
package manifest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/attest"
	"github.com/modelverifier/verifier/internal/graph"
)

// GitPaths are what git keeps at the top of a folder and no model is made of.
var GitPaths = []string{".git", ".gitattributes", ".github", ".gitignore"}

// Options say which files belong to a model.
type Options struct {
	Ignore        []string // paths from the model's folder, with slashes; each leaves out itself and what is below it
	AllowSymlinks bool     // take the content that a link leads to, where that lies in the model or in the blobs of its cache entry
	MaxFiles      int      // 100,000 unless given
	Workers       int      // that digest at once; as many as there are processors, eight at most, unless given
	Progress      func(Progress)
}

// Progress is how far the digests are. One caller at a time tells it.
type Progress struct {
	Files, AllFiles int
	Bytes, AllBytes int64
}

// Manifest is the files of a model, by name.
type Manifest struct {
	Name  string // of the model: the last part of its path
	Files []File
}

// File is one file.
type File struct {
	Name  string // path from the model's folder, with slashes; of a model that is one file, its name
	Sum   attest.Sum
	Bytes int64
}

// Root is the digest of the model, with its files in an order.
func (m *Manifest) Root(order attest.Order) attest.Sum {
	files := slices.Clone(m.Files)
	slices.SortFunc(files, func(a, b File) int { return order.Compare(a.Name, b.Name) })
	sums := make([]attest.Sum, len(files))
	for i := range files {
		sums[i] = files[i].Sum
	}
	return attest.Root(sums)
}

// defaultMaxFiles bounds what a model may hold; the record of so many files has 20 MB.
const defaultMaxFiles = 100_000

// maxName bounds the path of a file within a model. Linux takes no longer path at once.
const maxName = 4096

// Ignored brings paths to ignore into the form that is recorded: from the model's folder, with slashes, sorted, each once.
func Ignored(paths ...string) ([]string, error) {
	out := []string{}
	for _, p := range paths {
		given := p
		for strings.HasPrefix(p, "./") {
			p = strings.TrimLeft(p[2:], "/")
		}
		p = strings.TrimRight(p, "/")
		if !utf8.ValidString(p) || p == "" || p == "." || p[0] == '/' || slices.Contains(strings.Split(p, "/"), "..") || slices.Contains(strings.Split(p, "/"), "") ||
			slices.Contains(strings.Split(p, "/"), ".") {
			return nil, action.Errorf(action.CodeForm, "ignore", "is %s but must be a path from the model's folder, such as logs or checkpoints/old", Shown(given))
		}
		out = append(out, p)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// ignores finds whether a path is left out. What lies below an ignored folder is never asked about: the folder is not entered.
type ignores map[string]bool

func ignoring(paths []string) ignores {
	out := ignores{}
	for _, p := range paths {
		out[p] = true
	}
	return out
}

// Shown is a name as it can be printed: with quotes and escapes where it holds what a terminal would obey or cannot show.
func Shown(name string) string {
	if !utf8.ValidString(name) || name == "" || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.QuoteToASCII(name)
	}
	return name
}

func fault(code, name, format string, args ...any) *graph.Error {
	return action.Errorf(code, Shown(name), format, args...)
}

func tooMany(path string, limit int) error {
	e := fault(action.CodeUnsupported, path, "holds more than %d files", limit)
	e.Limit = int64(limit)
	return e
}

// alike finds names that some file systems take for one: those of macOS and Windows ignore case, some compose accents.
func alike(files []*entry) []string {
	fold := cases.Fold()
	type folded struct{ key, name string }
	list := make([]folded, len(files))
	for i, f := range files {
		list[i] = folded{norm.NFC.String(fold.String(f.name)), f.name}
	}
	slices.SortFunc(list, func(a, b folded) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.name, b.name)) })
	var out []string
	for i := 1; i < len(list); i++ {
		if list[i-1].key == list[i].key {
			out = append(out, fmt.Sprintf("%s and %s are one name on file systems that ignore case or compose accents", Shown(list[i-1].name), Shown(list[i].name)))
		}
	}
	return out
}
