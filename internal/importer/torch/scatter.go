package torch

// What writes into parts of a tensor keeps its shape.
func init() {
	registerEach(same, "scatter", "scatter_add", "scatter_reduce", "index_add", "index_fill", "index_copy", "index_put", "index_reduce",
		"masked_scatter", "put", "fill_diagonal", "select_scatter", "slice_scatter", "diagonal_scatter")
}
