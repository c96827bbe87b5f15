package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// Logits is a linear layer to logits, or any other.
type Logits struct {
	Biased bool // a buffer is added to them, final_logits_bias of BART's kind, which autocast leaves in 32 bits
	Wide   bool // the hyperbolic tangent that caps them is taken of a 32-bit copy
	Recast bool // what arrives is cast to the width of the weight
	Remade bool // the matrix is joined of several in each pass
	Added  bool // a bias is added to the product
}

var (
	_ = usual(Logits{}, "linear", "lmHead")

	_ = register("BartForConditionalGeneration", "a buffer added to the logits", Logits{Biased: true}, "lmHead")
	_ = register("xLSTMForCausalLM", "logits capped in fp32", Logits{Wide: true}, "lmHead")
	_ = register("MobileBertLMPredictionHead", "a weight computed anew in each pass", Logits{Remade: true}, "linear", "lmHead")
	_ = register("FalconLinear", "a bias added to the product", Logits{Added: true}, "linear")
	_ = register("T5DenseActDense", "an input cast to the width of the weights", Logits{Recast: true}, "linear")
	_ = register("MobileBertLMPredictionHead", "the sum of two products that one product gives", SummedLogits{}, "add")
)

// SummedLogits is the two halves of that product: there is one result.
type SummedLogits struct{}

// Lower adds the second to the first.
func (SummedLogits) Lower(l *catalog.Lowering) op.Value {
	if len(l.X) != 2 || !l.In[1].Equal(l.Out) || !l.In[0].Equal(l.Out) {
		return Same{}.Lower(l)
	}
	return op.AddInPlace(l.P, l.X[0], l.X[1])
}

// Lower is torch.nn.Linear, and what the model's code does behind it.
func (h Logits) Lower(l *catalog.Lowering) op.Value {
	if h.Recast || !l.P.Precision.Autocast { // hidden_states.to(self.wo.weight.dtype); F.linear takes nothing else
		l.X[0] = op.To(l.P, l.X[0], l.P.Precision.Width(op.Float))
	}
	y := h.product(l)
	if h.Biased {
		y = op.Add(l.P, y, l.P.Buffer(op.Float, l.P.Shape(y)[len(l.P.Shape(y))-1]))
	}
	if given(l, "softcap") { // logits / cap, tanh, * cap
		if h.Wide {
			y = op.To(l.P, y, 4)
		}
		y = op.Scale(l.P, op.OfOutput(l.P, op.Scale(l.P, y)))
	}
	return y
}

// product is the linear layer. MobileBertLMPredictionHead multiplies with torch.cat([self.decoder.weight.t(), self.dense.weight]).
func (h Logits) product(l *catalog.Lowering) op.Value {
	weight := l.W("weight")
	if !h.Remade || weight == op.None {
		return l.Map(l.X[0], "")
	}
	return op.Linear(l.P, l.X[0], op.Concatenate(l.P, l.P.Shape(weight), weight), l.W("bias"))
}

// Last is a module with the loss that its model takes where its result is the logits.
type Last struct {
	catalog.Module
	Plain bool // the loss is taken of the logits as they are, and not of a 32-bit copy
}

// Loss is ForCausalLMLoss of loss_utils.py, or CrossEntropyLoss as older classes call it. The model's forward method has a name for the logits until
// it returns.
func (h Last) Loss(p *op.Program, logits, targets op.Value) op.Value {
	of := logits
	if !h.Plain {
		of = op.To(p, logits, 4)
	}
	loss := op.CrossEntropy(p, of, targets)
	op.Alive(p, logits)
	return loss
}
