// Package dataset finds out what a folder or file of training data says about itself: how many samples and classes there are, how large
// images are, how many tokens a tokenizer has. It reads headers and descriptions, and no more of a file than it must.
//
// One file is one format. What cannot be known is left out and noted, never guessed; what is broken is an error that names the file.
// The package must not know models or verdicts.
package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/fit/data"
	"github.com/modelverifier/verifier/internal/graph"
)

// Bounds of what is read.
const (
	maxText    = 256 << 20  // bytes of a description
	maxTable   = 128 << 20  // bytes of a table, unpacked; of more, only the columns are told
	maxEntries = 20_000_000 // files of a folder; ImageNet has 1.4 million
)

// Found is what was found out.
type Found struct {
	data.Request
	Notes []string
}

func (f *Found) note(format string, args ...any) {
	f.Notes = append(f.Notes, fmt.Sprintf(format, args...))
}

// reader reads one file of a dataset.
type reader func(f *Found, fsys fs.FS, name string) error

// byName and byExtension are the formats; each file of the package adds its own.
var byName, byExtension = map[string]reader{}, map[string]reader{}

// Open reads a file or a folder.
func Open(ref string) (*Found, error) {
	info, err := os.Stat(ref)
	if err != nil {
		return nil, action.Errorf(action.CodeNotFound, ref, "cannot be read: %v", errors.Unwrap(err))
	}
	if info.IsDir() {
		d, err := fence.Named(ref)
		if err != nil {
			return nil, broken(ref, "cannot be read: %v", err)
		}
		defer func() { _ = d.Close() }() // everything was read
		return Read(d)
	}
	if !info.Mode().IsRegular() {
		return nil, broken(ref, "is neither a file nor a folder")
	}
	f := &Found{}
	read := readerOf(filepath.Base(ref))
	if read == nil {
		return nil, action.Errorf(action.CodeUnsupported, ref, "is no format that is known: tokenizer.json, tokenizer_config.json, dataset_info.json, CSV, TSV, Parquet, idx, NPY, or a folder of them or of images")
	}
	d, name, err := fence.NamedFile(ref)
	if err != nil {
		return nil, broken(ref, "cannot be read: %v", err)
	}
	defer func() { _ = d.Close() }() // everything was read
	return f, read(f, d, name)
}

// Read reads a folder.
func Read(fsys fs.FS) (*Found, error) {
	f := &Found{}
	images, seen, entries := newTally(), 0, 0
	var out []string // links that are not followed
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entries++; entries > maxEntries {
			return action.Errorf(action.CodeFile, name, "the folder has more than %d entries", maxEntries)
		}
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") && name != "." {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() { // a link, as caches have them, may lead to a file; a pipe would never end
			info, err := fs.Stat(fsys, name)
			if err != nil {
				out = append(out, name)
			}
			if err != nil || !info.Mode().IsRegular() {
				return nil
			}
		}
		if isImage(name) {
			return images.add(fsys, name)
		}
		if read := readerOf(path.Base(name)); read != nil {
			seen++
			return read(f, fsys, name)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	images.into(f)
	if len(out) > 0 {
		f.note("%d links were not followed, since they lead nowhere or out of the repository or folder; the first is %s", len(out), out[0])
	}
	if seen == 0 && images.count == 0 {
		const none = "the folder has no tokenizer.json, dataset_info.json, CSV, Parquet, idx or NPY file and no images"
		return nil, action.Errorf(action.CodeUnsupported, "", "%s", strings.Join(append([]string{none}, f.Notes...), "; "))
	}
	return f, nil
}

func readerOf(base string) reader {
	if r := byName[base]; r != nil {
		return r
	}
	lower := strings.TrimSuffix(strings.ToLower(base), ".gz")
	if strings.HasSuffix(lower, "-ubyte") || strings.HasSuffix(lower, ".idx") {
		return readIDX
	}
	return byExtension[path.Ext(lower)]
}

// text reads a whole file that is not too large.
func text(fsys fs.FS, name string) ([]byte, error) {
	out, err := fence.ReadFile(fsys, name, maxText)
	var tooLarge *fence.TooLarge
	if errors.As(err, &tooLarge) {
		err = action.Errorf(graph.CodeBytes, name, "has more than %d bytes", maxText)
	}
	return out, err
}

func broken(name, format string, args ...any) error {
	return action.Errorf(action.CodeFile, name, format, args...)
}

// isTest reports whether a file or folder is not the training split.
func isTest(name string) bool {
	lower := strings.ToLower(name)
	for _, word := range []string{"test", "val", "valid", "validation", "dev", "t10k"} {
		for _, part := range strings.FieldsFunc(lower, func(r rune) bool { return r == '/' || r == '-' || r == '_' || r == '.' }) {
			if part == word {
				return true
			}
		}
	}
	return false
}

// addSamples counts rows of the training split.
func (f *Found) addSamples(n int64) {
	if n < 0 {
		return
	}
	if f.Samples == nil {
		f.Samples = new(int64)
	}
	*f.Samples += min(n, 1<<50)
}
