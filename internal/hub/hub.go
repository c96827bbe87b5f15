// Package hub finds the model that a user names: a file, a folder, an entry of the local Hugging Face cache, an id of the hub, or standard
// input. It looks on this machine alone, unless it is told to download.
//
// It must not know what is in a model: it says of which kind the files are, and hands out a file system that holds them and nothing else.
// What must not reach the network must not link it.
package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/graph"
)

// Kind is what a model is given as, and so which importer reads it.
type Kind string

// The kinds of models.
const (
	Graph       Kind = "graph"       // JSON or the text notation
	Config      Kind = "config"      // config.json of transformers, perhaps with weights beside it
	Safetensors Kind = "safetensors" // weights and nothing that says what they are for
	GGUF        Kind = "gguf"
	ONNX        Kind = "onnx"
	Python      Kind = "python"
	Keras       Kind = "keras"    // model.to_json() of Keras, or a .keras file, which holds the same
	Neurarch    Kind = "neurarch" // a graph file of the Neurarch editor, told from a graph by what its components list
)

// Stdin is the reference that stands for standard input.
const Stdin = "-"

// Source is a model that was found. Close it.
type Source struct {
	Ref      string // as it was typed
	Kind     Kind
	Path     string   // the file or folder it was found as
	Main     string   // the file that decides, within FS
	Config   string   // config.json, where it is there
	Weights  []string // an index, or the safetensors files that are read together
	Symbol   string   // the class or function of file.py:name
	Files    []File   // of the folder, by name; folders within it are left out
	Notes    []string // what was chosen among several, and what could not be had
	Org      string   // of an id
	Name     string   // of an id
	Revision string   // the commit, 40 hex digits, where it is known

	Dir string // the folder that the names of FS start from, on disk; of a Python source that of its outermost package

	// Of a Python source in a repository: the folders above Dir up to the root, nearest first, the names of the folders that lead from the
	// root to Dir, and that what lies beside its package may be imported.
	Above    []fs.FS
	Within   []string
	Siblings bool

	fsys   fs.FS // a folder, or an overlay of one
	stdin  io.Reader
	disk   disk
	named  string // of a file that is opened as it stands: a user may name any
	pipe   bool   // it is no regular file
	closes []io.Closer
}

// File is a file of a model's folder.
type File struct {
	Name       string
	Bytes      int64
	HeaderOnly bool // nothing behind the header was downloaded; Bytes is what the whole file has
}

// Options say where to look.
type Options struct {
	Download bool
	Stdin    io.Reader
	Progress func(Progress)           // called while downloading, by one caller at a time
	Getenv   func(name string) string // os.Getenv unless given
	Agent    string                   // what to call ourselves to the hub: verifier/1.2.3
	Root     *os.Root                 // where given, references are paths within it, and nothing else on disk is read
}

// Progress is how far a download is.
type Progress struct {
	File        string // the one that moved
	Done, Total int    // files
	Bytes       int64  // received of all of them
}

// FS returns the files of the model. It does not lead out of the model's folder. It is nil for standard input and for a graph's file.
func (s *Source) FS() fs.FS { return s.fsys }

// ID returns org/name, or nothing where the model was not found by its id.
func (s *Source) ID() string {
	if s.Org == "" {
		return s.Name
	}
	return s.Org + "/" + s.Name
}

// Open opens the file that decides.
func (s *Source) Open() (io.ReadCloser, error) {
	switch {
	case s.stdin != nil:
		return io.NopCloser(s.stdin), nil
	case s.pipe:
		return os.Open(s.named)
	case s.named != "":
		return s.disk.open(s.named)
	default:
		return s.fsys.Open(s.Main)
	}
}

// Close lets go of the folder.
func (s *Source) Close() error {
	var errs []error
	for _, c := range s.closes {
		errs = append(errs, c.Close())
	}
	s.closes = nil
	return errors.Join(errs...)
}

// Resolve finds what a user named. What exists on disk under that name comes first, as it does for those who load models.
func Resolve(ctx context.Context, ref string, opt Options) (*Source, error) {
	if opt.Getenv == nil {
		opt.Getenv = os.Getenv
	}
	switch {
	case ref == "":
		return nil, action.Errorf(action.CodeNotFound, "", "no model is named: give a file, a folder, an id such as org/name, or - for standard input")
	case strings.ContainsRune(ref, 0):
		return nil, action.Errorf(action.CodeNotFound, "", "a name cannot hold a zero byte")
	case ref == Stdin:
		in := opt.Stdin
		if in == nil {
			in = strings.NewReader("")
		}
		return &Source{Ref: ref, Kind: Graph, Path: ref, Main: ref, stdin: in}, nil
	}
	d := disk{opt.Root}
	if file, symbol, ok := pythonRef(ref); ok {
		return resolvePython(d, ref, file, symbol)
	}
	info, err := d.stat(ref)
	switch {
	case err == nil && info.IsDir():
		return resolveFolder(d, ref, opt)
	case err == nil:
		return resolveFile(d, ref, info)
	case opt.Root != nil:
		return nil, action.Errorf(action.CodeNotFound, ref, "cannot be opened: %v", reason(err))
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR): // the latter is config.json/x
		return nil, action.Errorf(action.CodeNotFound, ref, "cannot be opened: %v", reason(err))
	}
	return resolveID(ctx, ref, opt)
}

// pythonRef takes file.py:name apart. A colon elsewhere belongs to the name.
func pythonRef(ref string) (file, symbol string, ok bool) {
	i := strings.LastIndex(ref, ".py:")
	if i < 0 {
		return "", "", false
	}
	file, symbol = ref[:i+3], ref[i+4:]
	for _, c := range symbol {
		if c != '_' && c != '.' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c < 0x80 {
			return "", "", false
		}
	}
	return file, symbol, symbol != ""
}

func resolvePython(d disk, ref, file, symbol string) (*Source, error) {
	info, err := d.stat(file)
	if err != nil {
		return nil, action.Errorf(action.CodeNotFound, file, "cannot be opened: %v", reason(err))
	}
	if !info.Mode().IsRegular() {
		return nil, action.Errorf(action.CodeFile, file, "is not a regular file")
	}
	s, err := resolveFile(d, file, info)
	if err != nil {
		return nil, err
	}
	s.Ref, s.Symbol = ref, symbol
	return s, nil
}

// reason strips what an error repeats of the path.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// notFound says where a model was looked for, and what would help.
func notFound(ref, looked string, opt Options) *graph.Error {
	advice := "Add --download to fetch its configuration and the headers of its weights from the hub (never the weights)"
	if opt.Download {
		advice = "It is not an id of the hub either"
	}
	return action.Errorf(action.CodeNotFound, ref, "not found: %s. %s", looked, advice)
}

// inFolder opens a folder so that nothing leads out of it, or out of the root where one is given.
func (s *Source) inFolder(dir string) error {
	d, err := s.disk.folder(dir)
	return s.use(d, s.disk.path(dir), err)
}

// use takes a folder that was opened.
func (s *Source) use(d *fence.Dir, dir string, err error) error {
	if err != nil {
		return action.Errorf(action.CodeNotFound, dir, "cannot be opened: %v", reason(err))
	}
	s.closes = append(s.closes, d)
	s.fsys, s.Dir = d, dir
	return nil
}

func (s *Source) notef(format string, args ...any) {
	s.Notes = append(s.Notes, fmt.Sprintf(format, args...))
}

// list names a few of many.
func list(names []string) string {
	const most = 6
	s := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

// slashed is a path the way every system's users of the hub write it.
func slashed(path string) string { return filepath.ToSlash(path) }
