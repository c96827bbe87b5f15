package load

import (
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/importer/torch"
	"github.com/modelverifier/verifier/internal/quantity"
)

const inputForms = "write 1,3,224,224 with the batch in front, or 3x224x224 without it, and the kind of number behind a colon where it is not float32, " +
	"as 1,128:int64; give several inputs one by one, or with ; between them; write name=5 or name=None for an argument that is no tensor"

// inputShapes reads what --input gives. One input is 1,3,224,224, with the batch in front as torch.randn takes it, or 3x224x224, without;
// several are given one by one or separated by semicolons.
func inputShapes(texts []string) ([]torch.Input, error) {
	var out []torch.Input
	for _, text := range texts {
		inputs, err := torch.ParseInputs(text)
		if err != nil {
			return nil, action.Errorf(action.CodeForm, "--input", "is %q, but %v: %s", text, err, quantity.Own(inputForms))
		}
		out = append(out, inputs...)
	}
	return out, nil
}
