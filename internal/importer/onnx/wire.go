package onnx

import (
	"context"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
)

// windowBytes is how much of the file is held at a time. Weights are stepped over, so that a file of any size costs this.
const windowBytes = 64 << 10

// maxFields bounds the work that a file can ask for: a file of a hundred thousand nodes has some ten million fields, one of
// nothing but empty fields would have a thousand million.
const maxFields = 64 << 20

// maxText is the longest name or string attribute that is read.
const maxText = 1 << 20

// source reads a protobuf message from a file through one window.
type source struct {
	ctx    context.Context
	r      io.ReaderAt
	size   int64
	window []byte // what the file has from start on
	start  int64
	fields int
}

// span is a range of the file.
type span struct{ at, end int64 }

func (s span) size() int64 { return s.end - s.at }

// field is one field of a message: a number, or a range of the file.
type field struct {
	num protowire.Number
	typ protowire.Type
	val uint64
	span
}

func malformed(path, format string, args ...any) error {
	return &graph.Error{Code: action.CodeFile, Path: path, Message: quantity.Sprintf(format, args...)}
}

func tooLarge(limit int64, path, format string, args ...any) error {
	return &graph.Error{Code: graph.CodeBytes, Path: path, Message: fmt.Sprintf(format, args...), Limit: limit}
}

// peek returns up to n bytes at a position, fewer at the end of the file. They are valid until the next call.
func (s *source) peek(at int64, n int) ([]byte, error) {
	if at < s.start || at+int64(n) > s.start+int64(len(s.window)) {
		if err := s.fill(at); err != nil {
			return nil, err
		}
	}
	rest := s.window[at-s.start:]
	return rest[:min(n, len(rest))], nil
}

func (s *source) fill(at int64) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	n := min(int64(windowBytes), s.size-at)
	if cap(s.window) < windowBytes {
		s.window = make([]byte, windowBytes)
	}
	s.window, s.start = s.window[:n], at
	if _, err := s.r.ReadAt(s.window, at); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("onnx: read at %d: %w", at, err)
	}
	return nil
}

// read copies a range of the file.
func (s *source) read(in span) ([]byte, error) {
	if in.at < 0 || in.end < in.at || in.end > s.size {
		return nil, malformed("", "the file ends at %d, before the end of what starts at %d", s.size, in.at)
	}
	out := make([]byte, in.size())
	if n, err := s.r.ReadAt(out, in.at); n < len(out) && err != nil {
		return nil, fmt.Errorf("onnx: read at %d: %w", in.at, err)
	}
	return out, s.ctx.Err()
}

// text reads a name or a string.
func (s *source) text(f field) (string, error) {
	if f.size() > maxText {
		return "", tooLarge(maxText, "", "a string of %d bytes at %d is longer than %d", f.size(), f.at, maxText)
	}
	if f.size() <= windowBytes/2 {
		b, err := s.peek(f.at, int(f.size()))
		return string(b), err
	}
	b, err := s.read(f.span)
	return string(b), err
}

// each calls f for every field of the message in a range of the file.
func (s *source) each(in span, what string, f func(field) error) error {
	for at := in.at; at < in.end; {
		next, got, err := s.field(at, in.end, what)
		if err != nil {
			return err
		}
		if err := f(got); err != nil {
			return err
		}
		at = next
	}
	return nil
}

// field reads the field at a position of a message that ends at end, and says where the next one starts.
func (s *source) field(at, end int64, what string) (int64, field, error) {
	bad := func(why string) (int64, field, error) {
		return 0, field{}, malformed("", "%s is damaged at byte %d: %s", what, at, why)
	}
	if s.fields++; s.fields > maxFields {
		return 0, field{}, tooLarge(maxFields, "", "the file has more than %d fields", maxFields)
	}
	const longest = 5 + 10 // a tag and a varint
	b, err := s.peek(at, int(min(longest, end-at)))
	if err != nil {
		return 0, field{}, err
	}
	num, typ, n := protowire.ConsumeTag(b)
	if n < 0 {
		return bad("no field starts there")
	}
	got := field{num: num, typ: typ}
	var m int
	switch typ {
	case protowire.VarintType, protowire.BytesType:
		got.val, m = protowire.ConsumeVarint(b[n:])
	case protowire.Fixed32Type:
		var v uint32
		v, m = protowire.ConsumeFixed32(b[n:])
		got.val = uint64(v)
	case protowire.Fixed64Type:
		got.val, m = protowire.ConsumeFixed64(b[n:])
	default:
		return bad("groups are not part of the format")
	}
	if m < 0 {
		return bad("it ends within a field")
	}
	next := at + int64(n+m)
	if typ == protowire.BytesType {
		if got.val > uint64(end-next) {
			return bad(fmt.Sprintf("a length of %d goes beyond its end at %d", got.val, end))
		}
		got.span = span{next, next + int64(got.val)}
		next = got.end
	}
	return next, got, nil
}

// ints reads a repeated integer, which is packed or not, behind those read before.
func (s *source) ints(list []int64, f field, limit int) ([]int64, error) {
	if f.typ != protowire.BytesType {
		list = append(list, int64(f.val))
		return list, s.withinList(len(list), limit)
	}
	for at := f.at; at < f.end; {
		b, err := s.peek(at, int(min(10, f.end-at)))
		if err != nil {
			return nil, err
		}
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return nil, malformed("", "a list of integers is damaged at byte %d", at)
		}
		list = append(list, int64(v))
		if err := s.withinList(len(list), limit); err != nil {
			return nil, err
		}
		at += int64(n)
	}
	return list, nil
}

func (s *source) withinList(n, limit int) error {
	if n > limit {
		return tooLarge(int64(limit), "", "a list has more than %d entries", limit)
	}
	return nil
}
