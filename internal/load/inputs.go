package load

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/importer/torch"
	"github.com/modelverifier/verifier/internal/quantity"
)

// inputDTypes are the kinds of numbers that an input can hold, with the word that a graph has for each.
var inputDTypes = map[string]string{
	"": "", "float": "float32", "float32": "float32", "float16": "float16", "half": "float16", "bfloat16": "bfloat16",
	"int": "int64", "int64": "int64", "long": "int64", "int32": "int64",
}

const inputForms = "write 1,3,224,224 with the batch in front, or 3x224x224 without it, and the kind of number behind a colon where it is not float32, " +
	"as 1,128:int64; give several inputs one by one, or with ; between them"

// inputShapes reads what --input gives. One input is 1,3,224,224, with the batch in front as torch.randn takes it, or 3x224x224, without;
// several are given one by one or separated by semicolons.
func inputShapes(texts []string) ([]torch.Input, error) {
	var out []torch.Input
	for _, text := range texts {
		for one := range strings.SplitSeq(text, ";") {
			in, err := inputShape(strings.TrimSpace(one))
			if err != nil {
				return nil, action.Errorf(action.CodeForm, "--input", "is %q, but %v: %s", one, err, quantity.Own(inputForms))
			}
			out = append(out, in)
		}
	}
	return out, nil
}

func inputShape(text string) (torch.Input, error) {
	sizes, kind, _ := strings.Cut(text, ":")
	dtype, known := inputDTypes[strings.TrimPrefix(strings.TrimSpace(kind), "torch.")]
	in := torch.Input{DType: dtype}
	if !known {
		return in, fmt.Errorf("%q is no kind of number that an input holds (float32, float16, bfloat16 or int64)", kind)
	}
	sizes = strings.TrimSpace(sizes)
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
	for _, size := range list {
		n, err := strconv.ParseInt(strings.TrimSpace(size), 10, 64)
		if err != nil || n < 1 {
			return in, errors.New(strconv.Quote(strings.TrimSpace(size)) + " is no size")
		}
		in.Shape = append(in.Shape, n)
	}
	if withBatch {
		in.Shape = slices.Clone(in.Shape[1:])
	}
	return in, nil
}

// separate cuts what an older release took for several inputs.
func separate(sizes string) []string {
	parts := strings.Split(sizes, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}
