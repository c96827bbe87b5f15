package torch

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// Input is one argument of forward: a tensor, a Python value, or a list, tuple or dictionary of them.
type Input struct {
	Name  string  // of the argument, where it is given by name
	Shape []int64 // of a tensor, without the batch
	DType string  // float32 if empty; int64 and the like for token ids
	Batch int64   // how many samples were given; 0 where nobody said
	// At is the axis of PyTorch's shape that the batch is.
	At        int
	Unbatched bool // the tensor has no batch: Shape is all of it
	// Literal is a Python value as it is written, such as 5 or None, in place of a tensor.
	Literal string
	// Kind is list, tuple or dict where the argument is one of Items, which have names in a dictionary.
	Kind  string
	Items []Input
}

// inputTypes are the kinds of numbers that an input can hold, with the word that PyTorch has for each.
var inputTypes = map[string]string{
	"": "", "float": "float32", "float32": "float32", "float16": "float16", "half": "float16", "bfloat16": "bfloat16", "double": "float64",
	"float64": "float64", "int": "int64", "int64": "int64", "long": "int64", "int32": "int64", "bool": "bool",
}

// maxInputText is how long a list of inputs may be written, in bytes: each of its brackets is read level by level.
const maxInputText = 64 << 10

// maxInputNesting is how deep lists of inputs may lie in each other.
const maxInputNesting = 8

var (
	argumentName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	sizesText    = regexp.MustCompile(`^[0-9\s]*[,xX][0-9,xXB\s]*$|^B\b`)
)

// ParseInputs reads what --input gives: one argument, or several with semicolons between them.
func ParseInputs(text string) ([]Input, error) {
	if len(text) > maxInputText {
		return nil, fmt.Errorf("the inputs are written with %d bytes, more than %d", len(text), maxInputText)
	}
	parts, err := apartAt(text)
	if err != nil {
		return nil, err
	}
	var out []Input
	for _, p := range parts {
		in, err := parseInput(p)
		if err != nil {
			return nil, err
		}
		out = append(out, in)
	}
	return out, nil
}

// apartAt cuts a text at the semicolons that are in no bracket and no quotes.
func apartAt(text string) ([]string, error) {
	var out []string
	var open []rune
	from, quote := 0, rune(0)
	for i, c := range text {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '[' || c == '(' || c == '{':
			open = append(open, c)
		case c == ']' || c == ')' || c == '}':
			if len(open) == 0 || open[len(open)-1] != map[rune]rune{']': '[', ')': '(', '}': '{'}[c] {
				return nil, fmt.Errorf("%q closes what was not opened", string(c))
			}
			open = open[:len(open)-1]
		case c == ';' && len(open) == 0:
			out, from = append(out, text[from:i]), i+1
		}
		if len(open) > maxInputNesting {
			return nil, fmt.Errorf("lists lie more than %d deep in each other", maxInputNesting)
		}
	}
	if len(open) > 0 || quote != 0 {
		return nil, errors.New("a bracket or a quotation mark is not closed")
	}
	return append(out, text[from:]), nil
}

// parseInput reads one argument, which may have a name.
func parseInput(text string) (Input, error) {
	text = strings.TrimSpace(text)
	name, rest, named := nameOf(text)
	if !named {
		return parseValue(text, false)
	}
	in, err := parseValue(rest, true)
	in.Name = name
	return in, err
}

// nameOf cuts a name and a sign of equality off an argument.
func nameOf(text string) (name, rest string, named bool) {
	name, rest, named = strings.Cut(text, "=")
	name = strings.TrimSpace(name)
	return name, strings.TrimSpace(rest), named && (name == "" || argumentName.MatchString(name))
}

// parseValue reads a tensor, a container, or, where a value may stand, a Python value.
func parseValue(text string, mayBeValue bool) (Input, error) {
	if text == "" && mayBeValue {
		return Input{}, errors.New("a value is missing behind =")
	}
	if n := len(text); n > 1 {
		kind := map[string]string{"[]": "list", "()": "tuple", "{}": "dict"}[text[:1]+text[n-1:]]
		if inner := text[1:max(1, n-1)]; kind != "" && (strings.ContainsAny(inner, ";=") || kind == "dict" || mayBeValue && !sizesText.MatchString(inner) && inner != "") {
			return parseItems(kind, inner)
		}
	}
	if _, ok := literalValue(text); ok && mayBeValue {
		return Input{Literal: text}, nil
	}
	return parseTensor(text)
}

func parseItems(kind, inner string) (Input, error) {
	in := Input{Kind: kind}
	parts, err := apartAt(inner)
	if err != nil {
		return in, err
	}
	for i, p := range parts {
		if p = strings.TrimSpace(p); p == "" && i == len(parts)-1 {
			break // a ; behind the last
		}
		item, err := parseItem(p)
		switch {
		case err != nil:
			return in, err
		case (item.Name != "") != (kind == "dict"):
			return in, fmt.Errorf("a %s has %q in it", kind, p)
		}
		in.Items = append(in.Items, item)
	}
	return in, nil
}

// parseItem reads what stands in a container: the entry of a dictionary, which has a name, or any value. What seems to have a name but
// is no entry is a value that has a sign of equality in it, or none.
func parseItem(text string) (Input, error) {
	if name, rest, named := nameOf(text); named && name != "" {
		if in, err := parseValue(rest, true); err == nil {
			in.Name = name
			return in, nil
		}
	}
	return parseValue(text, true)
}

// maxLiteral is how long a Python value may be written.
const maxLiteral = 4096

// literalValue reads a number, True, False, None or a string in quotes.
func literalValue(text string) (interp.Value, bool) {
	if len(text) > maxLiteral {
		return nil, false
	}
	file, err := python.Parse("", text+"\n")
	if err != nil || len(file.Body) != 1 {
		return nil, false
	}
	x, ok := file.Body[0].(*python.ExprStmt)
	if !ok {
		return nil, false
	}
	switch v := x.X.(type) {
	case *python.Const:
		switch v.Value.(type) {
		case nil, bool, int64, float64, string:
			return v.Value, true
		}
	case *python.Unary:
		c, _ := v.X.(*python.Const)
		if c == nil || v.Op != "-" {
			return nil, false
		}
		switch n := c.Value.(type) {
		case int64:
			return -n, true
		case float64:
			return -n, true
		}
	}
	return nil, false
}

// parseTensor reads sizes, and behind colons the kind of number and whether there is no batch.
func parseTensor(text string) (Input, error) {
	fields := strings.Split(text, ":")
	in := Input{}
	for _, f := range fields[1:] {
		word := strings.TrimPrefix(strings.TrimSpace(f), "torch.")
		dtype, known := inputTypes[word]
		switch {
		case word == "unbatched":
			in.Unbatched = true
		case !known:
			return in, fmt.Errorf("%q is no kind of number that an input holds (float32, float16, bfloat16, float64, int64 or bool)", f)
		default:
			in.DType = dtype
		}
	}
	sizes := strings.TrimSpace(fields[0])
	if n := len(sizes); n > 1 && (sizes[0] == '(' && sizes[n-1] == ')' || sizes[0] == '[' && sizes[n-1] == ']') {
		sizes = strings.TrimSpace(sizes[1 : n-1])
	}
	if sizes == "" {
		return in, nil // a single number for each sample
	}
	withBatch := strings.Contains(sizes, ",")
	if withBatch && strings.ContainsAny(sizes, "xX") {
		return in, fmt.Errorf("it mixes commas and x: for several inputs write %s", strings.Join(separate(sizes), ";"))
	}
	list := strings.FieldsFunc(strings.TrimSuffix(sizes, ","), func(r rune) bool { return r == ',' || r == 'x' || r == 'X' })
	if strings.Count(strings.TrimSuffix(sizes, ","), ",")+strings.Count(strings.ToLower(sizes), "x")+1 != len(list) {
		return in, errors.New("a size is missing")
	}
	return in, in.setSizes(list, withBatch)
}

// setSizes reads sizes. The batch is the one that is called B, else the first where there are commas.
func (in *Input) setSizes(list []string, withBatch bool) error {
	at := -1
	for i, size := range list {
		size = strings.TrimSpace(size)
		if size == "B" && at < 0 && !in.Unbatched {
			at = i
			continue
		}
		n, err := strconv.ParseInt(size, 10, 64)
		if err != nil || n < 1 {
			return errors.New(strconv.Quote(size) + " is no size")
		}
		in.Shape = append(in.Shape, n)
	}
	switch {
	case at >= 0:
		in.At = at
	case withBatch && !in.Unbatched:
		in.Batch, in.Shape = in.Shape[0], slices.Clone(in.Shape[1:])
	}
	return nil
}

// separate cuts what an older release took for several inputs.
func separate(sizes string) []string {
	parts := strings.Split(sizes, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// String writes an input as --input takes it.
func (in Input) String() string {
	text := in.Literal
	switch {
	case in.Kind != "":
		parts := make([]string, len(in.Items))
		for i, item := range in.Items {
			parts[i] = item.String()
		}
		shut := map[string]string{"list": "[]", "tuple": "()", "dict": "{}"}[in.Kind]
		text = shut[:1] + strings.Join(parts, ";") + shut[1:]
	case in.Literal == "":
		text = in.tensorText()
	}
	if in.Name != "" {
		return in.Name + "=" + text
	}
	return text
}

func (in Input) tensorText() string {
	parts := make([]string, len(in.Shape))
	for i, n := range in.Shape {
		parts[i] = strconv.FormatInt(n, 10)
	}
	text := strings.Join(parts, "x")
	if in.At > 0 {
		text = strings.Join(slices.Insert(parts, min(in.At, len(parts)), "B"), ",")
	}
	if in.DType != "" {
		text += ":" + in.DType
	}
	if in.Unbatched {
		text += ":unbatched"
	}
	return text
}

func (in *Input) isInt() bool {
	switch in.DType {
	case "int64", "int32", "int16", "int8", "uint8", "long", "int":
		return true
	}
	return false
}

// tensors are the tensors of inputs, those in containers among them.
func tensorsIn(inputs []Input) []Input {
	var out []Input
	for _, in := range inputs {
		switch {
		case in.Kind != "":
			out = append(out, tensorsIn(in.Items)...)
		case in.Literal == "":
			out = append(out, in)
		}
	}
	return out
}

// batchOf is the batch that the inputs were given with; 0 where none says one.
func batchOf(inputs []Input) int64 {
	for _, in := range tensorsIn(inputs) {
		if in.Batch > 0 {
			return in.Batch
		}
	}
	return 0
}
