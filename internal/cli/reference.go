package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hub"
	"github.com/modelverifier/verifier/internal/importer/torch"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/load"
)

// references says what every command takes as a model.
const references = `A model is a graph in JSON or in the text notation, a Hugging Face folder, config.json or id
(org/name[@revision], from the local cache unless --download is given), an ONNX or GGUF file, a
Keras model, a graph file of the Neurarch editor, a PyTorch source as file.py:name, or a bundled
model such as resnet18. - reads standard input.`

// takesModels adds the flags of a command that takes references to models.
func takesModels(c *cobra.Command) *cobra.Command {
	c.Flags().Bool("download", false, "fetch the config and headers of a model that is not in the local cache, never its weights")
	c.Flags().StringArray("input", nil, "`shape` of one input of a PyTorch source: 1,3,224,224 with the batch in front, or 3x224x224 without; :int64 behind it for token ids; several by repeating the flag or with ; between them; name=5 or name=None for an argument that is no tensor (docs/torch.md has them all)")
	c.Flags().String("site-packages", "", "`folder` of installed packages, such as timm, that a PyTorch source imports: they are read like it, and never run")
	c.Flags().StringArray("arg", nil, "`name=value` of an argument of a PyTorch class or function")
	c.Flags().String(fromFlag, "", "what a JSON file with components is: graph, or neurarch for a file of that editor; recognised by its content by default")
	c.Flags().Bool(textFlag, false, "call a multimodal model of a config.json with text alone")
	return c
}

const (
	textFlag = "text-only"
	fromFlag = "from"
)

// textCall is what a model that reads pictures or sounds is with --text-only.
func (in *input) textCall() action.TextCall {
	if in.loaded == nil {
		return action.TextCall{}
	}
	return action.TextCall{Graph: in.loaded.TextOnly, Flag: "--" + textFlag}
}

// loadModel brings a model in from wherever it is.
func loadModel(cmd *cobra.Command, ref string) (*load.Model, error) { return loadEdited(cmd, ref, nil) }

// loadEdited is the same with edits made to the layers of a PyTorch source.
func loadEdited(cmd *cobra.Command, ref string, edits []action.Edit) (*load.Model, error) {
	return loadFrom(cmd, nil, actual(cmd, ref), edits)
}

// loadFrom reads a model from anywhere, or from a root alone.
func loadFrom(cmd *cobra.Command, root *os.Root, ref string, edits []action.Edit) (*load.Model, error) {
	opt := load.Options{Limits: graph.LocalLimits, Hub: hub.Options{Stdin: cmd.InOrStdin(), Agent: "verifier/" + Version, Root: root}}
	for _, e := range edits {
		opt.Edits = append(opt.Edits, sourceEdit(e))
	}
	opt.Hub.Download, _ = cmd.Flags().GetBool("download")
	opt.Inputs, _ = cmd.Flags().GetStringArray("input")
	opt.SitePackages, _ = cmd.Flags().GetString("site-packages")
	opt.SeqLen, _ = cmd.Flags().GetInt64("seq-len")
	opt.Text, _ = cmd.Flags().GetBool(textFlag)
	if from, _ := cmd.Flags().GetString(fromFlag); from != "" {
		kind, ok := load.KindOf(from)
		if !ok {
			return nil, fmt.Errorf("--%s is %q but takes %s or %s", fromFlag, from, hub.Graph, hub.Neurarch)
		}
		opt.From = kind
	}
	if trace, _ := cmd.Flags().GetBool("trace"); trace { // only import has the flag: nothing else ever runs a model
		opt.Trace, _ = cmd.Flags().GetString("python")
	}
	args, _ := cmd.Flags().GetStringArray("arg")
	for _, a := range args {
		name, value, ok := strings.Cut(a, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--arg is %q but takes name=value", a)
		}
		if opt.Args == nil {
			opt.Args = map[string]string{}
		}
		opt.Args[name] = value
	}
	if opt.Hub.Download {
		opt.Hub.Progress = progress(cmd.ErrOrStderr())
	}
	ctx, stop := signal.NotifyContext(cmdContext(cmd), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	return load.Open(ctx, ref, opt)
}

func cmdContext(cmd *cobra.Command) context.Context {
	if ctx := cmd.Context(); ctx != nil {
		return ctx
	}
	return context.Background()
}

// progress draws a bar for a download, where someone watches.
func progress(w io.Writer) func(hub.Progress) {
	if !isTerminal(w) {
		return nil
	}
	var bar *progressbar.ProgressBar
	return func(p hub.Progress) {
		if bar == nil {
			bar = progressbar.NewOptions(p.Total, progressbar.OptionSetWriter(w), progressbar.OptionClearOnFinish(), progressbar.OptionSetDescription("download"))
		}
		bar.Describe(p.File)
		_ = bar.Set(p.Done)
	}
}

// sourceEdit is an edit as the reader of a source makes it. Only a flatten can be put in front of a layer; what else names no parameter is
// refused there.
func sourceEdit(e action.Edit) torch.Edit {
	if e.Op == action.Insert && e.Type == infer.FlattenID {
		return torch.Edit{Flatten: e.To}
	}
	return torch.Edit{Component: e.Component, Param: e.Param, Value: e.Value}
}
