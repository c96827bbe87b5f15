// Package run trains one model in a process of its own: worker/train.py with a python3 that has PyTorch, in a private folder, without a
// network and without this process's environment. What comes out is believed only as far as it was read back.
//
// It knows no job, no lease and no server.
package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/modelverifier/verifier/internal/training"
	"github.com/modelverifier/verifier/internal/training/data"
	"github.com/modelverifier/verifier/worker"
)

// Options are where and on what a run is computed.
type Options struct {
	Python       string // python3 of the search path where empty
	Data         string // folder of datasets
	Device       string // cpu, or cuda:N
	Cards        string // CUDA_VISIBLE_DEVICES of the process; empty leaves it as it is here
	Threads      int    // of the processor; 0 leaves that to PyTorch
	Folder       string // private to this run; the caller makes and removes it
	LimitSamples int64  // trains and validates on the first so many; 0 is all
	Isolation    int    // of the trainer from the network, as Probe found it; the strictest where it is zero
	Simulate     bool   // computes nothing, and says so
	Pause        time.Duration
}

// Events are told while a run goes on. Epoch is called in order, and by one goroutine; an error of it ends the run. Checkpoint is empty
// for epochs that an earlier run computed.
type Events struct {
	Epoch    func(e training.Epoch, checkpoint string) error
	Progress func(Progress)
}

// Progress is how far an epoch is.
type Progress struct {
	Epoch, Done, Of int64 // batches
}

// Outcome is what a run left.
type Outcome struct {
	WallSec float64
	ONNX    string // path; empty where there is none
	Trained bool   // the file holds the weights that the last epoch left
	Reason  string // why not
	Notes   []string
	Rates   []float64 // samples per second of each epoch that was computed
}

// Failed is a run that cannot be completed: doing it again would end in the same way.
type Failed struct{ Reason string }

func (e *Failed) Error() string { return e.Reason }

// Crashed is a trainer that ended without a word, such as one that the system killed. It may go on from its last checkpoint.
type Crashed struct {
	How        string
	LastWords  string
	Checkpoint string // of the last whole epoch; empty where there is none
}

func (e *Crashed) Error() string {
	if e.LastWords == "" {
		return "the trainer ended by itself: " + e.How
	}
	return fmt.Sprintf("the trainer ended by itself: %s, after saying %q", e.How, e.LastWords)
}

// Simulated is why a simulated run has no trained weights.
const Simulated = "the run was simulated: nothing was computed"

// order is task.json.
type order struct {
	Model      string          `json:"model"`
	Class      string          `json:"class"`
	Dataset    orderData       `json:"dataset"`
	Classes    int64           `json:"classes"`
	InputShape []int64         `json:"inputShape"`
	Config     training.Config `json:"config"`
	Seed       int64           `json:"seed"`
	Device     string          `json:"device"`
	AMP        bool            `json:"amp"`
	Threads    int             `json:"threads,omitempty"`
	Resume     string          `json:"resume,omitempty"`
	Limit      int64           `json:"limitSamples,omitempty"`
	Follow     bool            `json:"followParent"`
	Out        orderOut        `json:"out"`
}

type orderData struct {
	Name  string            `json:"name"`
	Files map[string]string `json:"files"`
}

type orderOut struct {
	Checkpoint string `json:"checkpoint"` // the beginning of its path
	ONNX       string `json:"onnx"`
}

// Run trains a task, going on from a checkpoint where one is named. It ends with Failed or Crashed where the run did, with the
// context's error where that was cancelled, and with the error of Events.Epoch. Some of the outcome is known in every case.
func Run(ctx context.Context, task training.Task, o Options, resume string, ev Events) (out Outcome, err error) {
	began := time.Now()
	defer func() { out.WallSec = time.Since(began).Seconds() }()
	if ev.Epoch == nil {
		ev.Epoch = func(training.Epoch, string) error { return nil }
	}
	if ev.Progress == nil {
		ev.Progress = func(Progress) {}
	}
	ceiling := &Failed{fmt.Sprintf("the run was stopped at its ceiling of %g seconds", task.RuntimeSec)}
	if task.RuntimeSec > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, time.Duration(task.RuntimeSec*float64(time.Second)), ceiling)
		defer cancel()
	}
	if o.Simulate {
		out, err = simulate(ctx, task, o.Pause, ev)
	} else {
		out, err = process(ctx, task, o, resume, ev)
	}
	if err != nil && context.Cause(ctx) == error(ceiling) {
		return out, ceiling
	}
	return out, err
}

// process prepares the folder, runs the trainer, and reads back what it wrote.
func process(ctx context.Context, task training.Task, o Options, resume string, ev Events) (Outcome, error) {
	d := training.Find(task.Dataset)
	if d == nil {
		return Outcome{}, &Failed{fmt.Sprintf("this worker does not know the dataset %q", task.Dataset)}
	}
	files, err := data.Verify(ctx, d, o.Data)
	if err != nil {
		return Outcome{}, err
	}
	folder, err := filepath.Abs(o.Folder)
	if err != nil {
		return Outcome{}, err
	}
	if resume != "" {
		if resume, err = filepath.Abs(resume); err != nil {
			return Outcome{}, err
		}
	}
	text, err := json.Marshal(order{
		Model: filepath.Join(folder, "model.py"), Class: task.Class, Dataset: orderData{d.Name, files}, Classes: d.Classes, InputShape: task.InputShape,
		Config: task.Config, Seed: task.Seed, Device: o.Device, AMP: true, Threads: o.Threads, Resume: resume, Limit: o.LimitSamples, Follow: true,
		Out: orderOut{filepath.Join(folder, "checkpoint"), filepath.Join(folder, "model.onnx")},
	})
	if err != nil {
		return Outcome{}, err
	}
	err = os.Mkdir(filepath.Join(folder, "tmp"), 0o700)
	if errors.Is(err, os.ErrExist) {
		err = nil
	}
	for name, content := range map[string]string{"task.json": string(text), "model.py": task.Model, "train.py": worker.Train} {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	if err != nil {
		return Outcome{}, err
	}
	c := &child{options: o, folder: folder, ev: ev, task: task}
	said, err := c.run(ctx)
	out := Outcome{Notes: c.notes, Rates: c.rates}
	if err != nil {
		return out, err
	}
	out.ONNX, out.Reason = readBack(ctx, task, said)
	out.Trained = out.Reason == ""
	return out, nil
}

// simulate makes up epochs: the loss halves, and nothing is learned.
func simulate(ctx context.Context, task training.Task, pause time.Duration, ev Events) (Outcome, error) {
	out := Outcome{Reason: Simulated}
	loss := 2.0
	for n := range task.Config.Epochs {
		select {
		case <-ctx.Done():
			return out, context.Cause(ctx)
		case <-time.After(pause):
		}
		loss /= 2
		if err := ev.Epoch(training.Epoch{Epoch: n + 1, TrainLoss: loss, ValLoss: loss, ValAcc: 0}, ""); err != nil {
			return out, err
		}
	}
	return out, nil
}

// inOrder says what is wrong with the next epoch that a trainer reports.
func inOrder(done []int64, e training.Epoch, most int64) error {
	switch next := int64(len(done)) + 1; {
	case e.Epoch != next || next > most:
		return &Failed{fmt.Sprintf("the trainer reported epoch %d behind %v, and %d were asked for", e.Epoch, slices.Clone(done), most)}
	case !e.Finite():
		return &Failed{fmt.Sprintf("the trainer reported figures that are no numbers in epoch %d", e.Epoch)}
	}
	return nil
}
