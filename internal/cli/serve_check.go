package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/fit/serve"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/report"
)

var _ = register(func() *cobra.Command {
	c := &cobra.Command{
		Use:   "serve-check MODEL [flags] -- COMMAND",
		Short: "Check whether a serving engine accepts a launch command, and whether the model fits the cards",
		Long: `Reads the launch command of vLLM, SGLang, TensorRT-LLM, Text Generation Inference or llama.cpp as a
shell and the engine do. It prints what the engine would refuse for this model on these cards, what
does not fit, and how many sequences of full length run at once. The model is MODEL, whatever the
command names. The command is given after --, or in a file: a shell script, a Docker Compose file or
a Kubernetes manifest.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return newJudge(cmd).each(args[:1], func(j *judge, _ string) (*answer, error) { return serveOne(j, args) })
		},
	}
	takesModels(c)
	c.Flags().String("gpu", "", "the `card`; without it, fit and capability are not checked")
	c.Flags().Int64("gpus", 0, "how many `cards` the machine has; by default as many as the command needs")
	c.Flags().Int64("images", 0, "how many `images` each request has, of a model that sees: their tokens, and what looks at them")
	c.Flags().String("engine-version", "", "the engine's `version`, in place of that of the image or the assumed one")
	c.Flags().String("command-file", "", "read the command from this `file`")
	policyFlags(c)
	gateFlags(c)
	outputFlags(c)
	attestFlags(c)
	return c
})

func serveOne(j *judge, args []string) (*answer, error) {
	r, read, err := serveRequest(j.cmd, args)
	if err != nil {
		return nil, err
	}
	g, err := j.verifiable(args[0])
	if err != nil {
		return nil, err
	}
	g.Normalize(catalog.Vocabulary)
	res := infer.Walk(g)
	out := serve.Check(res, r)
	a := &answer{body: out, text: func(p *page) { serveText(p, out) }, run: report.OfServe(out, res)}
	a.run.Files = read
	return a, nil
}

// serveRequest reads the flags and the command, and returns the files that it read for them.
func serveRequest(cmd *cobra.Command, args []string) (_ *serve.Request, read []report.File, _ error) {
	r := &serve.Request{}
	name, _ := cmd.Flags().GetString("gpu")
	if r.GPU = hardware.Lookup(name); r.GPU == nil && name != "" {
		var names []string
		for _, g := range hardware.GPUs() {
			names = append(names, g.Name)
		}
		return nil, nil, fmt.Errorf("--gpu is %q but must be one of %s", name, strings.Join(names, ", "))
	}
	r.GPUs, _ = cmd.Flags().GetInt64("gpus")
	if cmd.Flags().Changed("gpus") && r.GPUs < 1 {
		return nil, nil, fmt.Errorf("--gpus is %d but must be at least 1", r.GPUs)
	}
	if r.GPUs > serve.MaxGPUs {
		return nil, nil, fmt.Errorf("--gpus is %d but must be at most %d", r.GPUs, serve.MaxGPUs)
	}
	r.Images, _ = cmd.Flags().GetInt64("images")
	if cmd.Flags().Changed("images") && (r.Images < 1 || r.Images > estimate.MaxImages) {
		return nil, nil, fmt.Errorf("--images is %d but must be from 1 to %d", r.Images, estimate.MaxImages)
	}
	r.EngineVersion, _ = cmd.Flags().GetString("engine-version")
	if r.EngineVersion != "" && !serve.IsVersion(r.EngineVersion) {
		return nil, nil, fmt.Errorf("--engine-version is %q but must be a version such as 0.11.0", r.EngineVersion)
	}
	file, _ := cmd.Flags().GetString("command-file")
	words := args[1:]
	switch {
	case file != "" && len(words) > 0:
		return nil, nil, errors.New("give the command behind -- or with --command-file, not both")
	case file != "":
		data, err := readAll(cmd, file)
		if err != nil {
			return nil, nil, err
		}
		read = append(read, report.File{Name: filepath.ToSlash(file), Data: data})
		if r.Command, err = serve.CommandIn(string(data)); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", file, err)
		}
	case len(words) == 0:
		return nil, nil, errors.New("no command: give it behind --, or with --command-file")
	case len(words) == 1:
		r.Command = words[0] // one word is a whole command, quoted
	default:
		r.Command = serve.Quote(words)
	}
	for _, name := range serve.FilesOf(r.Command, r.EngineVersion) {
		if data, err := readNamedBy(file, filepath.FromSlash(name)); err == nil {
			r.Files = append(r.Files, serve.File{Name: name, Text: string(data)})
			read = append(read, report.File{Name: name, Data: data})
		}
	}
	return r, read, nil
}

// readNamedBy reads a file that a launch command names. One in a script leads no further than the script's own root; one that was typed names
// any file.
func readNamedBy(script, name string) ([]byte, error) {
	if script == "" || script == stdin {
		return readFile(name)
	}
	root, err := fence.Root(script)
	if err != nil {
		return nil, err
	}
	within, ok := fence.Within(root, name)
	if !ok {
		return nil, fmt.Errorf("%s lies outside of %s", name, root)
	}
	return readFound(root, within, false)
}

func serveText(p *page, r *serve.Result) {
	engine := r.Engine
	if engine != "" {
		engine += " " + r.EngineVersion
		if r.EngineVersionAssumed {
			engine += " (assumed)"
		}
	}
	p.line("%s: %s", p.word(r.Verdict, 0), firstText(engine, "no engine was recognised"))
	if m := r.Memory; m != nil {
		p.line("a card     weights %s GB, activations %s GB, overhead %s GB, left for keys and values %s GB of %s GB", m.WeightsGb, m.ActivationsGb, m.OverheadGb, m.KvGb, m.CapacityGb)
	}
	if r.KVBytesPerToken != nil {
		p.line("cache      %d bytes a token on a card", *r.KVBytesPerToken)
	}
	if r.MaxConcurrentSequences != nil {
		p.line("at once    %d sequences of full length", *r.MaxConcurrentSequences)
	}
	serveImages(p, r.Images)
	for _, f := range r.Findings {
		p.line("%s  %s  [%s]", p.word(string(f.Severity), 5), f.Detail, f.Rule)
		if f.Fix != "" {
			p.line("       fix: %s", f.Fix)
		}
	}
}

// serveImages says what the images of a request take.
func serveImages(p *page, i *estimate.ImagesBody) {
	if i == nil {
		return
	}
	text := quantity.Sprintf("%d in a request", i.Count)
	if i.Tokens != nil {
		text += quantity.Sprintf(": %d tokens of its prompt, %d each", *i.Tokens, *i.TokensEach)
	}
	if i.ActivationBytes > 0 {
		text += fmt.Sprintf("; the tower has %s of weights and %s while it looks at them", quantity.Bytes(i.WeightBytes), quantity.Bytes(i.ActivationBytes))
	}
	if i.Open != "" {
		text += "; " + i.Open
	}
	p.line("images     %s; computed, not measured", text)
}

func firstText(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
