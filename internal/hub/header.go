package hub

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/importer/safetensors"
)

// headerEnding ends the names of files that hold the header of a safetensors file. They lie in a folder of our own and begin with a line of
// JSON, so that no other tool can take one for weights.
const headerEnding = ".header"

// headerFile is the header of a file whose rest was not downloaded.
type headerFile struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`  // of the whole file
	ETag   string `json:"etag"`   // of the whole file
	SHA256 string `json:"sha256"` // of the header
	data   []byte
}

// encode writes a header to be kept.
func (h *headerFile) encode() ([]byte, error) {
	sum := sha256.Sum256(h.data)
	h.SHA256 = hex.EncodeToString(sum[:])
	line, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("hub: encode header: %w", err)
	}
	return slices.Concat(line, []byte("\n"), h.data), nil
}

// maxKept is the most that a kept header can have.
const maxKept = safetensors.MaxHeaderBytes + 1<<16

// decodeHeader reads a kept header, and refuses one that is not what was written.
func decodeHeader(data []byte) (*headerFile, error) {
	line, rest, ok := bytes.Cut(data, []byte("\n"))
	h := &headerFile{}
	if !ok || json.Unmarshal(line, h) != nil {
		return nil, errors.New("is not a kept header")
	}
	if sum := sha256.Sum256(rest); hex.EncodeToString(sum[:]) != h.SHA256 {
		return nil, errors.New("was changed since it was downloaded")
	}
	if h.Bytes < int64(len(rest)) || !fs.ValidPath(h.Name) {
		return nil, errors.New("contradicts itself")
	}
	h.data = rest
	return h, nil
}

// overlay is a folder with, in addition, the headers of files that are not in it.
type overlay struct {
	base    fs.FS
	headers map[string]*headerFile
}

// withHeaders adds the headers that are kept in dir to a snapshot.
func withHeaders(base fs.FS, dir string) (fs.FS, error) {
	kept, err := fence.Folder(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return base, nil
	}
	var entries []fs.DirEntry
	if err == nil {
		defer func() { _ = kept.Close() }() // everything was read
		entries, err = kept.ReadDir(".")
	}
	if err != nil {
		return nil, action.Errorf(action.CodeNotFound, dir, "cannot be listed: %v", reason(err))
	}
	o := &overlay{base, map[string]*headerFile{}}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), headerEnding) {
			continue
		}
		h, err := readHeader(kept, e.Name())
		if err != nil {
			return nil, action.Errorf(action.CodeFile, filepath.Join(dir, e.Name()), "%v: remove it and download it again", err)
		}
		if _, err := fs.Stat(base, h.Name); err != nil {
			o.headers[h.Name] = h
		}
	}
	return o, nil
}

func readHeader(kept *fence.Dir, name string) (*headerFile, error) {
	data, err := fence.ReadFile(kept, name, maxKept)
	if err != nil {
		return nil, reason(err)
	}
	return decodeHeader(data)
}

// Open opens a file of the folder, or a header.
func (o *overlay) Open(name string) (fs.File, error) {
	if h, ok := o.headers[name]; ok {
		return &openHeader{headerFile: h}, nil
	}
	return o.base.Open(name)
}

// Stat describes a file of the folder, or the file that a header is of.
func (o *overlay) Stat(name string) (fs.FileInfo, error) {
	if h, ok := o.headers[name]; ok {
		return headerInfo{h}, nil
	}
	return fs.Stat(o.base, name)
}

// ReadDir lists a folder together with the headers that belong there.
func (o *overlay) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(o.base, name)
	if err != nil {
		return nil, err
	}
	for n, h := range o.headers {
		if path.Dir(n) == name {
			entries = append(entries, fs.FileInfoToDirEntry(headerInfo{h}))
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// openHeader is a header that is being read.
type openHeader struct {
	*headerFile
	at int64
}

func (o *openHeader) Stat() (fs.FileInfo, error) { return headerInfo{o.headerFile}, nil }
func (o *openHeader) Close() error               { return nil }

func (o *openHeader) Read(p []byte) (int, error) {
	n, err := o.ReadAt(p, o.at)
	o.at += int64(n)
	return n, err
}

// ReadAt gives what there is of the header, and an error, not the end of the file, for all behind it.
func (o *openHeader) ReadAt(p []byte, at int64) (int, error) {
	if at < 0 {
		return 0, fs.ErrInvalid
	}
	n := 0
	if at < int64(len(o.data)) {
		n = copy(p, o.data[at:])
	}
	if n < len(p) {
		return n, &fs.PathError{Op: "read", Path: o.Name, Err: errors.New("only the header was downloaded")}
	}
	return n, nil
}

type headerInfo struct{ h *headerFile }

func (i headerInfo) Name() string       { return path.Base(i.h.Name) }
func (i headerInfo) Size() int64        { return i.h.Bytes }
func (i headerInfo) Mode() fs.FileMode  { return 0o444 }
func (i headerInfo) ModTime() time.Time { return time.Time{} }
func (i headerInfo) IsDir() bool        { return false }
func (i headerInfo) Sys() any           { return i.h }
