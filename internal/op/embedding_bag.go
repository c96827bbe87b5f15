package op

// embeddingBag is torch.nn.functional.embedding_bag over bags of one size: it saves the indices, where each bag
// begins, the bag of each index, how many each bag has and, for the maximum, where it was found.
var embeddingBag = &Op{
	Name: "embedding_bag",
	Saves: func(_ *Step, save *Saved) {
		save.Input(0)
		save.Further()
	},
	Backward: func(s *Step, g *Gradients) {
		for range 2 { // the indices, sorted, and their places
			g.Holds(s.input(0).Elems(), Int64, false)
		}
		g.New(1)
	},
	Fits:    func(s *Step) bool { return s.output().Elems() == s.input(1).Shape[1] },
	Bound:   ByIndex,
	Forward: 1, Back: 4,
}

// EmbeddingBag sums, averages or takes the maximum of the rows of a table that the indices of a sample name.
func EmbeddingBag(p *Program, indices, table Value, largest bool) Value {
	features := p.Shape(table)[1]
	s := p.do(embeddingBag, Tensor{Shape: []int64{features}}, indices, table)
	sizes := []int64{1, p.Elems(indices), 1}
	if largest {
		sizes = append(sizes, features)
	}
	for _, n := range sizes {
		p.keep(s, Int64, false, n)
	}
	return s.Out
}
