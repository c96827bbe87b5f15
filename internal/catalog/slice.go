package catalog

var _ = define(Type{
	ID:      "slice",
	Title:   "A range of an axis",
	Doc:     `Takes the entries from start up to, but not including, end of one axis, every step-th of them, as Python's x[:, start:end:step] does. Negative bounds count from the end, and bounds beyond the axis are moved to its ends. A range without entries is refused.`,
	Source:  "torch.Tensor.__getitem__",
	Group:   Reshaping,
	Aliases: []string{"stridedSlice", "crop"},
	Traits:  IsView,
	Ints:    IntsKept,
	Params: []Param{
		{Name: "dim", Kind: Int, Negative: true, Bools: true, Default: 1, Doc: "the axis, counting the batch"},
		{Name: "start", Kind: Int, Negative: true, Bools: true, Default: 0, Doc: "the first entry"},
		{Name: "end", Kind: Int, Negative: true, Bools: true, Optional: true, Aliases: []string{"stop"}, Doc: "the entry behind the last; the end of the axis if left out"},
		{Name: "step", Kind: Int, Min: 1, Bools: true, Default: 1, Aliases: []string{"stride"}, Doc: "the distance between entries"},
	},
	Shape: func(c *Call) (Shape, error) {
		return c.resized(func(n int64) (int64, error) {
			start, end := bound(c.Int("start"), n), n
			if c.Has("end") {
				end = bound(c.Int("end"), n)
			}
			if end <= start {
				return 0, c.Errorf(EmptyOutput, "the range from %d to %d of %d entries is empty", start, end, n)
			}
			step := c.Int("step")
			return c.Add(end-start, step-1) / step, nil
		})
	},
	Lower: lowerView,
	Torch: `lambda x: x[(slice(None),) * ({{dim}} % x.dim()) + (slice({{start}}, {{end}}, {{step}}),)]`,
	Examples: []Example{
		{In: "[197,768]", Args: "start=1", Out: "[196,768]"},
		{In: "[8,9]", Args: "dim=-1 start=-4 end=20 step=3", Out: "[8,2]"},
		{In: "[8]", Args: "dim=0 start=0", Out: "[8]"},
		{In: "[8]", Args: "start=5 end=-4", Err: "the range from 5 to 4 of 8 entries is empty"},
		{In: "[8]", Args: "step=0", Err: "step is 0 but takes an integer of at least 1"},
		{In: "[8]", Args: "dim=0 end=1", Err: "dim names the batch"},
		{In: "[8]", Args: "dim=2", Err: "dim is 2 but must be from -2 to 1"},
	},
})

// bound moves a bound of a slice into an axis of n entries.
func bound(i, n int64) int64 {
	if i < 0 {
		i += n
	}
	return min(max(i, 0), n)
}
