package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action/train"
	"github.com/modelverifier/verifier/internal/client"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/training"
)

// trainOptions are the flags of train.
type trainOptions struct {
	dataset, gpu string
	config       training.Config
	repo         string
	pr           int64
	watch        bool
	local        localOptions
}

var _ = register(func() *cobra.Command {
	o := &trainOptions{}
	c := takesModels(&cobra.Command{
		Use:   "train MODEL",
		Short: "Train a model on a dataset: on a server's cards, or on this machine",
		Long: `Trains a model on a dataset of the hosted service. The plan comes first: a model that does not run,
or does not fit the dataset, is refused with exit code 1, and no job is started. Without --gpu the
cheapest available card on which the run fits is taken.

--watch waits until the job has ended, with a progress bar and the curves of loss and accuracy;
without a terminal it prints a line for each epoch. Ctrl-C asks once whether to cancel the job. The
exit code is 1 for a job that failed or was cancelled.

The server and the key come from --server or VERIFIER_URL, and from VERIFIER_API_KEY. With --local
nothing is sent: the run is computed here, by python3 with PyTorch, on the dataset files in --data.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	})
	f := c.Flags()
	f.StringVar(&o.dataset, "dataset", "", "the `dataset`: "+strings.Join(training.DatasetNames(), ", "))
	f.StringVar(&o.gpu, "gpu", "", "the `card`: "+strings.Join(train.Cards(), ", "))
	f.Int64Var(&o.config.Epochs, "epochs", training.Defaults.Epochs, "passes over the training data, from 1 to 20")
	f.Int64Var(&o.config.BatchSize, "batch-size", training.Defaults.BatchSize, "samples of one step, from 8 to 512")
	f.Float64Var(&o.config.LR, "lr", training.Defaults.LR, "learning rate, from 1e-5 to 1")
	f.StringVar(&o.config.Optimizer, "optimizer", training.Defaults.Optimizer, strings.Join(training.Optimizers, ", "))
	f.StringVar(&o.repo, "repo", "", "the repository of the model, stored with the job")
	f.Int64Var(&o.pr, "pr", 0, "the pull request of the model")
	f.BoolVar(&o.watch, "watch", false, "wait until the job has ended, and show its curves")
	remoteFlags(c)
	o.local.flags(c)
	offer(c, "dataset", training.DatasetNames()...)
	offer(c, "gpu", train.Cards()...)
	offer(c, "optimizer", training.Optimizers...)
	return c
})

func (o *trainOptions) run(cmd *cobra.Command, model string) error {
	if o.dataset == "" {
		return fmt.Errorf("--dataset is missing: give %s", strings.Join(training.DatasetNames(), ", "))
	}
	g, err := readVerifiable(cmd, model, "model")
	if err != nil {
		return err
	}
	if o.local.on {
		return o.here(cmd, g)
	}
	c, err := remote(cmd)
	if err != nil {
		return err
	}
	return o.submit(cmd, c, g)
}

// body is what the server is asked. Only what flags say is in it: the rest is the server's to choose.
func (o *trainOptions) body(cmd *cobra.Command, g *graph.Graph) ([]byte, error) {
	changed := cmd.Flags().Changed
	config := map[string]any{}
	for _, m := range []struct {
		flag, member string
		value        any
	}{{"epochs", "epochs", o.config.Epochs}, {"batch-size", "batchSize", o.config.BatchSize}, {"lr", "lr", o.config.LR}, {"optimizer", "optimizer", o.config.Optimizer}} {
		if changed(m.flag) {
			config[m.member] = m.value
		}
	}
	body := map[string]any{"model": json.RawMessage(g.AppendJSON(nil)), "dataset": o.dataset, "config": config}
	if changed("gpu") {
		body["gpu"] = o.gpu
	}
	source := map[string]any{}
	if changed("repo") {
		source["repo"] = o.repo
	}
	if changed("pr") {
		source["pr"] = o.pr
	}
	if len(source) > 0 {
		body["source"] = source
	}
	return json.Marshal(body)
}

// submit books the run, and shows it where that is asked for.
func (o *trainOptions) submit(cmd *cobra.Command, c *client.Client, g *graph.Graph) error {
	body, err := o.body(cmd, g)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(cmdContext(cmd), submitWait)
	defer stop()
	sent, err := c.Train(ctx, body, func() {
		fmt.Fprintf(cmd.ErrOrStderr(), "verifier: no worker has %s yet; one that was given it says so within seconds: waiting\n", o.dataset)
	})
	if blocked := (*client.Blocked)(nil); errors.As(err, &blocked) {
		return refuseRun(cmd, blocked.Text, blocked.Body)
	}
	if err != nil {
		return answered(cmd, err)
	}
	if wantsJSON(cmd) && !o.watch {
		return printText(cmd, string(sent.Body))
	}
	if !wantsJSON(cmd) {
		p := &page{coloured: wantsColour(cmd.OutOrStdout())}
		planText(p, sent.Text)
		free := ""
		if sent.Mode != "gpu" {
			free = "; without a card it costs nothing"
		}
		p.line("job         %s is queued on %s (%s): %s%s", sent.JobID, sent.Backend, sent.Mode, configText(sent.Config), free)
		if !o.watch {
			p.line("            verifier jobs %s shows it, and --cancel ends it", sent.JobID)
		}
		if err := printText(cmd, p.text()); err != nil {
			return err
		}
	}
	if !o.watch {
		return nil
	}
	return watchJob(cmd, c, sent.JobID)
}

// refuseRun prints a plan that refuses the run.
func refuseRun(cmd *cobra.Command, text string, body []byte) error {
	if wantsJSON(cmd) {
		if err := printText(cmd, string(body)); err != nil {
			return err
		}
		return errGated
	}
	p := &page{coloured: wantsColour(cmd.OutOrStdout())}
	planText(p, text)
	p.line("nothing was booked")
	if err := printText(cmd, p.text()); err != nil {
		return err
	}
	return errGated
}

// configText is a configuration in words.
func configText(c training.Config) string {
	return quantity.Sprintf("%s epochs, batches of %s, %s with a learning rate of %g", quantity.Grouped(c.Epochs), quantity.Grouped(c.BatchSize), c.Optimizer, c.LR)
}
