package op

// fromInput, fromOutput and scaling are functions of each element by itself: their slope is computed of what arrived, of the result, or is a
// constant.
var (
	fromInput  = &Op{Name: "pointwise", Saves: savesInput, Pointwise: true, Forward: 1, Back: 1}
	fromOutput = &Op{Name: "pointwise of the result", Saves: savesOutput, Pointwise: true, Forward: 1, Back: 1}
	scaling    = &Op{Name: "scale", Pointwise: true, Forward: 1, Back: 1}
	wideInput  = &Op{Name: "wide pointwise", Autocast: Widens, Saves: savesInput, Pointwise: true, Forward: 1, Back: 1}
	wideOutput = &Op{Name: "wide pointwise of the result", Autocast: Widens, Saves: savesOutput, Pointwise: true, Forward: 1, Back: 1}
)

// OfInput is a function whose backward pass reads what arrived: GELU, SiLU, a sine.
func OfInput(p *Program, x Value) Value { return p.do(fromInput, Tensor{Shape: p.Shape(x)}, x).Out }

// OfOutput is a function whose backward pass reads the result: ReLU, tanh, sigmoid.
func OfOutput(p *Program, x Value) Value { return p.do(fromOutput, Tensor{Shape: p.Shape(x)}, x).Out }

// Scale is a multiple of each element, or its sum with a number: its backward pass reads neither.
func Scale(p *Program, x Value) Value { return p.do(scaling, Tensor{Shape: p.Shape(x)}, x).Out }

// WideOfInput and WideOfOutput are such functions that autocast takes in 32 bits: powers, exponentials, softplus.
func WideOfInput(p *Program, x Value) Value { return p.do(wideInput, Tensor{Shape: p.Shape(x)}, x).Out }

// WideOfOutput is one whose backward pass reads the result.
func WideOfOutput(p *Program, x Value) Value {
	return p.do(wideOutput, Tensor{Shape: p.Shape(x)}, x).Out
}
