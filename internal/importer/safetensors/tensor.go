package safetensors

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// bitsOf is the size of one number of every type of the format (safetensors 0.8, tensor.rs).
var bitsOf = map[string]int64{
	"F4": 4, "F6_E2M3": 6, "F6_E3M2": 6,
	"BOOL": 8, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8,
	"I16": 16, "U16": 16, "F16": 16, "BF16": 16,
	"I32": 32, "U32": 32, "F32": 32,
	"I64": 64, "U64": 64, "F64": 64, "C64": 64,
}

// DTypeBits returns the size of one number of a type, and whether the format has that type.
func DTypeBits(dtype string) (int64, bool) {
	n, ok := bitsOf[dtype]
	return n, ok
}

func dtypes() []string {
	names := make([]string, 0, len(bitsOf))
	for name := range bitsOf {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// tensor reads the object behind a tensor's name, and checks that its shape and type take as many bytes as its offsets span. Members that the
// format does not have are stepped over, as its own library does.
func (s *scanner) tensor(name string) (t entry, e *graph.Error) {
	t.Name = name
	const hasType, hasShape, hasOffsets = 1, 2, 4
	seen := 0
	e = s.object(func(key string) (e *graph.Error) {
		var bit int
		switch key {
		case "dtype":
			bit = hasType
			t.DType, e = s.str("a type as text")
		case "shape":
			bit = hasShape
			t.Shape, e = s.shape(name)
		case "data_offsets":
			bit = hasOffsets
			t.begin, t.end, e = s.offsets(name)
		default:
			return s.skip(0)
		}
		if e == nil && seen&bit != 0 {
			e = bad(s.file, "tensor %s has %s twice", quoted(name), key)
		}
		seen |= bit
		return e
	})
	if e != nil {
		return t, e
	}
	if missing := (hasType | hasShape | hasOffsets) &^ seen; missing != 0 {
		return t, bad(s.file, "tensor %s has no %s", quoted(name), [...]string{"dtype", "shape", "data_offsets"}[bits.TrailingZeros(uint(missing))])
	}
	return t, s.size(&t)
}

// shape reads the sizes of the axes into a shared list, since most headers hold a hundred thousand short ones.
func (s *scanner) shape(name string) ([]int64, *graph.Error) {
	if cap(s.ints)-len(s.ints) < maxAxes {
		s.ints = make([]int64, 0, 4096)
	}
	start := len(s.ints)
	e := s.list(func() *graph.Error {
		n, e := s.integer("the size of an axis")
		if len(s.ints)-start == maxAxes {
			return bad(s.file, "tensor %s has more than %d axes", quoted(name), maxAxes)
		}
		s.ints = append(s.ints, n)
		return e
	})
	return s.ints[start:len(s.ints):len(s.ints)], e
}

// offsets reads where the data begins and ends.
func (s *scanner) offsets(name string) (begin, end int64, e *graph.Error) {
	n := 0
	e = s.list(func() (e *graph.Error) {
		switch n++; n {
		case 1:
			begin, e = s.integer("an offset")
		case 2:
			end, e = s.integer("an offset")
		default:
			e = bad(s.file, "tensor %s has more than 2 data_offsets", quoted(name))
		}
		return e
	})
	if e == nil && n != 2 {
		e = bad(s.file, "tensor %s has %d data_offsets, needs 2", quoted(name), n)
	}
	if e == nil && end < begin {
		e = bad(s.file, "tensor %s ends at byte %d, before it begins at %d", quoted(name), end, begin)
	}
	return begin, end, e
}

// size fills in the bytes of a tensor and refuses one whose offsets say otherwise.
func (s *scanner) size(t *entry) *graph.Error {
	width, known := bitsOf[t.DType]
	if !known {
		e := bad(s.file, "tensor %s has type %s, which is none of %s", quoted(t.Name), quoted(t.DType), strings.Join(dtypes(), ", "))
		e.Allowed = dtypes()
		return e
	}
	elements, fits := quantity.Mul(t.Shape...)
	total, fitsToo := quantity.Mul(elements, width)
	if !fits || !fitsToo {
		return bad(s.file, "tensor %s of shape %s has more numbers than can be counted", quoted(t.Name), importer.ShapeText(t.Shape))
	}
	if total%8 != 0 {
		return bad(s.file, "tensor %s of shape %s and type %s takes %d bits, which are no whole bytes", quoted(t.Name), importer.ShapeText(t.Shape), t.DType, total)
	}
	t.Bytes = total / 8
	if t.end-t.begin != t.Bytes {
		return bad(s.file, "tensor %s of shape %s and type %s takes %d bytes, but its data_offsets span %d",
			quoted(t.Name), importer.ShapeText(t.Shape), t.DType, t.Bytes, t.end-t.begin)
	}
	return nil
}

// place orders tensors by their data and demands that they fill it: one behind the other, with no overlap, no hole and nothing behind the last.
func place(entries []entry, dataBytes int64, file string) error {
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end), strings.Compare(a.Name, b.Name))
	})
	at := int64(0)
	for i := range entries {
		t := &entries[i]
		switch {
		case t.end > dataBytes:
			return bad(file, "tensor %s ends at byte %d of the data, but the file has %d: it is cut short", quoted(t.Name), t.end, dataBytes)
		case t.begin > at:
			return bad(file, "bytes %d to %d of the data belong to no tensor: %s begins behind them", at, t.begin, quoted(t.Name))
		case t.begin < at:
			return bad(file, "tensor %s begins at byte %d of the data, within %s, which ends at %d", quoted(t.Name), t.begin, quoted(entries[i-1].Name), at)
		}
		at = t.end
	}
	if at != dataBytes {
		return bad(file, "the tensors end at byte %d of the data, but the file has %d", at, dataBytes)
	}
	return nil
}
