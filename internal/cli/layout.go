package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/fit/layout"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/report"
)

var _ = register(func() *cobra.Command {
	c := takesModels(&cobra.Command{
		Use:   "layout MODEL",
		Short: "Check how a model is split over many GPUs for training, or search for the fastest split",
		Long: `Checks whether Megatron-LM, torchtitan or DeepSpeed accepts a split of the model over tensor,
pipeline, data, context and expert parallel ranks. It prints the balance of the pipeline stages,
their idle time (bubble), the memory of each rank, and which sizes are legal. With --suggest and
--gpus it searches for the fastest layouts that fit.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return newJudge(cmd).each(args, layoutOne) },
	})
	f := c.Flags()
	for _, size := range []struct {
		name  string
		value int
		usage string
	}{
		{"tp", 1, "tensor-parallel `ranks`"}, {"pp", 1, "pipeline `stages`"}, {"dp", 1, "data-parallel `ranks`"}, {"cp", 1, "context-parallel `ranks`"},
		{"ep", 1, "expert-parallel `ranks`"}, {"vpp", 1, "model `chunks` on each pipeline rank"}, {"micro-batch", 1, "`samples` in a micro-batch"},
		{"global-batch", 0, "`samples` in a step; by default micro-batch times dp"}, {"seq-len", 0, "`tokens` of a sample"},
		{"etp", 0, "tensor-parallel `ranks` of experts; by default tp (Megatron-LM)"}, {"zero", 0, "ZeRO `stage`, 0 to 3"}, {"first-stage-layers", 0, "`layers` on the first stage (Megatron-LM)"}, {"last-stage-layers", 0, "`layers` on the last stage (Megatron-LM)"},
		{"gpus", 0, "`cards` to search a layout for, with --suggest"}, {"top", 5, "how `many` layouts to suggest"},
	} {
		f.Int(size.name, size.value, size.usage)
	}
	f.String("gpu", "", "`card` of every rank; without one, the fit is not checked")
	f.String("framework", layout.Frameworks[0], "whose `rules`: "+strings.Join(layout.Frameworks, ", "))
	f.String("recompute", layout.Recomputes[0], "`what` is recomputed in the backward pass: "+strings.Join(layout.Recomputes, ", "))
	f.String("offload", "", "`what` of a rank is offloaded to the host: "+strings.Join(layout.Offloads, ", "))
	f.Bool("sequence-parallel", true, "sequence parallelism; used where tp is above 1")
	f.Bool("suggest", false, "search for the fastest layouts on --gpus cards of --gpu")
	policyFlags(c)
	gateFlags(c)
	outputFlags(c)
	attestFlags(c)
	offer(c, "framework", layout.Frameworks...)
	offer(c, "recompute", layout.Recomputes...)
	offer(c, "offload", layout.Offloads...)
	return c
})

func layoutOne(j *judge, name string) (*answer, error) {
	r, err := layoutRequest(j.cmd)
	if err != nil {
		return nil, err
	}
	g, err := j.verifiable(name)
	if err != nil {
		return nil, err
	}
	g.Normalize(catalog.Vocabulary)
	res := infer.Walk(g)
	if suggest, _ := j.cmd.Flags().GetBool("suggest"); suggest {
		return suggestLayouts(j.cmd, res, r)
	}
	out := layout.Check(res, r)
	return &answer{body: out, text: func(p *page) { layoutText(p, out, r) }, run: report.OfLayout(out, res)}, nil
}

// layoutRequest reads the flags.
func layoutRequest(cmd *cobra.Command) (layout.Request, error) {
	r, f := layout.Default(), cmd.Flags()
	for name, into := range map[string]*int64{"tp": &r.TP, "pp": &r.PP, "dp": &r.DP, "cp": &r.CP, "ep": &r.EP, "vpp": &r.VPP, "micro-batch": &r.MicroBatch} {
		n, _ := f.GetInt(name)
		*into = int64(n)
	}
	for name, into := range map[string]**int64{"etp": &r.ETP, "zero": &r.Zero, "global-batch": &r.GlobalBatch, "seq-len": &r.SeqLen, "first-stage-layers": &r.FirstLayers, "last-stage-layers": &r.LastLayers} {
		if f.Changed(name) {
			n, _ := f.GetInt(name)
			size := int64(n)
			*into = &size
		}
	}
	if f.Changed("sequence-parallel") {
		on, _ := f.GetBool("sequence-parallel")
		r.SequenceParallel = &on
	}
	for name, o := range map[string]struct {
		into  *string
		words []string
	}{"framework": {&r.Framework, layout.Frameworks}, "recompute": {&r.Recompute, layout.Recomputes}} {
		*o.into, _ = f.GetString(name)
		if !slices.Contains(o.words, *o.into) {
			return r, fmt.Errorf("--%s is %q but takes %s", name, *o.into, strings.Join(o.words, ", "))
		}
	}
	if f.Changed("offload") {
		if r.Offload, _ = f.GetString("offload"); !slices.Contains(layout.Offloads, r.Offload) {
			return r, fmt.Errorf("--offload is %q but takes %s", r.Offload, strings.Join(layout.Offloads, ", "))
		}
	}
	var err error
	r.GPU, err = cardOf(cmd)
	return r, err
}

// cardOf finds the card of --gpu, nil where there is none.
func cardOf(cmd *cobra.Command) (*hardware.GPU, error) {
	name, _ := cmd.Flags().GetString("gpu")
	if name == "" {
		return nil, nil
	}
	if g := hardware.Lookup(name); g != nil {
		return g, nil
	}
	err := &graph.Error{Code: action.CodeValue, Path: "gpu"}
	for _, g := range hardware.GPUs() {
		err.Allowed = append(err.Allowed, g.Name)
	}
	err.Message = fmt.Sprintf("is %q but must be one of %s", name, strings.Join(err.Allowed, ", "))
	return nil, err
}

func layoutText(p *page, r *layout.Result, q layout.Request) {
	legal := "legal"
	if !r.Legal {
		legal = "not legal"
	}
	p.line("%s: %s for %s; GPUs: %d, micro-batches a step: %d", p.word(r.Verdict, 0), legal, r.Framework, r.GPUs, r.MicroBatches)
	if r.Bubble != nil && r.Balance != nil {
		p.line("idle share of a step %s, balance of the stages %s", r.Bubble, r.Balance)
	}
	stagesText(p, r, q)
	if len(r.Findings) > 0 {
		p.line("")
	}
	for _, f := range r.Findings {
		p.line("%s  %s  [%s]", p.word(string(f.Severity), 5), f.Detail, f.Rule)
		if f.Fix != "" {
			p.line("       fix: %s", f.Fix)
		}
	}
	p.line("")
	p.line("legal tp: %s", sizes(r.LegalTP))
	p.line("legal pp: %s", sizes(r.LegalPP))
}

// stagesText is a table of the memory of each stage, in GB.
func stagesText(p *page, r *layout.Result, q layout.Request) {
	if len(r.Stages) == 0 {
		return
	}
	p.line("")
	p.line("stage layers     parameters  weights    grads optimizer   activ.  peak GB flight")
	var large []int64
	for _, s := range r.Stages {
		if s.Fits != nil && !*s.Fits {
			large = append(large, s.Index)
		}
		p.line("%5d %6d %14d %8s %8s %9s %8s %8s %6d", s.Index, s.Layers, s.Params, s.WeightsGB, s.GradsGB, s.OptimizerGB, s.ActivationsGB, s.PeakGB, s.InFlight)
	}
	if s := r.Stages[0]; s.HostGB != nil {
		p.line("of the host's memory each rank has %s GB (stage 0); computed, not measured, and the time of moving it is not counted", s.HostGB)
	}
	if n := len(r.Withheld); n > 0 {
		p.line("lower bounds: what %d of the components take is not known: %s", n, strings.Join(r.Withheld[:min(n, 5)], ", "))
	}
	if len(large) > 0 {
		p.line("does not fit %s: %s", q.GPU.Name, "stage "+sizes(large))
	}
}

func sizes(list []int64) string {
	if len(list) == 0 {
		return "not known"
	}
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(words, ", ")
}

func suggestLayouts(cmd *cobra.Command, res *infer.Result, r layout.Request) (*answer, error) {
	gpus, _ := cmd.Flags().GetInt("gpus")
	top, _ := cmd.Flags().GetInt("top")
	switch {
	case r.GPU == nil || gpus < 1 || top < 1:
		return nil, errors.New("--suggest needs --gpu and --gpus, and --top of at least 1")
	case gpus > layout.SearchedGPUs:
		return nil, fmt.Errorf("--gpus is %d but layouts are searched for at most %d", gpus, layout.SearchedGPUs)
	case r.GlobalBatch != nil && *r.GlobalBatch < 1:
		return nil, fmt.Errorf("--global-batch is %d but must be at least 1", *r.GlobalBatch)
	}
	out := layout.Suggest(res, r, int64(gpus), top)
	return &answer{body: out, text: func(p *page) { suggestionText(p, out) }}, nil
}

func suggestionText(p *page, out *layout.Suggestions) {
	p.line("%d GPUs (%s), %s, global batch %d, %d tokens a sample: the fastest %d that fit, of %d legal layouts tried", out.GPUs, out.GPU, out.Framework, out.GlobalBatch, out.SeqLen,
		len(out.Layouts), out.Considered)
	p.line("")
	p.line("  tp  pp    dp  cp  ep vpp zero micro  recompute step sec  idle   peak GB last")
	for _, l := range out.Layouts {
		last := "-" // as many layers as on the other stages
		if l.LastStageLayers > 0 {
			last = strconv.FormatInt(l.LastStageLayers, 10)
		}
		if l.ETP > 0 {
			last += fmt.Sprintf("  etp %d", l.ETP)
		}
		p.line("%4d%4d%6d%4d%4d%4d%5d%6d  %-9s%9s  %-6s%8s%5s", l.TP, l.PP, l.DP, l.CP, l.EP, l.VPP, l.Zero, l.MicroBatch, l.Recompute, l.StepSec, l.Bubble, l.PeakGB, last)
	}
	p.line("")
	p.line("note: %s", out.Basis)
}
