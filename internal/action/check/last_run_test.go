package check

import (
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/quantity"
)

func TestTheLastRunIsInTheTrainAndEvaluateStages(t *testing.T) {
	last := &LastRun{JobID: "j1", At: "2026-05-04T03:02:01Z", Dataset: "mnist", Mode: "gpu", GPU: "T4", Epochs: 1, Metric: "valAcc", Value: 0.98765,
		WallSec: new(12.5), EstCostUSD: new(quantity.USD(1_230_000)), Source: "train:mnist@gpu"}
	e := Examine(&Request{Model: parse(t, clean)})
	if e.Fingerprint() != Run(&Request{Model: parse(t, clean)}).Study.Walked.Fingerprint() {
		t.Error("the fingerprint is another one before the stages")
	}
	e.walk.request.LastRun = last
	r := e.Result()
	train, evaluate := r.Stages[2], r.Stages[3]
	if train.Data.(TrainData).LastRun != last || !strings.HasSuffix(train.Headline, "; last run valAcc 0.9877 on mnist, 2026-05-04") {
		t.Errorf("train: %+v", train)
	}
	if evaluate.Data.(EvaluateData).Run != last || evaluate.Headline != "valAcc 0.9877 on mnist, 2026-05-04, after 1 epoch for $1.23" {
		t.Errorf("evaluate: %+v", evaluate)
	}
	if got := strings.Join(keys(t, last), " "); got != "job_id at dataset mode gpu epochs metric value wallSec estCostUsd source" {
		t.Errorf("a run has %s", got)
	}
	if got := strings.Join(keys(t, &LastRun{}), " "); got != "job_id at dataset mode epochs metric value" {
		t.Errorf("a run of which little is known has %s", got)
	}
}

func TestWithoutARunTheStagesSaySo(t *testing.T) {
	r := Run(&Request{Model: parse(t, clean)})
	if train := r.Stages[2]; train.Data.(TrainData).LastRun != nil || !strings.HasSuffix(train.Headline, "; no run yet") {
		t.Errorf("train: %+v", train)
	}
	if evaluate := r.Stages[3]; evaluate.Data.(EvaluateData).Run != nil || evaluate.Headline != "nothing to evaluate before a training run" {
		t.Errorf("evaluate: %+v", evaluate)
	}
}
