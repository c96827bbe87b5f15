// Package gguf lists the tensors of GGUF files and the facts they carry, from their headers alone.
//
// It reads versions 2 and 3 in either byte order, as strictly as ggml does. It must not know any architecture, nor where files come from: it
// is given a file system that holds the model and nothing else.
package gguf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// Limits on what is read; the largest published files need a fifth at most. ggml's own limit is that of axes.
const (
	maxHeaderBytes = 256 << 20
	maxTensors     = 1_000_000
	maxEntries     = 65_536
	maxKeyBytes    = 65_535 // of the specification
	maxNameBytes   = 1024
	maxTextBytes   = 16 << 20
	maxAxes        = 4
)

// defaultAlignment is what a tensor's data begins at a multiple of, where the file does not say.
const defaultAlignment = 32

// File is what one file says.
type File struct {
	Name     string
	Bytes    int64
	Version  int
	Metadata []Entry           // in the order of the file
	Tensors  []importer.Tensor // in the order of the file, which is that of their data; axes as PyTorch orders them
}

// Read reads the header of one file that has size bytes. Errors name it.
func Read(r io.ReaderAt, size int64, name string) (*File, error) {
	c := newCursor(r, size, name)
	f := &File{Name: name, Bytes: size}
	tensors, entries, err := c.start(f)
	if err != nil {
		return nil, err
	}
	if f.Metadata, err = c.metadata(entries); err != nil {
		return nil, err
	}
	alignment, err := f.alignment()
	if err != nil {
		return nil, err
	}
	offsets, err := c.tensors(f, tensors)
	if err != nil {
		return nil, err
	}
	return f, f.place(offsets, c.at, alignment)
}

// start reads the magic, the version, which gives the byte order away, and the two counts.
func (c *cursor) start(f *File) (tensors, entries int64, err error) {
	b, e := c.take(8)
	if e != nil {
		return 0, 0, e
	}
	if string(b[:4]) != "GGUF" {
		return 0, 0, c.errorf("begins with %q and not with \"GGUF\"%s", b[:4], guess(b))
	}
	version := binary.LittleEndian.Uint32(b[4:])
	if version&0xffff == 0 && version != 0 {
		c.order = binary.BigEndian
		version = binary.BigEndian.Uint32(b[4:])
	}
	if version != 2 && version != 3 {
		return 0, 0, c.errorf("is of GGUF version %d; 2 and 3 can be read", version)
	}
	f.Version = int(version)
	t, e := c.uint(8)
	if e != nil {
		return 0, 0, e
	}
	n, e := c.uint(8)
	if e != nil {
		return 0, 0, e
	}
	if t > maxTensors {
		return 0, 0, limited(c.errorf("says that it has %d tensors; %d can be read", t, maxTensors), maxTensors)
	}
	if n > maxEntries {
		return 0, 0, limited(c.errorf("says that it has %d entries of metadata; %d can be read", n, maxEntries), maxEntries)
	}
	return int64(t), int64(n), nil
}

func guess(b []byte) string {
	switch {
	case strings.HasPrefix(string(b), "version "):
		return "; it is a Git LFS pointer: fetch the file with git lfs pull"
	case strings.HasPrefix(string(b), "<"):
		return "; it is a web page"
	case strings.HasPrefix(string(b), "ggml"), strings.HasPrefix(string(b), "lmgg"), strings.HasPrefix(string(b), "tjgg"), strings.HasPrefix(string(b), "fmgg"):
		return "; it is one of the formats before GGUF: convert it with llama.cpp"
	case strings.HasPrefix(string(b), "PK"):
		return "; it is a zip file, as PyTorch's .pt and .bin are"
	}
	return ""
}

// alignment returns what data is aligned to.
func (f *File) alignment() (int64, error) {
	v := f.Get("general.alignment")
	if v == nil {
		return defaultAlignment, nil
	}
	n, ok := v.Int()
	if !ok || v.Type != Uint32 || n == 0 || n&(n-1) != 0 {
		return 0, bad(f.Name, "general.alignment is %s; it must be a power of two, as uint32", v)
	}
	return n, nil
}

// tensors reads the list of tensors, and where each says its data is.
func (c *cursor) tensors(f *File, n int64) (offsets []uint64, err error) {
	const least = 8 + 4 + 4 + 8
	if n > c.left()/least {
		return nil, c.errorf("says that it has %d tensors, which the %d bytes that are left cannot list", n, c.left())
	}
	f.Tensors = make([]importer.Tensor, 0, n)
	offsets = make([]uint64, 0, n)
	seen := make(map[string]struct{}, n)
	for i := range n {
		t, offset, e := c.tensor(i)
		if e != nil {
			return nil, e
		}
		if seen[t.Name] = struct{}{}; len(seen) != len(f.Tensors)+1 {
			return nil, c.errorf("has tensor %q twice", t.Name)
		}
		f.Tensors = append(f.Tensors, t)
		offsets = append(offsets, offset)
	}
	return offsets, nil
}

func (c *cursor) tensor(i int64) (t importer.Tensor, offset uint64, e *graph.Error) {
	if t.Name, e = c.text(maxNameBytes, fmt.Sprintf("the name of tensor %d", i)); e != nil {
		return t, 0, e
	}
	axes, e := c.uint(4)
	if e != nil {
		return t, 0, e
	}
	if axes > maxAxes {
		return t, 0, c.errorf("tensor %q has %d axes; the format allows %d", t.Name, axes, maxAxes)
	}
	t.Shape = make([]int64, axes)
	for j := range t.Shape { // the innermost axis comes first in a file
		n, e := c.uint(8)
		if e != nil {
			return t, 0, e
		}
		if n > 1<<63-1 {
			return t, 0, c.errorf("tensor %q has an axis of %d", t.Name, n)
		}
		t.Shape[len(t.Shape)-1-j] = int64(n)
	}
	kind, e := c.uint(4)
	if e != nil {
		return t, 0, e
	}
	if e := c.size(&t, uint32(kind)); e != nil {
		return t, 0, e
	}
	offset, e = c.uint(8)
	return t, offset, e
}

// size fills in a tensor's type and bytes. A row, which is the innermost axis, is made of whole blocks.
func (c *cursor) size(t *importer.Tensor, kind uint32) *graph.Error {
	b, known := blockTypes[kind]
	if !known {
		if old, was := withdrawn[kind]; was {
			return c.errorf("tensor %q is of type %s, which was withdrawn: convert the model anew", t.Name, old)
		}
		return c.errorf("tensor %q is of type %d, which is not known", t.Name, kind)
	}
	t.DType = b.name
	elements, fits := quantity.Mul(t.Shape...)
	if !fits {
		return c.errorf("tensor %q of shape %s has more numbers than can be counted", t.Name, importer.ShapeText(t.Shape))
	}
	row := int64(1)
	if len(t.Shape) > 0 {
		row = t.Shape[len(t.Shape)-1]
	}
	if row%b.size != 0 {
		return c.errorf("tensor %q of type %s has rows of %d, which are not made of blocks of %d", t.Name, b.name, row, b.size)
	}
	if t.Bytes, fits = quantity.Mul(elements/b.size, b.bytes); !fits {
		return c.errorf("tensor %q of shape %s has more bytes than can be counted", t.Name, importer.ShapeText(t.Shape))
	}
	return nil
}

// place demands that the data of the tensors lies one behind the other, aligned, and within the file.
func (f *File) place(offsets []uint64, headerEnd, alignment int64) error {
	if len(offsets) == 0 {
		return nil
	}
	start := pad(headerEnd, alignment)
	at := int64(0)
	for i, offset := range offsets {
		t := &f.Tensors[i]
		if offset != uint64(at) {
			return bad(f.Name, "tensor %q begins at byte %d of the data, but the one before it ends at %d", t.Name, offset, at)
		}
		end, fits := quantity.Add(start, at, t.Bytes)
		if !fits || end > f.Bytes {
			return bad(f.Name, "is cut short: tensor %q needs %d bytes from byte %d of the data on, but the file has %d behind its header", t.Name, t.Bytes, at, max(f.Bytes-start, 0))
		}
		at = pad(at+t.Bytes, alignment) // cannot overflow: the file is not that long
	}
	return nil
}

func pad(n, alignment int64) int64 { return (n + alignment - 1) &^ (alignment - 1) }

func bad(file, format string, args ...any) *graph.Error {
	return action.Errorf(action.CodeFile, file, format, args...)
}

func limited(e *graph.Error, limit int64) *graph.Error {
	e.Limit = limit
	return e
}

// ReadFile reads the header of a file of a file system.
func ReadFile(fsys fs.FS, name string) (*File, error) {
	f, err := fsys.Open(name)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return nil, bad(name, "cannot be opened: %v", err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, bad(name, "cannot be read: %v", err)
	}
	r, ok := f.(io.ReaderAt)
	if !ok || !info.Mode().IsRegular() {
		return nil, bad(name, "is not a regular file")
	}
	return Read(r, info.Size(), name)
}
