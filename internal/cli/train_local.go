package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/action/train"
	"github.com/modelverifier/verifier/internal/exporter/task"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/training"
	"github.com/modelverifier/verifier/internal/training/data"
	"github.com/modelverifier/verifier/internal/training/run"
)

// localOptions are the flags of a run on this machine.
type localOptions struct {
	on                         bool
	data, python, device, onnx string
	samples                    int64
}

func (o *localOptions) flags(c *cobra.Command) {
	f := c.Flags()
	f.BoolVar(&o.on, "local", false, "train on this machine, and send nothing")
	f.StringVar(&o.data, "data", "", "with --local: `folder` with the datasets, by default the one that verifier-worker data fills")
	f.StringVar(&o.python, "python", "python3", "with --local: the `program` that has PyTorch")
	f.StringVar(&o.device, "device", "", "with --local: cpu or cuda:N; by default PyTorch's first card")
	f.StringVarP(&o.onnx, "output", "o", "", "with --local: write the trained weights as ONNX to this `file`")
	f.Int64Var(&o.samples, "limit-samples", 0, "with --local: train and validate on this many samples")
	for _, name := range []string{"gpu", "repo", "pr", "server", "api-key"} {
		c.MarkFlagsMutuallyExclusive("local", name)
	}
}

// here trains on this machine: the plan first, as everywhere.
func (o *trainOptions) here(cmd *cobra.Command, g *graph.Graph) error {
	dataset := training.Find(o.dataset)
	if dataset == nil {
		return train.Unknown("--dataset", o.dataset, training.DatasetNames(), "")
	}
	request := &train.Request{Model: g, Dataset: dataset, Config: o.config.Clamped()}
	var t training.Task
	request.Exports = func(r *train.Request) (err error) {
		t, err = task.Of(r.Model.Clone(), r.Dataset.Name, r.Config)
		return err
	}
	record := request.Plan("")
	if !record.Run.Legal {
		body, err := json.Marshal(&train.Blocked{Error: train.ErrorBlocked, Plan: record, Text: plan.Text(record)})
		if err != nil {
			return err
		}
		return refuseRun(cmd, plan.Text(record), append(body, '\n'))
	}
	return o.compute(cmd, record.Model.Fingerprint, t)
}

// compute runs the trainer, draws what it says, and keeps the weights where that was asked for.
func (o *trainOptions) compute(cmd *cobra.Command, fingerprint string, t training.Task) (err error) {
	ctx, stop := interruptible(cmd)
	defer stop()
	at, mode, err := o.local.options(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(at.Folder) }()
	job := &train.Job{JobID: "local", Status: "running", Mode: mode, Dataset: t.Dataset, Epochs: []training.Epoch{}, Metrics: []train.Scalar{}, Fingerprint: fingerprint, Backend: "local", Config: t.Config}
	w := &watcher{out: cmd.OutOrStdout(), live: isTerminal(cmd.OutOrStdout()) && os.Getenv("TERM") != "dumb", silent: wantsJSON(cmd)}
	w.draw(job)
	out, err := run.Run(ctx, t, at, "", run.Events{Epoch: func(e training.Epoch, _ string) error {
		job.Epochs = append(job.Epochs, e)
		w.draw(job)
		return nil
	}})
	job.WallSec = &out.WallSec
	if err := ended(job, &out, err); err != nil {
		return err
	}
	if o.local.onnx != "" && out.Trained {
		if err := keepWeights(out.ONNX, o.local.onnx); err != nil {
			return err
		}
	}
	return o.told(cmd, w, job)
}

// ended notes how a run ended. What is no end of a run, such as a dataset that is not there, is returned.
func ended(job *train.Job, out *run.Outcome, err error) error {
	failed, crashed := (*run.Failed)(nil), (*run.Crashed)(nil)
	switch {
	case err == nil:
		job.Status, job.ModelTrained, job.ModelReason = "completed", &out.Trained, out.Reason
		if out.Trained {
			job.ModelFormat = "onnx"
		}
	case errors.Is(err, context.Canceled):
		job.Status = "cancelled"
	case errors.As(err, &failed), errors.As(err, &crashed):
		job.Status, job.Reason = "error", err.Error()
	default:
		return err
	}
	return nil
}

// told prints the end of a run, and returns how the command ends.
func (o *trainOptions) told(cmd *cobra.Command, w *watcher, job *train.Job) error {
	var err error
	if wantsJSON(cmd) {
		err = printJSON(cmd, job)
	} else {
		text := w.last(job)
		if job.ModelFormat != "" && o.local.onnx != "" {
			text += "weights     " + clean(o.local.onnx) + "\n"
		}
		err = printText(cmd, text)
	}
	if err == nil && job.Status != "completed" {
		err = errGated
	}
	return err
}

// options finds what this machine has, and makes a private folder for the run.
func (o *localOptions) options(ctx context.Context) (at run.Options, mode string, err error) {
	at = run.Options{Python: o.python, Data: o.data, Device: o.device, LimitSamples: o.samples}
	if at.Data == "" {
		if at.Data, err = data.Default(); err != nil {
			return at, "", err
		}
	}
	if at.Device == "" {
		machine, err := run.Probe(ctx, o.python)
		if err != nil {
			return at, "", fmt.Errorf("%w; --python names another one", err)
		}
		at.Device, at.Isolation = "cpu", machine.Isolation
		if len(machine.Cards) > 0 {
			at.Device = "cuda:0"
		}
	}
	mode = "gpu"
	if at.Device == "cpu" {
		mode = "cpu"
	}
	at.Folder, err = os.MkdirTemp("", "verifier-train-")
	return at, mode, err
}

// keepWeights copies the file that the trainer wrote, whole or not at all.
func keepWeights(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.CreateTemp(filepath.Dir(to), ".weights-*")
	if err != nil {
		return fmt.Errorf("%w: %w", errWrite, err)
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err == nil {
		err = os.Rename(out.Name(), to)
	}
	if err != nil {
		_ = os.Remove(out.Name())
		return fmt.Errorf("%w: %w", errWrite, err)
	}
	return nil
}
