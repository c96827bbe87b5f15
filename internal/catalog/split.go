package catalog

import "github.com/modelverifier/verifier/internal/quantity"

var _ = define(Type{
	ID:     "split",
	Title:  "One of the pieces of an axis",
	Doc:    `Cuts an axis into pieces of a size, or of the sizes in a list, and gives the piece at index, as torch.split(x, splitSize, dim)[index] does. With one size the last piece may be smaller; the sizes of a list must add up to the axis. For several pieces use one component for each.`,
	Source: "torch.split",
	Group:  Reshaping,
	Traits: IsView,
	Ints:   IntsKept,
	Params: []Param{
		{Name: "splitSize", Kind: Ints, EmptyOK: true, Aliases: []string{"splitSizeOrSections", "sections", "sizes"}, Doc: "the size of every piece, or a list with the size of each"},
		{Name: "dim", Kind: Int, Negative: true, Default: 1, Doc: "the axis to cut, counting the batch"},
		pieceIndex,
	},
	Shape: func(c *Call) (Shape, error) {
		if c.IsList("splitSize") {
			return c.resized(c.section)
		}
		size := c.Int("splitSize")
		if size == 0 {
			return nil, c.Errorf(BadParam, "splitSize is 0 but pieces must have at least 1 entry")
		}
		return c.resized(func(n int64) (int64, error) { return c.piece(n, size) })
	},
	Lower: lowerPiece,
	Torch: `lambda x: torch.split(x, {{splitSize}}, {{dim}})[{{index}}]`,
	Examples: []Example{
		{In: "[12,64]", Args: "splitSize=32 dim=-1 index=1", Out: "[12,32]"},
		{In: "[10,8]", Args: "splitSize=4 index=-1", Out: "[2,8]"},
		{In: "[12,64]", Args: "splitSize=[16,48] dim=2 index=1", Out: "[12,48]"},
		{In: "[12,64]", Args: "splitSize=[16,40] dim=2", Err: "splitSize is [16,40], which is 56 in all, but the axis has 64 entries"},
		{In: "[12,64]", Args: "splitSize=32 dim=2 index=2", Err: "index is 2 but must be from -2 to 1 for 2 pieces"},
		{In: "[12,64]", Args: "splitSize=0", Err: "splitSize is 0"},
		{In: "[12,64]", Args: "splitSize=1 dim=0", Err: "dim names the batch"},
	},
})

var pieceIndex = Param{Name: "index", Kind: Int, Negative: true, Bools: true, Default: 0, Doc: "which piece; -1 is the last"}

// piece returns the size of the piece at index of n entries that are cut into pieces of a size; the last has the rest.
func (c *Call) piece(n, size int64) (int64, error) {
	pieces := (n-1)/size + 1
	i, err := c.within("index", quantity.Sprintf("%d pieces", pieces), pieces)
	if err == nil && i == pieces-1 {
		size = n - i*size
	}
	return size, err
}

// section returns the size of the piece at index where the sizes of all are given.
func (c *Call) section(n int64) (int64, error) {
	sizes, sum := Shape(c.Ints("splitSize")), int64(0)
	for _, s := range sizes {
		sum = c.Add(sum, s)
	}
	if sum != n {
		return 0, c.Errorf(ReshapeSizeMismatch, "splitSize is %v, which is %d in all, but the axis has %d entries", sizes, sum, n)
	}
	i, err := c.within("index", quantity.Sprintf("%d pieces", len(sizes)), int64(len(sizes)))
	if err != nil {
		return 0, err
	}
	return sizes[i], nil
}
