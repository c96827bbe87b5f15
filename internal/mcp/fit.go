package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/fit/data"
	"github.com/modelverifier/verifier/internal/fit/layout"
	"github.com/modelverifier/verifier/internal/fit/serve"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/load/dataset"
	"github.com/modelverifier/verifier/internal/report/annotate"
)

// fitBody has the sections of a check that were asked for.
type fitBody struct {
	Verdict  string           `json:"verdict"`
	Findings []action.Finding `json:"findings"`
	DataFit  *data.Result     `json:"dataFit,omitempty"`
	Layout   *layout.Result   `json:"layout,omitempty"`
	Serve    *serve.Result    `json:"serve,omitempty"`
}

var _ = define(tool{
	name: "fit", title: "Compare a model with data, a split or a server",
	doc: `Does the dataset fit (data), does the framework take this split over GPUs (layout), do vLLM, SGLang, TensorRT-LLM, TGI or llama.cpp take this ` +
		`launch command (serve). Give at least one.`,
	input: modelLikeCheck + `,` +
		options("data", `["object","string"]`, "folder in the root, or {seq_len", "tokenizer_size", "num_labels", "channels", "features", "samples", "image_size", "class_counts}") + `,` +
		options("layout", `"object"`, "tp", "pp", "dp", "cp", "ep", "vpp", "micro_batch", "etp", "zero", "global_batch", "seq_len", "first_stage_layers",
			"last_stage_layers", "sequence_parallel", "recompute (none, selective, full)", "offload", "framework (megatron, torchtitan, deepspeed)", "gpu") + `,` +
		options("serve", `"object"`, "command", "engine_version", "gpu", "gpus", "images"),
	output: []string{"verdict", "findings", "dataFit", "layout", "serve"},
	run:    fit,
})

func fit(s *Server, ctx context.Context, a *arguments) (*answer, error) {
	if a.member("data") == nil && a.member("layout") == nil && a.member("serve") == nil {
		return nil, refuse(graph.CodeMissing, "", "data, layout and serve are all missing", "Give at least one of them; check judges the model alone.")
	}
	var notes []string
	var found *data.Request
	if folder, ok := isString(a.member("data")); ok {
		f, err := s.dataset(folder)
		if err != nil {
			return nil, err
		}
		found, notes = &f.Request, f.Notes
		a.members["data"] = json.RawMessage("null")
	}
	body, err := a.request(ctx)
	if err != nil {
		return nil, err
	}
	if found != nil {
		body = object(a.members)
	}
	q, err := check.Decode(body, limits)
	if err != nil {
		return nil, err
	}
	if found != nil {
		q.Data = found
	}
	if len(a.texts) > 0 {
		q.Text = action.TextCall{Graph: a.texts[0].Graph, Flag: elsewhere}
	}
	r := check.Run(q)
	out := fitBody{r.Verdict, r.Findings, r.DataFit, r.Layout, r.Serve}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", r.Verdict)
	if r.DataFit != nil {
		fmt.Fprintf(&b, "data: %s\n", r.DataFit.Verdict)
	}
	if r.Layout != nil {
		fmt.Fprintf(&b, "layout: %s, legal tp %v, legal pp %v\n", r.Layout.Verdict, r.Layout.LegalTP, r.Layout.LegalPP)
	}
	if r.Serve != nil {
		fmt.Fprintf(&b, "serve: %s\n", r.Serve.Verdict)
	}
	b.WriteString(findings(r.Findings))
	for _, n := range notes {
		bullet(&b, n)
	}
	return &answer{body: out, text: annotate.Harmless(b.String()) + a.said(), meta: a.meta()}, nil
}

// dataset reads what a folder inside the root says of itself.
func (s *Server) dataset(ref string) (*dataset.Found, error) {
	path, err := s.locate(ref)
	if err != nil {
		return nil, err
	}
	info, err := s.root.Stat(path)
	if err != nil {
		return nil, s.fault(ref, err)
	}
	if !info.IsDir() {
		return nil, refuse(action.CodeNotFound, "data", fmt.Sprintf("%q is not a folder", clip(ref)), "Give the folder of the dataset, or what is known of it as an object.")
	}
	f, err := dataset.Read(fence.In(s.root, path))
	if err != nil {
		return nil, datasetFault(ref, err)
	}
	return f, nil
}

func datasetFault(ref string, err error) error {
	if _, ok := err.(*fs.PathError); ok {
		return refuse(action.CodeFile, "data", fmt.Sprintf("%q cannot be read: %v", clip(ref), err), "Give what is known of the dataset as an object.")
	}
	return fileFault(ref, err)
}
