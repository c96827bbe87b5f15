package onnx

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/quantity"
)

// value is one tensor of the computation. A constant depends on no input; its numbers are known only where it is small.
type value struct {
	name   string
	elem   elemType
	shape  []int64
	shaped bool  // whether the shape is known
	def    *node // nil for inputs and constants
	konst  bool
	num    *numbers
	parts  []part   // what a constant was made of
	stored *tensor  // where a constant is a stored tensor as it is
	cut    *cut     // where it is a range of one
	origin *value   // what it was before changes of precision, where there were any
	row    *tensor  // where it is the first row of one, again and again
	items  []*value // of a sequence

	literal, trained answer               // whether it is either
	patterns         [patternCount]answer // and whether it has these
}

// answer is yes or no once something was asked, and 0 before: of values there are very many.
type answer uint8

// asked answers a question once.
func (a *answer) asked(question func() bool) bool {
	const no, yes = 1, 2
	if *a == 0 {
		*a = no
		if question() {
			*a = yes
		}
	}
	return *a == yes
}

// part is a stored tensor, or a piece of one, that went into a constant. Pieces of one tensor have different keys.
type part struct {
	t    *tensor
	key  string
	size int64
}

// cut is a range of one axis of a stored tensor.
type cut struct {
	t          *tensor
	axis       int
	start, end int64
}

func (v *value) size() int64 {
	n, ok := quantity.Mul(v.shape...)
	if !ok {
		return -1
	}
	return n
}

// source is a value as it was before changes of precision.
func (v *value) source() *value {
	if v.origin != nil {
		return v.origin
	}
	return v
}

func (v *value) rank() int { return len(v.shape) }

// stored makes a constant of a stored tensor.
func storedValue(t *tensor) *value {
	return &value{name: t.name, elem: t.elem, shape: t.dims, shaped: true, konst: true, stored: t, parts: []part{{t, t.name, t.size}}}
}

// isLiteral reports whether nothing in a constant comes from an initializer.
func (v *value) isLiteral() bool {
	return v.literal.asked(func() bool {
		return v.konst && !slices.ContainsFunc(v.parts, func(p part) bool { return !p.t.literal })
	})
}

// node is one operator whose inputs and results are known. Fused ones have an operator name of ours.
type node struct {
	name, op string
	opset    int64
	in, out  []*value
	believed string   // why its shapes are those that the file declares
	outer    []*value // what a graph inside the node reads of those around it
	attrs    []protoAttr
	scopes   string
}

// label is what messages call a node.
func (n *node) label() string {
	if n.name != "" {
		return n.name
	}
	for _, v := range n.out {
		if v != nil && v.name != "" {
			return v.name
		}
	}
	return n.op
}

func (n *node) path() string { return fmt.Sprintf("node %s (%s)", n.label(), n.op) }

func (n *node) errorf(format string, args ...any) error { return malformed(n.path(), format, args...) }

// input returns an input, nil where it is left out.
func (n *node) input(i int) *value {
	if i < len(n.in) {
		return n.in[i]
	}
	return nil
}

func (n *node) attr(name string) *protoAttr {
	for i := range n.attrs {
		if n.attrs[i].name == name {
			return &n.attrs[i]
		}
	}
	return nil
}

func (n *node) int(name string, otherwise int64) int64 {
	if a := n.attr(name); a != nil {
		return a.i
	}
	return otherwise
}

func (n *node) float(name string, otherwise float64) float64 {
	if a := n.attr(name); a != nil {
		return shorten(a.f)
	}
	return otherwise
}

func (n *node) str(name, otherwise string) string {
	if a := n.attr(name); a != nil {
		return a.s
	}
	return otherwise
}

func (n *node) intList(name string) []int64 {
	if a := n.attr(name); a != nil {
		return a.ints
	}
	return nil
}

// intsOr returns a list attribute, or n times the same.
func (n *node) intsOr(name string, count int, otherwise int64) []int64 {
	if list := n.intList(name); list != nil {
		return list
	}
	return slices.Repeat([]int64{otherwise}, count)
}

// isSame reports whether a node passes its input on, or changes only its precision.
func (n *node) isSame() bool {
	if len(n.in) == 0 || n.in[0] == nil || len(n.out) == 0 || n.out[0] == nil {
		return false
	}
	return n.op == "Identity" || (n.op == "Cast" || n.op == "CastLike") && n.in[0].elem.isFloat() && n.out[0].elem.isFloat()
}

// operator is what the importer knows of an ONNX operator.
type operator struct {
	// shape sets the shapes and types of the results. It returns errUnknown where they cannot be known.
	shape func(*reading, *node) error
	// fold computes the only result from inputs whose numbers are known.
	fold func(*reading, *node) (*numbers, error)
	// emit makes components of it. Without it the operator becomes a customModule.
	emit func(*emitter, *node) error
	// constant says that emit can do with a constant as the first input.
	constant bool
	// several says that emit can do without the first result, which a file may leave out.
	several bool
}

var operators = map[string]operator{}

// register adds an operator. Each is defined once.
func register(name string, op operator) operator {
	if _, twice := operators[name]; twice {
		panic("onnx: " + name + " is defined twice")
	}
	operators[name] = op
	return op
}

// unknownShape says that a shape is not decided by the file's constants.
type unknownShape struct{ why string }

func (u unknownShape) Error() string { return u.why }

// set gives a result its type and shape.
func (n *node) set(i int, elem elemType, shape []int64) {
	if i < len(n.out) && n.out[i] != nil {
		n.out[i].elem, n.out[i].shape, n.out[i].shaped = elem, shape, true
	}
}

// need refuses a node with fewer inputs than an operator has.
func (n *node) need(count int) error {
	for i := range count {
		if n.input(i) == nil {
			return n.errorf("input %d is missing", i)
		}
	}
	return nil
}

// axis brings an axis into 0..rank-1.
func (n *node) axis(axis int64, rank int) (int, error) {
	if axis < -int64(rank) || axis >= int64(rank) {
		return 0, n.errorf("axis %d is out of range for %d axes", axis, rank)
	}
	if axis < 0 {
		axis += int64(rank)
	}
	return int(axis), nil
}

// maxConstant is the largest constant whose numbers are computed, and maxWeight the largest stored float tensor that is read
// for that: weights are not. maxFolded bounds all of them together.
const (
	maxConstant = 1 << 20
	maxWeight   = 1 << 10
	maxFolded   = 1 << 23
)

// numbers returns the elements of a constant, nil where it is none or too large.
func (im *reading) numbers(v *value) (*numbers, error) {
	if v == nil || !v.konst || v.num != nil || v.stored == nil {
		if v == nil {
			return nil, nil
		}
		return v.num, nil
	}
	limit := int64(maxConstant)
	if v.elem.isFloat() && !v.stored.literal {
		limit = maxWeight
	}
	if v.stored.size > limit || !im.budget(v.stored.size) {
		return nil, nil
	}
	num, err := im.load(v.stored, v.stored.size)
	v.num = num
	return num, err
}

func (im *reading) budget(n int64) bool {
	im.folded += n
	return im.folded <= maxFolded
}

// intsOf returns the elements of an integer constant, and refuses the node where they are not known.
func (im *reading) intsOf(n *node, i int, what string) ([]int64, error) {
	num, err := im.numbers(n.in[i])
	if err != nil {
		return nil, err
	}
	if num == nil {
		return nil, unknownShape{fmt.Sprintf("its %s are computed when the model runs", what)}
	}
	if num.ints == nil {
		return nil, n.errorf("its %s are not integers", what)
	}
	return num.ints, im.walks(n, int64(len(num.ints)))
}

// listed returns a list that younger operator sets give as an input and older ones as an attribute.
func (im *reading) listed(n *node, input int, attr string) (list []int64, given bool, err error) {
	if n.input(input) != nil {
		list, err = im.intsOf(n, input, attr)
		return list, true, err
	}
	a := n.attr(attr)
	if a == nil {
		return nil, false, nil
	}
	return a.ints, true, nil
}

// scalar returns the only element of a constant.
func (im *reading) scalar(v *value) (float64, bool) {
	if v == nil || !v.konst || v.size() != 1 {
		return 0, false
	}
	num, err := im.numbers(v)
	if err != nil || num == nil || num.len() != 1 {
		return 0, false
	}
	return num.float(0), true
}

// scopeOf is the path of the module that a node belongs to, as far as its name or its notes tell.
func (n *node) scope() string {
	if n.scopes != "" { // ['', 'layers.0', 'layers.0.conv', 'conv2d']
		names := strings.Split(strings.Trim(n.scopes, "[]"), ",")
		if len(names) >= 2 {
			return strings.Trim(names[len(names)-2], " '\"")
		}
	}
	if strings.HasPrefix(n.name, "/") { // /layers.0/conv/Conv
		if at := strings.LastIndexByte(n.name, '/'); at > 0 {
			return strings.ReplaceAll(n.name[1:at], "/", ".")
		}
	}
	return ""
}
