package safetensors

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer"
)

// indexSuffix ends the name of a file that says which tensor is in which file.
const indexSuffix = ".safetensors.index.json"

// maxNamed is how many names a message lists.
const maxNamed = 5

// Model is what the headers of a model's files say.
type Model struct {
	Tensors []importer.Tensor // file by file, in the order of their data
	Files   []File
	Notes   []string // what is odd about the files and changes no count
}

// File is one file of weights.
type File struct {
	Name     string
	Bytes    int64
	Tensors  int
	Metadata []Pair
}

// Index is what an index file says.
type Index struct {
	Weights   []Pair // tensor and file, in the order of the index
	Files     []string
	TotalSize int64 // what it says the tensors take; 0 where it does not say
}

// ReadModel reads the files that make a model: one file, or those that an index lists.
func ReadModel(fsys fs.FS, name string) (*Model, error) {
	if !strings.HasSuffix(name, ".json") {
		return ReadFiles(fsys, []string{name})
	}
	index, err := ReadIndex(fsys, name)
	if err != nil {
		return nil, err
	}
	folder := path.Dir(name)
	files := make([]string, len(index.Files))
	var missing []string
	for i, f := range index.Files {
		files[i] = path.Join(folder, f)
		if _, err := fs.Stat(fsys, files[i]); err != nil {
			missing = append(missing, f)
		}
	}
	if len(missing) > 0 {
		return nil, bad(name, "lists %d files, of which %d are not there: %s", len(files), len(missing), named(missing))
	}
	m, err := ReadFiles(fsys, files)
	if err != nil {
		return nil, err
	}
	return m, m.check(index, folder, name)
}

// ReadFiles reads files that make a model together.
func ReadFiles(fsys fs.FS, names []string) (*Model, error) {
	m := &Model{}
	in := map[string]string{}
	for _, name := range names {
		h, size, err := ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		if len(m.Tensors)+len(h.Tensors) > maxTensors {
			e := bad(name, "with this file the model has more than %d tensors", maxTensors)
			e.Limit = maxTensors
			return nil, e
		}
		if len(names) > 1 {
			for _, t := range h.Tensors {
				if other, twice := in[t.Name]; twice {
					return nil, bad(name, "tensor %s is also in %s", quoted(t.Name), other)
				}
				in[t.Name] = name
			}
		}
		m.Tensors = append(m.Tensors, h.Tensors...)
		m.Files = append(m.Files, File{name, size, len(h.Tensors), h.Metadata})
	}
	return m, nil
}

// check compares the files with their index. A tensor that is not where the index says is an error. One that the index leaves out is loaded all
// the same by those who read every tensor of a file, so it counts and is noted.
func (m *Model) check(index *Index, folder, name string) error {
	where := make(map[string]string, len(m.Tensors))
	next, bytes := 0, int64(0)
	for _, f := range m.Files {
		for _, t := range m.Tensors[next : next+f.Tensors] {
			where[t.Name] = f.Name
			bytes += t.Bytes
		}
		next += f.Tensors
	}
	var missing []string
	for _, w := range index.Weights {
		switch file := where[w.Key]; file {
		case path.Join(folder, w.Value):
		case "":
			missing = append(missing, w.Key)
		default:
			return bad(name, "tensor %s should be in %s, but is in %s", quoted(w.Key), w.Value, file)
		}
	}
	if len(missing) > 0 {
		return bad(name, "lists %d tensors, of which %d are in none of its files: %s", len(index.Weights), len(missing), named(missing))
	}
	if extra := len(m.Tensors) - len(index.Weights); extra > 0 {
		m.Notes = append(m.Notes, fmt.Sprintf("%s leaves out %d of the %d tensors that its files hold", name, extra, len(m.Tensors)))
	}
	if index.TotalSize != 0 && index.TotalSize != bytes {
		m.Notes = append(m.Notes, fmt.Sprintf("%s says that the tensors take %d bytes; they take %d", name, index.TotalSize, bytes))
	}
	return nil
}

// ReadIndex reads an index file.
func ReadIndex(fsys fs.FS, name string) (*Index, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, openError(name, err)
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, MaxHeaderBytes+1))
	if err != nil {
		return nil, bad(name, "cannot be read: %v", err)
	}
	return ParseIndex(data, name)
}

// ParseIndex reads the text of an index file.
func ParseIndex(data []byte, name string) (*Index, error) {
	if len(data) > MaxHeaderBytes {
		e := bad(name, "has more than %d bytes", MaxHeaderBytes)
		e.Limit = MaxHeaderBytes
		return nil, e
	}
	s := &scanner{text: strings.ToValidUTF8(string(data), "\x00"), file: name}
	x, e := s.index()
	if e != nil {
		return nil, e
	}
	if x.Weights == nil {
		return nil, bad(name, "has no weight_map: an index names the file of every tensor")
	}
	seen := map[string]bool{}
	for _, w := range x.Weights {
		if seen[w.Value] {
			continue
		}
		seen[w.Value] = true
		if !fs.ValidPath(w.Value) || w.Value == "." || strings.ContainsAny(w.Value, "\\:\x00") {
			return nil, bad(name, "tensor %s is in %s, which is no file of this folder", quoted(w.Key), quoted(w.Value))
		}
		if !strings.HasSuffix(w.Value, ".safetensors") {
			return nil, bad(name, "tensor %s is in %s, which is no safetensors file", quoted(w.Key), quoted(w.Value))
		}
		x.Files = append(x.Files, w.Value)
	}
	slices.Sort(x.Files)
	return x, nil
}

func (s *scanner) index() (*Index, *graph.Error) {
	x := &Index{}
	seen := map[string]bool{}
	e := s.object(func(name string) (e *graph.Error) {
		if seen[name] {
			return bad(s.file, "has %s twice", quoted(name))
		}
		seen[name] = true
		switch name {
		case "weight_map":
			if s.space() != '{' {
				return s.errorf("{")
			}
			if x.Weights, e = s.pairs(name, maxTensors); x.Weights == nil {
				x.Weights = []Pair{}
			}
			return e
		case "metadata":
			return s.totalSize(x)
		}
		return s.skip(0)
	})
	if e == nil {
		e = s.finish()
	}
	return x, e
}

// totalSize reads what an index says of itself. Old files hold a fraction or text there; what is no whole number says nothing.
func (s *scanner) totalSize(x *Index) *graph.Error {
	if s.space() != '{' {
		return s.skip(0)
	}
	return s.object(func(name string) *graph.Error {
		if name != "total_size" {
			return s.skip(0)
		}
		s.space()
		start := s.at
		n, e := s.integer("a number of bytes")
		if e != nil {
			s.at, n = start, 0
			e = s.skip(0)
		}
		x.TotalSize = n
		return e
	})
}

// Find returns the files of a folder that hold a model's weights, given the names of all its files: an index alone, or files that are read
// together. None is no error. The order is that in which transformers and diffusers look.
func Find(names []string) ([]string, error) {
	for _, stem := range []string{"model", "diffusion_pytorch_model"} {
		for _, end := range []string{".safetensors", indexSuffix} {
			if slices.Contains(names, stem+end) {
				return []string{stem + end}, nil
			}
		}
	}
	var found []string
	for _, n := range names {
		if strings.HasSuffix(n, indexSuffix) {
			return []string{n}, nil
		}
		if strings.HasSuffix(n, ".safetensors") && !partial(n) {
			found = append(found, n)
		}
	}
	slices.Sort(found)
	if len(found) > 1 {
		if err := set(found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// partial reports whether a file's name says that it holds something other than a model's weights, or the same ones once more.
func partial(name string) bool {
	return strings.HasPrefix(name, "adapter_") || strings.HasPrefix(name, "consolidated") || strings.HasPrefix(name, "optimizer") || strings.HasPrefix(name, "training_")
}

// set demands that several files without an index are numbered 1 to n of n.
func set(names []string) error {
	var stem string
	for i, n := range names {
		s, number, of, ok := importer.Numbered(n, ".safetensors")
		if !ok || i > 0 && s != stem {
			return errors.New("several files of weights and no index that says which belong together: " + named(names))
		}
		if stem = s; of != len(names) || number != i+1 {
			return fmt.Errorf("%s is one of %d files, but %d are here and no index: %s", n, of, len(names), named(names))
		}
	}
	return nil
}

// named lists the first few names.
func named(names []string) string {
	out := make([]string, 0, maxNamed)
	for _, n := range names[:min(len(names), maxNamed)] {
		out = append(out, quoted(n))
	}
	s := strings.Join(out, ", ")
	if more := len(names) - maxNamed; more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}
