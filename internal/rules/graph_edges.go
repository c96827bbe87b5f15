package rules

var _ = define(Rule{
	ID:       "graph-edges",
	Title:    "Edges that are not pairs of nodes",
	Severity: Block,
	Doc:      `A graph layer reads its edges from the second input: an integer tensor of shape (2, edges) with the start of every edge in the first row and its end in the second. Transpose a list of pairs, which is (edges, 2), and connect the nodes first and the edges second.`,
	Source:   "torch_geometric.nn.MessagePassing, torch_geometric/nn/conv/message_passing.py: Expected 'edge_index' to have size '2' in the first dimension",
	Examples: []string{
		"x: input shape=[10,16]\ne: input shape=[40,2] dtype=int64\nc: gcn inChannels=16 outChannels=8 // want\no: output\nx, e -> c -> o",
		"x: input shape=[10,16]\ne: input shape=[2,40] dtype=int64\nc: gcn inChannels=16 outChannels=8\no: output\nx, e -> c -> o",
	},
})
