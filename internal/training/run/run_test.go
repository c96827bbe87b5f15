package run

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/exporter/task"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer"
	"github.com/modelverifier/verifier/internal/pythontest"
	"github.com/modelverifier/verifier/internal/training"
	"github.com/modelverifier/verifier/internal/training/data/datatest"
)

func options(t *testing.T, datasets ...string) Options {
	t.Helper()
	return Options{Python: pythontest.WithTorch(t), Data: datatest.Folder(t, datasets...), Device: "cpu", Threads: 1, Folder: private(t)}
}

func private(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func given(t *testing.T, text, dataset string, c training.Config) training.Task {
	t.Helper()
	g, err := graph.Parse(chained(text))
	if err != nil {
		t.Fatal(err)
	}
	out, err := task.Of(g, dataset, c)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// chained ends a list of components with an output, and connects each with the next.
func chained(text string) string {
	text += "y: output\n"
	var names []string
	for _, line := range strings.Split(text, "\n") {
		if name, _, ok := strings.Cut(line, ":"); ok {
			names = append(names, name)
		}
	}
	return text + "\n" + strings.Join(names, " -> ") + "\n"
}

const (
	classifier = `graph "Classifier"
x: input shape=[30]
fc1: linear inFeatures=30 outFeatures=32
norm: batchNorm numFeatures=32
act: relu
drop: dropout p=0.2
fc2: linear inFeatures=32 outFeatures=2
`
	digits = `graph "Digits"
x: input shape=[1,28,28]
conv1: conv2d inChannels=1 outChannels=8 kernelSize=3 stride=2
bn: batchNorm numFeatures=8
act1: relu
conv2: conv2d inChannels=8 outChannels=16 kernelSize=3 stride=2
act2: relu
flat: flatten
drop: dropout p=0.1
fc: linear inFeatures=576 outFeatures=10
`
)

// recorded is what a run told.
type recorded struct {
	rows        []training.Epoch
	checkpoints []string
}

func (r *recorded) events() Events {
	return Events{Epoch: func(e training.Epoch, checkpoint string) error {
		if checkpoint != "" {
			if info, err := os.Stat(checkpoint); err != nil || info.Size() == 0 {
				return fmt.Errorf("epoch %d was told before its checkpoint: %v", e.Epoch, err)
			}
		}
		r.rows, r.checkpoints = append(r.rows, e), append(r.checkpoints, checkpoint)
		return nil
	}}
}

func TestTheTabularSetIsTrained(t *testing.T) {
	o := options(t, "tabular")
	var r recorded
	out, err := Run(t.Context(), given(t, classifier, "tabular", training.Config{Epochs: 15, BatchSize: 32, LR: 1e-2, Optimizer: "adamw"}), o, "", r.events())
	if err != nil {
		t.Fatal(err)
	}
	last := r.rows[len(r.rows)-1]
	if len(r.rows) != 15 || last.ValAcc < 0.93 || last.TrainLoss > r.rows[0].TrainLoss/2 {
		t.Errorf("%d epochs, the last is %+v", len(r.rows), last)
	}
	if !out.Trained || out.Reason != "" || out.ONNX == "" || out.WallSec <= 0 {
		t.Errorf("%+v", out)
	}
	t.Logf("%d rows, validation accuracy %.3f, %.1f s; %s", len(r.rows), last.ValAcc, out.WallSec, strings.Join(out.Notes, "; "))
}

func TestASubsetOfMNISTIsTrained(t *testing.T) {
	o := options(t, "mnist")
	o.LimitSamples = 4000
	var r recorded
	progress := 0
	ev := r.events()
	ev.Progress = func(Progress) { progress++ }
	out, err := Run(t.Context(), given(t, digits, "mnist", training.Config{Epochs: 3, BatchSize: 64, LR: 3e-3, Optimizer: "adam"}), o, "", ev)
	if err != nil {
		t.Fatal(err)
	}
	if last := r.rows[len(r.rows)-1]; len(r.rows) != 3 || last.ValAcc < 0.85 || !out.Trained {
		t.Errorf("%+v, %+v", r.rows, out)
	}
	t.Logf("%+v, %.1f s, %.0f samples/s", r.rows, out.WallSec, out.Rates)
}

func TestASubsetOfCIFAR10IsTrained(t *testing.T) {
	o := options(t, "cifar10")
	o.LimitSamples = 2000
	text := strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(digits, "[1,28,28]", "[3,32,32]"), "inChannels=1 ", "inChannels=3 "), "576", "784")
	var r recorded
	out, err := Run(t.Context(), given(t, text, "cifar10", training.Config{Epochs: 3, BatchSize: 50, LR: 0.02, Optimizer: "sgd"}), o, "", r.events())
	if err != nil {
		t.Fatal(err)
	}
	if last := r.rows[len(r.rows)-1]; last.ValAcc < 0.2 || !out.Trained { // ten classes: chance is a tenth
		t.Errorf("%+v, %+v", r.rows, out)
	}
}

// TestAKilledTrainerGoesOnWhereItWas kills the trainer with SIGKILL at drawn moments until the run is through, and compares with a run
// that was left alone. Dropout and shuffling would show a random state that was not kept.
func TestAKilledTrainerGoesOnWhereItWas(t *testing.T) {
	o := options(t, "tabular")
	k := given(t, classifier, "tabular", training.Config{Epochs: 20, BatchSize: 8, LR: 1e-2, Optimizer: "adam"})
	var whole recorded
	if _, err := Run(t.Context(), k, o, "", whole.events()); err != nil {
		t.Fatal(err)
	}
	draw := rand.New(rand.NewPCG(4, 2)) // kills early, and so several times
	resume, kills := "", 0
	var rows []training.Epoch
	for range 40 {
		o.Folder = private(t)
		var r recorded
		computed, last := 0, 1+draw.IntN(12)
		pause := time.Duration(draw.Float64() * float64(80*time.Millisecond))
		ev := r.events()
		tell := ev.Epoch
		ev.Epoch = func(e training.Epoch, checkpoint string) error {
			if checkpoint != "" {
				computed++
			}
			if computed == last {
				go kill(o.Folder, pause)
			}
			return tell(e, checkpoint)
		}
		_, err := Run(t.Context(), k, o, resume, ev)
		rows = r.rows
		if err == nil {
			break
		}
		crashed := (*Crashed)(nil)
		if !errors.As(err, &crashed) {
			t.Fatal(err)
		}
		kills++
		if crashed.Checkpoint != "" {
			resume = crashed.Checkpoint
		}
	}
	t.Logf("%d kills", kills)
	if kills == 0 || !reflect.DeepEqual(rows, whole.rows) {
		t.Errorf("after %d kills\n%+v\nwithout\n%+v", kills, rows, whole.rows)
	}
}

// kill sends SIGKILL to the trainer of a folder after some time.
func kill(folder string, after time.Duration) {
	time.Sleep(after)
	for _, pid := range trainers(folder) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// trainers finds the processes that run in a folder.
func trainers(folder string) (pids []int) {
	found, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range found {
		text, err := os.ReadFile(path)
		if pid, bad := strconv.Atoi(strings.Split(path, "/")[2]); err == nil && bad == nil && strings.Contains(string(text), filepath.Join(folder, "train.py")) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func TestDivergenceIsAnErrorWithItsEpoch(t *testing.T) {
	o := options(t, "tabular")
	deep := strings.Replace(classifier, "norm: batchNorm numFeatures=32\n", "", 1)
	deep = strings.Replace(deep, "drop: dropout p=0.2\n", strings.Repeat("l: linear inFeatures=32 outFeatures=32\n", 1), 1)
	_, err := Run(t.Context(), given(t, deep, "tabular", training.Config{Epochs: 5, BatchSize: 8, LR: 1, Optimizer: "sgd"}), o, "", Events{})
	if failed := (*Failed)(nil); !errors.As(err, &failed) || !strings.Contains(failed.Reason, "in epoch 1: the run diverged") {
		t.Error(err)
	}
}

func TestACancelledRunEndsItsProcess(t *testing.T) {
	o := options(t, "mnist")
	ctx, cancel := context.WithCancel(t.Context())
	var asked atomic.Int64
	ev := Events{Progress: func(Progress) { asked.CompareAndSwap(0, time.Now().UnixNano()); cancel() }}
	_, err := Run(ctx, given(t, digits, "mnist", training.Config{Epochs: 20, BatchSize: 8, LR: 1e-3, Optimizer: "adam"}), o, "", ev)
	if took := time.Since(time.Unix(0, asked.Load())); !errors.Is(err, context.Canceled) || took > grace {
		t.Errorf("%v after %v", err, took)
	}
	if left := trainers(o.Folder); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
}

// TestTheTrainerEndsWithItsParent kills a process that trains, which then can end nothing itself.
func TestTheTrainerEndsWithItsParent(t *testing.T) {
	o := options(t, "mnist")
	if folder := os.Getenv("VERIFIER_TEST_PARENT"); folder != "" { // this is that process
		o.Folder = folder
		_, err := Run(t.Context(), given(t, digits, "mnist", training.Config{Epochs: 20, BatchSize: 8, LR: 1e-3, Optimizer: "adam"}), o, "", Events{})
		t.Fatalf("ended: %v", err)
	}
	parent := exec.Command(os.Args[0], "-test.run=^TestTheTrainerEndsWithItsParent$")
	parent.Env = append(os.Environ(), "VERIFIER_TEST_PARENT="+o.Folder, "TMPDIR="+t.TempDir()) // it is killed, and removes nothing
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	within(t, "a trainer", func() bool { return len(trainers(o.Folder)) > 0 })
	time.Sleep(time.Second) // until it is in Python
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	within(t, "no trainer", func() bool { return len(trainers(o.Folder)) == 0 })
}

func within(t *testing.T, what string, there func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !there(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited a minute for %s", what)
		}
	}
}

func TestTheCeilingEndsARun(t *testing.T) {
	o := options(t, "mnist")
	k := given(t, digits, "mnist", training.Config{Epochs: 20, BatchSize: 8, LR: 1e-3, Optimizer: "adam"})
	k.RuntimeSec = 4
	_, err := Run(t.Context(), k, o, "", Events{})
	if failed := (*Failed)(nil); !errors.As(err, &failed) || failed.Reason != "the run was stopped at its ceiling of 4 seconds" {
		t.Error(err)
	}
	if left := trainers(o.Folder); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
}

func TestAFaultOfTheCallerEndsARun(t *testing.T) {
	o := options(t, "tabular")
	lost := errors.New("the lease is lost")
	_, err := Run(t.Context(), given(t, classifier, "tabular", training.Config{Epochs: 20, BatchSize: 8, LR: 1e-3, Optimizer: "adam"}), o, "",
		Events{Epoch: func(training.Epoch, string) error { return lost }})
	if !errors.Is(err, lost) || len(trainers(o.Folder)) > 0 {
		t.Error(err)
	}
}

func TestACheckpointOfAnotherRunIsRefused(t *testing.T) {
	o := options(t, "tabular")
	c := training.Config{Epochs: 2, BatchSize: 64, LR: 1e-3, Optimizer: "adam"}
	if _, err := Run(t.Context(), given(t, classifier, "tabular", c), o, "", Events{}); err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(o.Folder, "checkpoint-2.pt")
	o.Folder = private(t)
	c.LR = 1e-2
	_, err := Run(t.Context(), given(t, classifier, "tabular", c), o, kept, Events{})
	if failed := (*Failed)(nil); !errors.As(err, &failed) || failed.Reason != "the checkpoint is of another run" {
		t.Error(err)
	}
}

func TestAlteredDataIsNotTrainedOn(t *testing.T) {
	o := options(t, "tabular")
	content, err := os.ReadFile(filepath.Join(o.Data, "tabular", "breast_cancer.csv"))
	if err != nil {
		t.Fatal(err)
	}
	content[5000] ^= 1
	o.Data = t.TempDir()
	if err := errors.Join(os.Mkdir(o.Data+"/tabular", 0o755), os.WriteFile(o.Data+"/tabular/breast_cancer.csv", content, 0o644)); err != nil {
		t.Fatal(err)
	}
	_, err = Run(t.Context(), given(t, classifier, "tabular", training.Defaults), o, "", Events{})
	if err == nil || !strings.Contains(err.Error(), "as it was published has") {
		t.Error(err)
	}
}

func TestSimulationIsSaid(t *testing.T) {
	var r recorded
	out, err := Run(t.Context(), training.Task{Config: training.Config{Epochs: 4}}, Options{Simulate: true}, "", r.events())
	if err != nil || out.Trained || out.Reason != Simulated || len(r.rows) != 4 {
		t.Errorf("%+v, %v", out, err)
	}
}

// TestTheTrainerHasNothingOfOurs runs a program in the trainer's place that writes down what it was given.
func TestTheTrainerHasNothingOfOurs(t *testing.T) {
	t.Setenv("VERIFIER_WORKER_TOKEN", "mvw_secret")
	o := Options{Python: script(t, `env > env.txt; ls /proc/self/fd > fds.txt; cat /proc/net/dev > net.txt; ls -ld . > mode.txt; exit 3`), Data: datatest.Folder(t, "tabular"), Device: "cpu", Folder: private(t)}
	out, err := Run(t.Context(), given(t, classifier, "tabular", training.Defaults), o, "", Events{})
	if crashed := (*Crashed)(nil); !errors.As(err, &crashed) || !strings.Contains(crashed.How, "exit status 3") {
		t.Fatal(err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(o.Folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if env := read("env.txt"); strings.Contains(env, "mvw_") || !strings.Contains(env, "HOME="+o.Folder) || strings.Count(env, "\n") > 10 {
		t.Errorf("environment:\n%s", env)
	}
	if !strings.HasPrefix(read("mode.txt"), "drwx------") {
		t.Errorf("folder: %s", read("mode.txt"))
	}
	if strings.Contains(out.Notes[0], "empty network") {
		if net := read("net.txt"); strings.Contains(net, "eth") || strings.Count(net, ":") > 1 {
			t.Errorf("network:\n%s", net)
		}
	}
	t.Log(out.Notes)
}

func script(t *testing.T, lines string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "python3")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+lines+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWhatATrainerSaysIsHeldAgainstTheTask(t *testing.T) {
	folder := datatest.Folder(t, "tabular")
	row := `{"event":"epoch","epoch":%d,"trainLoss":%s,"valLoss":1,"valAcc":0.5}`
	for name, c := range map[string]struct{ lines, want string }{
		"an epoch that is left out":  {fmt.Sprintf("echo '"+row+"'", 2, "1"), "reported epoch 2 behind []"},
		"an epoch that comes twice":  {fmt.Sprintf("echo '"+row+"'; echo '"+row+"'", 1, "1", 1, "1"), "reported epoch 1 behind [1]"},
		"a figure that is no number": {fmt.Sprintf("echo '"+row+"'", 1, "null"), "without its figures"},
		"too few epochs":             {`echo '{"event":"done","onnx":null,"reason":"no"}'`, "after 0 of 3 epochs"},
		"NaN, which is no JSON":      {fmt.Sprintf("echo '"+row+"'", 1, "NaN"), "NaN"},
		"a line without an end":      {`head -c 9000000 /dev/zero | tr '\0' x; echo; echo '{"event":"error","reason":"so it is"}'`, "so it is"},
		"an end without a last word": {`true`, "exit status 0 before its last event"},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Python: script(t, c.lines), Data: folder, Device: "cpu", Folder: private(t)}
			_, err := Run(t.Context(), given(t, classifier, "tabular", training.Defaults), o, "", Events{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func TestAFileThatIsNotTheModelIsNotTrained(t *testing.T) {
	o := options(t, "tabular")
	k := given(t, classifier, "tabular", training.Config{Epochs: 1, BatchSize: 64, LR: 1e-3, Optimizer: "adam"})
	out, err := Run(t.Context(), k, o, "", Events{})
	if err != nil || !out.Trained {
		t.Fatalf("%+v, %v", out, err)
	}
	trained := []training.Weight{{Name: "fc1.weight", Shape: []int64{32, 30}}, {Name: "fc1.bias", Shape: []int64{32}}, {Name: "norm.weight", Shape: []int64{32}},
		{Name: "norm.bias", Shape: []int64{32}}, {Name: "fc2.weight", Shape: []int64{2, 32}}, {Name: "fc2.bias", Shape: []int64{2}}}
	if _, reason := readBack(t.Context(), k, event{ONNX: &out.ONNX, Weights: trained}); reason != "" {
		t.Fatal(reason)
	}
	other := k
	other.Weights = k.Weights[1:]
	if _, reason := readBack(t.Context(), other, event{ONNX: &out.ONNX, Weights: trained}); !strings.Contains(reason, "the model has 5 weights, PyTorch trained 6") {
		t.Error(reason)
	}
	content, err := os.ReadFile(out.ONNX)
	if err != nil {
		t.Fatal(err)
	}
	half := filepath.Join(o.Folder, "half.onnx")
	if err := os.WriteFile(half, content[:len(content)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, reason := readBack(t.Context(), k, event{ONNX: &half, Weights: trained}); !strings.Contains(reason, "cannot be read back") {
		t.Error(reason)
	}
	stored := []importer.Tensor{{Name: "fc1.weight", Shape: []int64{30, 32}, Bytes: 4 * 960}}
	if reason := compare(k, trained, stored); !strings.Contains(reason, "fc1.weight is [30,32] in it, and [32,30] in the model") {
		t.Error(reason)
	}
}
