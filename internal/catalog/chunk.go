package catalog

var _ = define(Type{
	ID:     "chunk",
	Title:  "One of several equal pieces of an axis",
	Doc:    `Cuts an axis into a number of pieces and gives the one at index, as torch.chunk(x, chunks, dim)[index] does. Where the axis is not divisible the last piece is smaller, and there may be fewer pieces than asked for: 5 entries in 4 chunks are pieces of 2, 2 and 1.`,
	Source: "torch.chunk",
	Group:  Reshaping,
	Traits: IsView,
	Ints:   IntsKept,
	Params: []Param{
		{Name: "chunks", Kind: Int, Min: 1, Aliases: []string{"numChunks"}, Doc: "the number of pieces, at the most"},
		{Name: "dim", Kind: Int, Negative: true, Default: 1, Doc: "the axis to cut, counting the batch"},
		pieceIndex,
	},
	Shape: func(c *Call) (Shape, error) {
		chunks := c.Int("chunks")
		return c.resized(func(n int64) (int64, error) { return c.piece(n, c.Add(n, chunks-1)/chunks) })
	},
	Lower: lowerPiece,
	Torch: `lambda x: torch.chunk(x, {{chunks}}, {{dim}})[{{index}}]`,
	Examples: []Example{
		{In: "[12,64]", Args: "chunks=2 dim=-1 index=1", Out: "[12,32]"},
		{In: "[5]", Args: "chunks=4 index=2", Out: "[1]"},
		{In: "[5]", Args: "chunks=4 index=3", Err: "index is 3 but must be from -3 to 2 for 3 pieces"},
		{In: "[5]", Args: "chunks=0", Err: "chunks is 0 but takes an integer of at least 1"},
		{In: "[5]", Args: "chunks=2 dim=0", Err: "dim names the batch"},
	},
})
