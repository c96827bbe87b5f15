package datasets

import (
	"encoding/json"

	"github.com/modelverifier/verifier/truth"
)

var _ = define(Dataset{
	order: 3, Key: "grounding-264", Name: "Graphs with PyTorch's own outcome", Unit: "graphs", License: "MIT",
	About: "Whole graphs, clean or broken in one of many ways, each of which was run in PyTorch: whether it ran, " +
		"the exception, the shape of the " +
		"result, the weights and the FLOPs. The key is that of the first edition, which had 264.",
	Made: "python3 truth/graphs.py SEED NUMBER FILE, on a machine with PyTorch and a GPU (docs/truth.md)",
	Row: members(
		field("id", text, "its name"),
		field("family", text, "what kind of network was drawn"),
		field("variant", text, "clean, or how it was broken after it had been drawn; some breaks are harmless"),
		field("model", model, "the graph, as a request carries it"),
		field("ran", boolean, "whether PyTorch built it and ran it forward with batches of 2 and 3, keeping the batch"),
		maybe("output", shape, "shape of the result, without the batch"),
		maybe("params", whole, "trained parameters of the module"),
		maybe("flops", whole, "of the forward pass of one sample, counted by torch.utils.flop_counter"),
		maybe("error", text, "the exception, cut at 160 characters"),
		field("torch", text, "the version of PyTorch that ran it"),
	),
	lines: func() []byte { return jsonLines(groundingRows()) },
	count: func() int { return linesIn(truth.Graphs) + linesIn(truth.Drawn) },
})

// measured is a row of truth/graphs*.jsonl.gz.
type measured struct {
	ID, Family, Variant string
	Graph               json.RawMessage
	OK                  bool
	OutShape            []int64
	Params, FLOPs       *int64
	Error               string
}

// groundingRow is a row of the dataset.
type groundingRow struct {
	ID      string          `json:"id"`
	Family  string          `json:"family"`
	Variant string          `json:"variant"`
	Model   json.RawMessage `json:"model"`
	Ran     bool            `json:"ran"`
	Output  *[]int64        `json:"output,omitempty"`
	Params  *int64          `json:"params,omitempty"`
	FLOPs   *int64          `json:"flops,omitempty"`
	Error   string          `json:"error,omitempty"`
	Torch   string          `json:"torch"`
}

func groundingRows() []groundingRow {
	var out []groundingRow
	for _, file := range [][]byte{truth.Graphs, truth.Drawn} {
		each(unpack("graphs", file), func(line []byte) {
			var m measured
			read("graphs", line, &m)
			row := groundingRow{ID: m.ID, Family: m.Family, Variant: m.Variant, Model: m.Graph, Ran: m.OK, Error: m.Error,
				Torch: "2.11.0"}
			if m.OK {
				row.Output, row.Params, row.FLOPs = &m.OutShape, m.Params, m.FLOPs
			}
			out = append(out, row)
		})
	}
	return out
}
