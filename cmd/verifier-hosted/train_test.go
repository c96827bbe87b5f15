package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/action/train"
	"github.com/modelverifier/verifier/internal/blob/s3test"
	"github.com/modelverifier/verifier/internal/importer/onnx"
	"github.com/modelverifier/verifier/internal/jobs/slurm/slurmtest"
	"github.com/modelverifier/verifier/internal/pythontest"
	"github.com/modelverifier/verifier/internal/training/data/datatest"
)

// perceptron is a small model of the tabular dataset.
const perceptron = `{"components":[{"id":"x","type":"input","params":{"shape":[30]}},{"id":"h","type":"linear","params":{"inFeatures":30,"outFeatures":16}},{"id":"r","type":"relu"},` +
	`{"id":"o","type":"linear","params":{"inFeatures":16,"outFeatures":2}},{"id":"y","type":"output"}],` +
	`"connections":[{"from":"x","to":"h"},{"from":"h","to":"r"},{"from":"r","to":"o"},{"from":"o","to":"y"}]}`

// buildWorker builds verifier-worker into a folder.
func buildWorker(t *testing.T, folder string) string {
	t.Helper()
	path := filepath.Join(folder, "verifier-worker")
	if out, err := exec.Command("go", "build", "-o", path, "../verifier-worker").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// keyed makes an organisation beside the service, and returns a key of it.
func keyed(t *testing.T, data string) string {
	t.Helper()
	a, org, person := operator(t, "sqlite:"+filepath.Join(data, "verifier.db"))
	_, key, err := a.CreateKey(context.Background(), org, person, "test")
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// submitted asks for a run until somebody offers to do it.
func submitted(t *testing.T, p *process, key, body string) (out struct {
	JobID         string `json:"job_id"`
	Mode, Backend string
}) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		status, answer, err := p.post("/api/v1/train", key, body)
		if err != nil {
			t.Fatal(err)
		}
		if status == http.StatusServiceUnavailable && time.Now().Before(deadline) {
			continue // the worker has not called yet
		}
		if err := json.Unmarshal([]byte(answer), &out); err != nil || status >= 300 || out.JobID == "" {
			t.Fatalf("%d %s %v\n%s", status, answer, err, p.stderr)
		}
		return out
	}
}

// trained polls a job until it has ended.
func trained(t *testing.T, p *process, key, id string) train.Job {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		status, answer, err := send(http.MethodGet, p.url+"/api/v1/train?job="+id, key, "")
		var j train.Job
		if err != nil || status != 200 || json.Unmarshal([]byte(answer), &j) != nil {
			t.Fatalf("%d %s %v", status, answer, err)
		}
		if j.CompletedAt != "" {
			return j
		}
		if time.Now().After(deadline) {
			t.Fatalf("it does not end: %s\n%s", answer, p.stderr)
		}
	}
}

// wantWeights holds a job that has ended to what real training of the perceptron leaves.
func wantWeights(t *testing.T, j train.Job, backend string, epochs int) {
	t.Helper()
	if j.Status != "completed" || j.Mode != "cpu" || j.Backend != backend || j.Ledger != "written" || j.EstCostUSD != 0 || len(j.Epochs) != epochs || j.ModelTrained == nil || !*j.ModelTrained || j.ModelFormat != "onnx" {
		t.Fatalf("%+v", j)
	}
	last := j.Epochs[len(j.Epochs)-1]
	t.Logf("%s: %d epochs in %.1f s, validation accuracy %.3f", backend, len(j.Epochs), *j.WallSec, last.ValAcc)
	if last.ValAcc < 0.9 {
		t.Errorf("the accuracy is %v", last.ValAcc)
	}
	resp, err := http.Get(j.ModelURL) // without a key
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	file, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 || !strings.HasPrefix(resp.Header.Get("Content-Disposition"), "attachment") {
		t.Fatalf("%s: %s %v", j.ModelURL, resp.Status, err)
	}
	stored, err := onnx.Stored(t.Context(), bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	var weights int64
	for _, s := range stored {
		n, _ := s.Elements()
		weights += n
	}
	if want := int64(30*16 + 16 + 16*2 + 2); weights != want {
		t.Errorf("the file holds %d weights, want %d", weights, want)
	}
}

// TestAJobRunsOnSlurmFromSubmissionToWeights trains on a real Slurm with the real worker: over the API, through sbatch, to a file that
// our own importer reads.
func TestAJobRunsOnSlurmFromSubmissionToWeights(t *testing.T) {
	python, datasets := pythontest.WithTorch(t), datatest.Folder(t, "tabular")
	cluster := slurmtest.Start(t)
	shared, data := filepath.Join(cluster.Dir, "shared"), filepath.Join(cluster.Dir, "data")
	if err := os.Mkdir(shared, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(cluster.Dir, "cluster.yaml")
	text := fmt.Sprintf("folder: %s\nworker: %s\ndata: %s\npython: %s\nslurmConf: %s\ncpu: true\ncards: {T4: \"gpu:t4\"} # of which no node has one\n", shared, buildWorker(t, cluster.Dir), datasets, python, cluster.Conf)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := begin(t, "--data", data, "--slurm", file, "--local-worker", "off")
	key := keyed(t, data)
	s := submitted(t, p, key, `{"dataset":"tabular","config":{"epochs":5,"batchSize":16,"lr":0.01},"model":`+perceptron+`}`)
	if s.Backend != "slurm" || s.Mode != "cpu" {
		t.Errorf("%+v", s)
	}
	j := trained(t, p, key, s.JobID)
	log, _ := os.ReadFile(filepath.Join(shared, "mv-"+s.JobID+"-1.log"))
	if j.Status != "completed" {
		t.Fatalf("%s: %s\n%s\n%s", j.Status, j.Reason, log, p.stderr)
	}
	wantWeights(t, j, "slurm", 5)
	until(t, "the token is removed", func() bool {
		_, err := os.Stat(filepath.Join(shared, "mv-"+s.JobID+"-1.token"))
		return errors.Is(err, fs.ErrNotExist)
	})
	until(t, "Slurm has seen its end", func() bool {
		out, err := cluster.Command("squeue", "-h", "--states=all", "-o", "%j %T")
		return err == nil && strings.Contains(out, "mv-"+s.JobID+"-1 COMPLETED")
	})
	if err := p.end(t, syscall.SIGTERM); err != nil {
		t.Errorf("stopping: %v\n%s", err, p.stderr)
	}
}

func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

// TestTheServiceTrainsByItself runs the two programs side by side, as make run does, and keeps the weights in S3.
func TestTheServiceTrainsByItself(t *testing.T) {
	python, datasets := pythontest.WithTorch(t), datatest.Folder(t, "tabular")
	dir := t.TempDir()
	buildWorker(t, dir)
	own := filepath.Join(dir, "verifier-hosted")
	if err := os.Link(os.Args[0], own); err != nil {
		binary, err := os.ReadFile(os.Args[0])
		if err == nil {
			err = os.WriteFile(own, binary, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	data := filepath.Join(dir, "data")
	p := beginAt(t, own, "--data", data, "--python", python, "--worker-data", datasets, "--weights-url", s3test.Start(t, t.TempDir()).Address())
	key := keyed(t, data)
	s := submitted(t, p, key, `{"dataset":"tabular","config":{"epochs":4,"batchSize":16,"lr":0.01},"model":`+perceptron+`}`)
	j := trained(t, p, key, s.JobID)
	wantWeights(t, j, "local", 4)
	if !strings.Contains(j.ModelURL, "X-Amz-Expires=600") {
		t.Errorf("the link is %s", j.ModelURL)
	}
	if err := p.end(t, syscall.SIGTERM); err != nil {
		t.Errorf("stopping: %v\n%s", err, p.stderr)
	}
	if left, err := os.ReadDir(filepath.Join(data, "local")); err != nil || len(left) > 0 {
		t.Error("the local worker's token is left: ", left, err)
	}
	if strings.Contains(p.stderr.String(), "mvw_") {
		t.Error("a token is in the log")
	}
}
