package torch

import (
	"cmp"
	"crypto/sha256"
	"io/fs"
	"slices"

	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// Source is a file that an import read.
type Source struct {
	Name string // from the folder that absolute imports start from, with slashes
	Sum  [sha256.Size]byte
}

// sources notes the digest of every file that is read, from the very bytes that are parsed.
type sources struct {
	fs.FS
	read   map[Source]bool
	prefix string // of a folder above the one that imports start from
}

// ReadFile makes this an fs.ReadFileFS, of files that are small enough to be parsed.
func (s *sources) ReadFile(name string) ([]byte, error) {
	data, err := fence.ReadFile(s.FS, name, python.MaxBytes)
	if err == nil {
		s.read[Source{s.prefix + name, sha256.Sum256(data)}] = true
	}
	return data, err
}

// Stat makes this an fs.StatFS.
func (s *sources) Stat(name string) (fs.FileInfo, error) { return fs.Stat(s.FS, name) }

// list returns what was read, sorted by name.
func (s *sources) list() []Source {
	out := make([]Source, 0, len(s.read))
	for f := range s.read {
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b Source) int { return cmp.Or(cmp.Compare(a.Name, b.Name), slices.Compare(a.Sum[:], b.Sum[:])) })
	return out
}
