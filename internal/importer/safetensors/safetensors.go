// Package safetensors lists the tensors of safetensors files from their headers, and never reads the numbers.
//
// It is as strict as the format's own library: what it accepts can be loaded, and what a file claims must agree with the file's length. It
// must not know any architecture, nor where files come from: it is given a file system that holds the model and nothing else.
package safetensors

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer"
)

// Limits on what is read. The first is the format's own; the others keep a hostile header from filling the memory, and are five times what
// the largest published models need.
const (
	MaxHeaderBytes = 100_000_000
	maxTensors     = 1_000_000
	maxMetadata    = 100_000
	maxAxes        = 64 // PyTorch's own limit
)

// lengthBytes is the number in front of the header: its length, little endian.
const lengthBytes = 8

// Header is what one file says of itself.
type Header struct {
	Tensors     []importer.Tensor // in the order of their data
	Metadata    []Pair            // in the order of the file
	HeaderBytes int64             // with the eight in front of it; the data begins there
}

// Pair is one entry of the free text that a file may carry.
type Pair struct{ Key, Value string }

// Read reads the header of one file that has size bytes. Errors name it.
func Read(r io.ReaderAt, size int64, name string) (*Header, error) {
	if size < lengthBytes {
		return nil, bad(name, "has %d bytes, but a safetensors file begins with %d that say how long its header is", size, lengthBytes)
	}
	var prefix [lengthBytes]byte
	if err := readFull(r, prefix[:], 0); err != nil {
		return nil, bad(name, "cannot be read: %v", err)
	}
	n, err := HeaderLength(prefix[:], name)
	if err != nil {
		return nil, err
	}
	if n > size-lengthBytes {
		return nil, bad(name, "is cut short: its header should have %d bytes, but the file has %d behind the first %d%s", n, size-lengthBytes, lengthBytes, guess(prefix[:]))
	}
	var text strings.Builder // and not bytes, which would have to be copied
	text.Grow(int(n))
	if got, err := io.Copy(&text, io.NewSectionReader(r, lengthBytes, n)); err != nil || got < n {
		return nil, bad(name, "cannot be read: %v", cmp.Or(err, io.ErrUnexpectedEOF))
	}
	return parse(text.String(), size-lengthBytes-n, name)
}

// HeaderLength reads the first eight bytes of a file: how many bytes of header follow.
func HeaderLength(prefix []byte, name string) (int64, error) {
	if len(prefix) < lengthBytes {
		return 0, bad(name, "ends within its first %d bytes", lengthBytes)
	}
	n := binary.LittleEndian.Uint64(prefix)
	if n > MaxHeaderBytes {
		e := bad(name, "says that its header has %d bytes; the format allows %d%s", n, MaxHeaderBytes, guess(prefix))
		e.Limit = MaxHeaderBytes
		return 0, e
	}
	if n < 2 {
		return 0, bad(name, "says that its header has %d bytes; the shortest, {}, has 2", n)
	}
	return int64(n), nil
}

// guess says what a file is that is not the one its name says: the usual accidents are a pickle that was renamed, a pointer that Git LFS left
// behind, and a page instead of a download.
func guess(prefix []byte) string {
	known := []struct{ magic, what string }{
		{"PK\x03\x04", "it is a zip file, as PyTorch's .pt and .bin are"},
		{"\x80\x02", "it is a pickle"}, {"\x80\x04", "it is a pickle"},
		{"version ", "it is a Git LFS pointer: fetch the file with git lfs pull"},
		{"GGUF", "it is a GGUF file"}, {"<!", "it is a web page"}, {"<html", "it is a web page"},
	}
	for _, k := range known {
		if len(prefix) >= len(k.magic) && string(prefix[:len(k.magic)]) == k.magic {
			return "; " + k.what
		}
	}
	return ""
}

// Parse reads a header: the JSON behind the first eight bytes. dataBytes is how much follows it in the file.
func Parse(header []byte, dataBytes int64, name string) (*Header, error) {
	return parse(string(header), dataBytes, name)
}

func parse(header string, dataBytes int64, name string) (*Header, error) {
	if !utf8.ValidString(header) {
		return nil, bad(name, "its header is not UTF-8")
	}
	s := &scanner{text: header, file: name}
	entries, metadata, err := s.header()
	if err != nil {
		return nil, err
	}
	if err := place(entries, dataBytes, name); err != nil {
		return nil, err
	}
	h := &Header{Metadata: metadata, HeaderBytes: lengthBytes + int64(len(header)), Tensors: make([]importer.Tensor, len(entries))}
	for i := range entries {
		h.Tensors[i] = entries[i].Tensor
	}
	return h, nil
}

// ReadFile reads the header of a file of a file system.
func ReadFile(fsys fs.FS, name string) (*Header, int64, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, 0, openError(name, err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, openError(name, err)
	}
	r, ok := f.(io.ReaderAt)
	if !ok || !info.Mode().IsRegular() {
		return nil, 0, bad(name, "is not a regular file")
	}
	h, err := Read(r, info.Size(), name)
	return h, info.Size(), err
}

func readFull(r io.ReaderAt, into []byte, at int64) error {
	n, err := r.ReadAt(into, at)
	if n == len(into) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func openError(name string, err error) *graph.Error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return bad(name, "cannot be opened: %v", err)
}

// bad is the error of a file that is not as it should be.
func bad(file, format string, args ...any) *graph.Error {
	return action.Errorf(action.CodeFile, file, format, args...)
}

// quoted writes a name that a file gave, which may be long or hold anything.
func quoted(name string) string {
	if len(name) > 120 {
		for cut := 117; ; cut-- {
			if utf8.RuneStart(name[cut]) {
				name = name[:cut] + "…"
				break
			}
		}
	}
	return fmt.Sprintf("%q", name)
}
