//go:build linux

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"time"

	actiontrain "github.com/modelverifier/verifier/internal/action/train"
	"github.com/modelverifier/verifier/internal/training"
	"github.com/modelverifier/verifier/internal/training/protocol"
	fleet "github.com/modelverifier/verifier/internal/worker"
)

// job is a training job that was taken.
type job struct{ id string }

// epochs is how long a job trains.
const epochs = 3

// train submits a job of a structure of its own.
func (l *load) train(_ context.Context) {
	n := l.kept.next()
	model := fmt.Sprintf(`{"components":[{"id":"x","type":"input","params":{"shape":[1,28,28]}},{"id":"f","type":"flatten"},
		{"id":"a","type":"linear","params":{"inFeatures":784,"outFeatures":%d}},{"id":"b","type":"linear","params":{"inFeatures":%d,"outFeatures":10}},{"id":"y","type":"output"}],
		"connections":[{"from":"x","to":"f"},{"from":"f","to":"a"},{"from":"a","to":"b"},{"from":"b","to":"y"}]}`, n+8, n+8)
	status, answer := l.ask(jobbing, l.trainer.key, http.MethodPost, "/api/v1/train", fmt.Appendf(nil, `{"dataset":"mnist","config":{"epochs":%d},"model":%s}`, epochs, model))
	var made struct {
		ID string `json:"job_id"`
	}
	switch {
	case status == 0:
	case status != http.StatusOK || json.Unmarshal(answer, &made) != nil || made.ID == "":
		l.lied("a job is refused: %d %.300s", status, answer)
	default:
		l.kept.mu.Lock()
		defer l.kept.mu.Unlock()
		l.kept.jobs = append(l.kept.jobs, &job{id: made.ID})
	}
}

// polled asks how a job stands, as its owner.
func (l *load) polled(j *job) (*actiontrain.Job, bool) {
	status, answer := l.ask(jobbing, l.trainer.key, http.MethodGet, "/api/v1/train?job="+j.id, nil)
	if status == 0 {
		return nil, false
	}
	out := &actiontrain.Job{}
	if err := json.Unmarshal(answer, out); status != http.StatusOK || err != nil || out.JobID != j.id {
		l.lied("job %s, which was taken: %d %.300s", j.id, status, answer)
		return nil, false
	}
	return out, true
}

// measured is the row of an epoch: the same whoever computes it.
func measured(job string, n int64) training.Epoch {
	return training.Epoch{Epoch: n, TrainLoss: float64(sha256.Sum256(fmt.Append(nil, job, n))[0]), ValLoss: 1 / float64(n), ValAcc: 0.5}
}

// weights are those of a job, whoever trained it.
func weights(job string) []byte { return bytes.Repeat([]byte("weights of "+job+"\n"), 2000) }

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// judge looks at a job that has ended: its epochs and its weights are those that its worker sent.
func (l *load) judge(j *actiontrain.Job) (answered bool) {
	if j.Status != "completed" {
		l.lied("job %s ended as %s behind %d attempts: %s", j.JobID, j.Status, j.Attempts, j.Reason)
		return true
	}
	if len(j.Epochs) != epochs {
		l.lied("job %s completed with %d epochs of %d", j.JobID, len(j.Epochs), epochs)
	}
	if j.Mode == "simulated" {
		return true
	}
	want := []training.Epoch(nil)
	for n := range int64(epochs) {
		want = append(want, measured(j.JobID, n+1))
	}
	if !slices.Equal(j.Epochs, want) {
		l.lied("job %s has epochs %v, its worker sent %v", j.JobID, j.Epochs, want)
	}
	resp, err := l.client.Get(j.ModelURL)
	if err != nil {
		l.failed(jobbing, err.Error())
		return false
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= http.StatusInternalServerError {
		l.failed(jobbing, fmt.Sprintf("weights: %d %v", resp.StatusCode, err))
		return false
	}
	if resp.StatusCode != http.StatusOK || !bytes.Equal(got, weights(j.JobID)) {
		l.lied("the weights of job %s: %d, %d bytes %s at %s", j.JobID, resp.StatusCode, len(got), tail(string(got[:min(len(got), 200)])), j.ModelURL)
	}
	return true
}

// labour is one worker: the last is the real one, which simulates; the others stand in for the trainer alone, and do everything else that a
// worker does.
func (l *load) labour(ctx context.Context, i int) {
	token := l.workers[i]
	for ctx.Err() == nil {
		if i == len(l.workers)-1 {
			_ = fleet.Run(ctx, fleet.Options{Server: l.url, Token: token, Simulate: true, Pause: 200 * time.Millisecond, Client: l.client, Log: slog.New(slog.DiscardHandler)})
			pause(ctx, time.Second)
			continue
		}
		s := shift{load: l, token: token}
		if !s.work(ctx) {
			pause(ctx, 300*time.Millisecond)
		}
	}
}

// shift is one job of a worker.
type shift struct {
	*load
	token string
	protocol.Assignment
}

// work leases a job and trains it, and reports whether there was one.
func (s *shift) work(ctx context.Context) bool {
	offer, _ := json.Marshal(protocol.Offer{Name: "soak", CPU: true, Datasets: training.DatasetNames()})
	status, answer := s.ask(working, s.token, http.MethodPost, protocol.Prefix+"lease", offer)
	if status != http.StatusOK {
		return false
	}
	if err := json.Unmarshal(answer, &s.Assignment); err != nil {
		s.lied("a lease: %.200s", answer)
		return false
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	held, _ := json.Marshal(protocol.Held{Lease: s.Lease.ID})
	go func() {
		for ctx.Err() == nil {
			pause(ctx, time.Duration(s.Lease.Seconds/6*float64(time.Second)))
			if ctx.Err() == nil {
				_, _ = s.ask(working, s.token, http.MethodPost, protocol.Prefix+"jobs/"+s.Job+"/heartbeat", held)
			}
		}
	}()
	return s.run(ctx)
}

// insist makes a call until it is answered; not where the lease is lost.
func (s *shift) insist(ctx context.Context, method, path string, body []byte, headers ...string) ([]byte, bool) {
	for ctx.Err() == nil {
		status, answer := s.ask(working, s.token, method, protocol.Prefix+"jobs/"+s.Job+"/"+path, body, headers...)
		switch {
		case status == http.StatusOK:
			return answer, true
		case status == http.StatusConflict:
			return nil, false
		case status != 0:
			s.lied("a worker is refused: %s %s: %d %.200s", method, path, status, answer)
			return nil, false
		}
		pause(ctx, 200*time.Millisecond)
	}
	return nil, false
}

// run does what a trainer and the worker around it do, but for the computing.
func (s *shift) run(ctx context.Context) bool {
	var rows []training.Epoch
	send := func() bool {
		body, _ := json.Marshal(protocol.Epochs{Lease: s.Lease.ID, Epochs: rows})
		_, ok := s.insist(ctx, http.MethodPost, "epochs", body)
		return ok
	}
	if s.Checkpoint != nil {
		saved, ok := s.insist(ctx, http.MethodGet, "checkpoint?lease="+s.Lease.ID, nil)
		if !ok {
			return false
		}
		if sum(saved) != s.Checkpoint.SHA256 || json.Unmarshal(saved, &rows) != nil || int64(len(rows)) != s.Checkpoint.Epoch {
			s.lied("the checkpoint of %s at epoch %d is %.200s", s.Job, s.Checkpoint.Epoch, saved)
			return false
		}
		if !send() { // the worker before may have died between the checkpoint and its row
			return false
		}
	}
	for n := int64(len(rows)) + 1; n <= s.Task.Config.Epochs; n++ {
		pause(ctx, 200*time.Millisecond)
		rows = append(rows, measured(s.Job, n))
		saved, _ := json.Marshal(rows)
		if _, ok := s.insist(ctx, http.MethodPut, fmt.Sprintf("checkpoint?lease=%s&epoch=%d", s.Lease.ID, n), saved, "Digest", "sha-256="+sum(saved)); !ok || !send() {
			return false
		}
	}
	w := weights(s.Job)
	if _, ok := s.insist(ctx, http.MethodPut, "model?lease="+s.Lease.ID, w, "Digest", "sha-256="+sum(w)); !ok {
		return false
	}
	end, _ := json.Marshal(protocol.End{Lease: s.Lease.ID, Status: "completed", ModelTrained: true, ModelFormat: "onnx", ModelSHA256: sum(w), ModelBytes: int64(len(w))})
	_, ok := s.insist(ctx, http.MethodPost, "finish", end)
	return ok
}
