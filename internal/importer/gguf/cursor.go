package gguf

import (
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/modelverifier/verifier/internal/graph"
)

// windowBytes is how much of a file is read at once.
const windowBytes = 64 << 10

// cursor reads a header from front to back. It never allocates what a file merely claims to hold.
type cursor struct {
	r      io.ReaderAt
	file   string
	total  int64 // bytes of the file
	at     int64
	order  binary.ByteOrder
	kept   int64  // items of lists
	window []byte // what was read, from byte base of the file on
	base   int64
	buffer []byte
}

func newCursor(r io.ReaderAt, size int64, file string) *cursor {
	return &cursor{r: r, file: file, total: size, order: binary.LittleEndian, buffer: make([]byte, min(windowBytes, max(size, 0)))}
}

func (c *cursor) errorf(format string, args ...any) *graph.Error { return bad(c.file, format, args...) }

// left is how many bytes the file has behind the cursor.
func (c *cursor) left() int64 { return c.total - c.at }

// advance demands that so many bytes are there and steps over them.
func (c *cursor) advance(n int64) *graph.Error {
	if n > c.left() {
		return c.errorf("is cut short: %d bytes are wanted at byte %d, but the file has %d", n, c.at, c.total)
	}
	if c.at += n; c.at > maxHeaderBytes {
		return limited(c.errorf("has a header of more than %d bytes", maxHeaderBytes), maxHeaderBytes)
	}
	return nil
}

// take returns the next bytes, valid until the next call. There are never more than fit in the window.
func (c *cursor) take(n int) ([]byte, *graph.Error) {
	begin := c.at
	if e := c.advance(int64(n)); e != nil {
		return nil, e
	}
	if begin < c.base || c.at > c.base+int64(len(c.window)) {
		if e := c.fill(begin, n); e != nil {
			return nil, e
		}
	}
	i := begin - c.base
	return c.window[i : i+int64(n)], nil
}

// fill reads the window anew, from a byte of the file on.
func (c *cursor) fill(from int64, atLeast int) *graph.Error {
	n, err := c.r.ReadAt(c.buffer[:min(int64(len(c.buffer)), c.total-from)], from)
	if n < atLeast {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return c.errorf("cannot be read at byte %d: %v", from, err)
	}
	c.window, c.base = c.buffer[:n], from
	return nil
}

// uint reads a whole number of 1, 2, 4 or 8 bytes.
func (c *cursor) uint(width int64) (uint64, *graph.Error) {
	b, e := c.take(int(width))
	if e != nil {
		return 0, e
	}
	switch width {
	case 1:
		return uint64(b[0]), nil
	case 2:
		return uint64(c.order.Uint16(b)), nil
	case 4:
		return uint64(c.order.Uint32(b)), nil
	default:
		return c.order.Uint64(b), nil
	}
}

// text reads a string: its length, then its bytes.
func (c *cursor) text(most int64, what string) (string, *graph.Error) {
	n, e := c.length(what)
	if e != nil {
		return "", e
	}
	if n > most {
		return "", limited(c.errorf("%s has %d bytes; %d can be read", what, n, most), most)
	}
	b := make([]byte, n)
	for rest := b; len(rest) > 0; {
		part, e := c.take(min(len(rest), len(c.buffer)))
		if e != nil {
			return "", e
		}
		rest = rest[copy(rest, part):]
	}
	if !utf8.Valid(b) {
		return "", c.errorf("%s is not UTF-8", what)
	}
	return string(b), nil
}

// length reads the length of a string and demands that the file has as many bytes.
func (c *cursor) length(what string) (int64, *graph.Error) {
	n, e := c.uint(8)
	if e != nil {
		return 0, e
	}
	if n > uint64(c.left()) {
		return 0, c.errorf("is cut short: %s should have %d bytes, but %d are left", what, n, c.left())
	}
	return int64(n), nil
}
