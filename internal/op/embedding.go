package op

import "slices"

// embedding looks rows up by index. It saves the indices.
var embedding = &Op{
	Name:     "embedding",
	Saves:    func(_ *Step, save *Saved) { save.Input(0) },
	Backward: func(_ *Step, g *Gradients) { g.New(1) },
	Fits: func(s *Step) bool {
		rows, table, out := s.input(0).Shape, s.input(1).Shape, s.output().Shape
		return len(out) == len(rows)+1 && slices.Equal(out[:len(rows)], rows) && out[len(rows)] == table[1]
	},
	Bound:   ByIndex,
	Forward: 1, Back: 3,
}

// Embedding looks the rows of a table up.
func Embedding(p *Program, indices, table Value) Value {
	shape := append(append([]int64{}, p.Shape(indices)...), p.Shape(table)[1])
	return p.do(embedding, Tensor{Shape: shape}, indices, table).Out
}
