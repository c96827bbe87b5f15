package onnx

import (
	"encoding/binary"
	"io"
	"io/fs"
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelverifier/verifier/internal/quantity"
)

// elemType is TensorProto.DataType.
type elemType int32

// The element types that the importer tells apart.
const (
	elemFloat   elemType = 1
	elemInt32   elemType = 6
	elemInt64   elemType = 7
	elemBool    elemType = 9
	elemHalf    elemType = 10
	elemDouble  elemType = 11
	elemBFloat  elemType = 16
	elemUnknown elemType = 0
)

// elemNames and elemBits are indexed by the type; 0 bits where the size of an element is not fixed.
var (
	elemNames = []string{"undefined", "float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool", "float16", "float64", "uint32",
		"uint64", "complex64", "complex128", "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4", "int4", "float4e2m1", "float8e8m0"}
	elemBits = []int64{0, 32, 8, 8, 16, 16, 32, 64, 0, 8, 16, 64, 32, 64, 64, 128, 16, 8, 8, 8, 8, 4, 4, 4, 8}
)

func (e elemType) String() string {
	if e < 0 || int(e) >= len(elemNames) {
		return "type " + strconv.Itoa(int(e))
	}
	return elemNames[e]
}

func (e elemType) bits() int64 {
	if e < 0 || int(e) >= len(elemBits) {
		return 0
	}
	return elemBits[e]
}

// isFloat reports whether weights can have this type.
func (e elemType) isFloat() bool {
	switch e {
	case elemFloat, elemHalf, elemDouble, elemBFloat, 17, 18, 19, 20, 23, 24:
		return true
	}
	return false
}

// tensor is a stored tensor: what it is, and where its elements lie.
type tensor struct {
	name     string
	elem     elemType
	dims     []int64
	size     int64 // elements
	raw      span
	hasRaw   bool
	typed    []field // float_data and its like, as ranges of the file or single numbers
	dropped  bool    // more pieces than are kept
	external *external
	literal  bool  // stands in a node, not among the initializers
	sines    *bool // whether it is a table of sines, once that was asked
}

// external says where elements lie that are not in the file.
type external struct {
	location       string
	offset, length int64
}

// maxPieces is the number of pieces of unpacked data that are kept: only small constants are ever read.
const maxPieces = 1 << 12

func (d *decoder) readTensor(in span) (*tensor, error) {
	if d.model.tensorsCount++; d.model.tensorsCount > maxTensors {
		return nil, tooLarge(maxTensors, "", "the file has more than %d tensors and values", maxTensors)
	}
	t := &tensor{}
	isExternal := false
	err := d.each(in, "a tensor", func(f field) (err error) {
		switch f.num {
		case 1:
			t.dims, err = d.ints(t.dims, f, maxRank)
		case 2:
			t.elem = elemType(f.val)
		case 4, 5, 7, 10, 11:
			if len(t.typed) < maxPieces {
				t.typed = append(t.typed, f)
			} else {
				t.dropped = true
			}
		case 8:
			t.name, err = d.called(f)
		case 9:
			t.raw, t.hasRaw = f.span, true
		case 13:
			err = d.readExternal(f.span, t)
		case 14:
			isExternal = f.val == 1
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if !isExternal {
		t.external = nil
	} else if t.external == nil {
		t.external = &external{length: -1}
	}
	return t, t.check()
}

func (d *decoder) readExternal(in span, t *tensor) error {
	key, value, err := d.entry(in)
	if err != nil {
		return err
	}
	if t.external == nil {
		t.external = &external{length: -1}
	}
	switch key {
	case "location":
		t.external.location = value
	case "offset":
		t.external.offset, err = strconv.ParseInt(value, 10, 64)
	case "length":
		t.external.length, err = strconv.ParseInt(value, 10, 64)
	}
	if err != nil {
		return malformed("tensor "+t.name, "%s of its external data is %q, which is no number", key, value)
	}
	return nil
}

// check refuses a tensor whose sizes contradict each other.
func (t *tensor) check() error {
	path := "tensor " + t.name
	for _, n := range t.dims {
		if n < 0 {
			return malformed(path, "its shape %v has a negative size", t.dims)
		}
	}
	size, ok := quantity.Mul(t.dims...)
	bits, fits := quantity.Mul(size, max(t.elem.bits(), 1))
	if !ok || !fits {
		return malformed(path, "its shape %v has more elements than can be counted", t.dims)
	}
	t.size = size
	bytes := (bits + 7) / 8
	if t.hasRaw && t.elem.bits() > 0 && t.raw.size() != bytes && t.external == nil {
		return malformed(path, "it holds %d bytes, but %v of %v are %d", t.raw.size(), t.elem, t.dims, bytes)
	}
	e := t.external
	if e == nil {
		return nil
	}
	switch {
	case !fs.ValidPath(e.location) || e.location == "." || strings.ContainsAny(e.location, "\\:"):
		return malformed(path, "its external data is in %q, which is no path below the file's folder", e.location)
	case e.offset < 0 || e.length < -1 || e.offset > math.MaxInt64-max(e.length, bytes):
		return malformed(path, "its external data has offset %d and length %d", e.offset, e.length)
	case e.length >= 0 && t.elem.bits() > 0 && e.length != bytes:
		return malformed(path, "its external data has %d bytes, but %v of %v are %d", e.length, t.elem, t.dims, bytes)
	}
	return nil
}

// numbers are the elements of a small tensor: ints for integers and booleans, floats for the rest.
type numbers struct {
	ints   []int64
	floats []float64
	alike  *bool // whether they are all equal, once that was asked
}

func (n *numbers) len() int { return max(len(n.ints), len(n.floats)) }

// float returns an element as a number with a fraction.
func (n *numbers) float(i int) float64 {
	if n.floats != nil {
		return n.floats[i]
	}
	return float64(n.ints[i])
}

// load reads the first elements of a tensor, up to n of them; nil where they cannot be read.
func (im *reading) load(t *tensor, n int64) (*numbers, error) {
	n = min(n, t.size)
	if im.loaded != nil {
		im.loaded(t, n)
	}
	if n == 0 {
		return emptyNumbers(t.elem), nil
	}
	if t.external == nil && !t.hasRaw {
		return im.loadTyped(t, n)
	}
	width := t.elem.bits() / 8
	if width == 0 {
		return nil, nil
	}
	var raw []byte
	var err error
	if t.external != nil {
		raw, err = im.loadExternal(t, n*width)
	} else {
		raw, err = im.src.read(span{t.raw.at, t.raw.at + n*width})
	}
	if err != nil || raw == nil {
		return nil, err
	}
	return decodeRaw(t.elem, raw), nil
}

func emptyNumbers(e elemType) *numbers {
	if e.isFloat() {
		return &numbers{floats: []float64{}}
	}
	return &numbers{ints: []int64{}}
}

// loadExternal reads the start of a tensor from the file beside the model. Without a folder nothing is read.
func (im *reading) loadExternal(t *tensor, bytes int64) ([]byte, error) {
	if im.opt.Dir == nil {
		return nil, nil
	}
	f, err := im.opt.Dir.Open(t.external.location)
	if err != nil {
		return nil, malformed("tensor "+t.name, "its external data in %q cannot be opened: %v", t.external.location, err)
	}
	defer func() { _ = f.Close() }()
	out := make([]byte, bytes)
	if at, ok := f.(io.ReaderAt); ok {
		_, err = at.ReadAt(out, t.external.offset)
	} else if _, err = io.CopyN(io.Discard, f, t.external.offset); err == nil {
		_, err = io.ReadFull(f, out)
	}
	if err != nil && err != io.EOF {
		return nil, malformed("tensor "+t.name, "its external data in %q cannot be read: %v", t.external.location, err)
	}
	return out, nil
}

// decodeRaw decodes little-endian elements; nil for types that no constant of a graph has.
func decodeRaw(e elemType, raw []byte) *numbers {
	width := int(e.bits() / 8)
	count := len(raw) / width
	out := &numbers{}
	if e.isFloat() {
		out.floats = make([]float64, 0, count)
	} else {
		out.ints = make([]int64, 0, count)
	}
	for ; len(raw) >= width; raw = raw[width:] {
		switch e {
		case elemFloat:
			out.floats = append(out.floats, float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))))
		case elemDouble:
			out.floats = append(out.floats, math.Float64frombits(binary.LittleEndian.Uint64(raw)))
		case elemHalf:
			out.floats = append(out.floats, halfToFloat(binary.LittleEndian.Uint16(raw)))
		case elemBFloat:
			out.floats = append(out.floats, float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(raw))<<16)))
		case 2, elemBool:
			out.ints = append(out.ints, int64(raw[0]))
		case 3:
			out.ints = append(out.ints, int64(int8(raw[0])))
		case 4:
			out.ints = append(out.ints, int64(binary.LittleEndian.Uint16(raw)))
		case 5:
			out.ints = append(out.ints, int64(int16(binary.LittleEndian.Uint16(raw))))
		case elemInt32:
			out.ints = append(out.ints, int64(int32(binary.LittleEndian.Uint32(raw))))
		case 12:
			out.ints = append(out.ints, int64(binary.LittleEndian.Uint32(raw)))
		case elemInt64, 13:
			out.ints = append(out.ints, int64(binary.LittleEndian.Uint64(raw)))
		default:
			return nil
		}
	}
	return out
}

// halfToFloat widens an IEEE 754 binary16.
func halfToFloat(h uint16) float64 {
	sign, exp, frac := 1.0, int(h>>10&31), float64(h&1023)
	if h>>15 == 1 {
		sign = -1
	}
	switch exp {
	case 0:
		return sign * math.Ldexp(frac, -24)
	case 31:
		if frac != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(frac+1024, exp-25)
}

// loadTyped reads elements from float_data, int32_data, int64_data, double_data or uint64_data.
func (im *reading) loadTyped(t *tensor, n int64) (*numbers, error) {
	if t.dropped && n > maxPieces {
		return nil, nil
	}
	out := emptyNumbers(t.elem)
	for _, f := range t.typed {
		if int64(out.len()) >= n {
			break
		}
		b, err := im.pieceBytes(f, n)
		if err != nil {
			return nil, err
		}
		out.appendTyped(t.elem, f.num, b, int(n))
	}
	if t.elem.isFloat() {
		out.ints = nil
	} else {
		out.floats = nil
	}
	if int64(out.len()) < n {
		return nil, malformed("tensor "+t.name, "it holds %d elements of %v, but its shape is %v", out.len(), t.elem, t.dims)
	}
	return out, nil
}

// pieceBytes returns the bytes of a packed list, cut behind n elements, or of a single number.
func (im *reading) pieceBytes(f field, n int64) ([]byte, error) {
	switch f.typ {
	case protowire.BytesType:
		return im.src.read(span{f.at, min(f.end, f.at+10*n)})
	case protowire.Fixed32Type:
		return protowire.AppendFixed32(nil, uint32(f.val)), nil
	case protowire.Fixed64Type:
		return protowire.AppendFixed64(nil, f.val), nil
	}
	return protowire.AppendVarint(nil, f.val), nil
}

func (n *numbers) appendTyped(e elemType, num protowire.Number, b []byte, limit int) {
	for len(b) > 0 && n.len() < limit {
		var v uint64
		var m int
		switch num {
		case 4:
			var w uint32
			w, m = protowire.ConsumeFixed32(b)
			v = math.Float64bits(float64(math.Float32frombits(w)))
		case 10:
			v, m = protowire.ConsumeFixed64(b)
		default:
			v, m = protowire.ConsumeVarint(b)
		}
		if m < 0 {
			return
		}
		b = b[m:]
		switch {
		case num == 4 || num == 10:
			n.floats = append(n.floats, math.Float64frombits(v))
		case e == elemHalf:
			n.floats = append(n.floats, halfToFloat(uint16(v)))
		case e == elemBFloat:
			n.floats = append(n.floats, float64(math.Float32frombits(uint32(v)<<16)))
		case num == 5:
			n.ints = append(n.ints, int64(int32(v)))
		default:
			n.ints = append(n.ints, int64(v))
		}
	}
}
