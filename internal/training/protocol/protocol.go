// Package protocol is what workers and the service say to each other: the bodies of /api/worker/v1.
//
// A worker is told durations and no times, so that its clock decides nothing. Every call about a job names the lease under which
// the worker runs it.
package protocol

import "github.com/modelverifier/verifier/internal/training"

// Prefix is where the service answers workers.
const Prefix = "/api/worker/v1/"

// Offer is what a worker can do, and asks for a job.
type Offer struct {
	Name     string   `json:"name"` // of the machine, for its operator
	Version  string   `json:"version"`
	Torch    string   `json:"torch"` // version of PyTorch; empty where it simulates
	Cards    []string `json:"cards"` // those that are free, as package hardware names them
	CPU      bool     `json:"cpu"`   // takes jobs that need no card
	Simulate bool     `json:"simulate"`
	Datasets []string `json:"datasets"`      // whose files are there
	Job      string   `json:"job,omitempty"` // the only job that it came for
}

// Assignment is a job, and the right to run it.
type Assignment struct {
	Lease      Lease         `json:"lease"`
	Job        string        `json:"job"`
	Mode       string        `json:"mode"`
	GPU        string        `json:"gpu,omitempty"` // which of its cards to use
	Task       training.Task `json:"task"`
	Checkpoint *Checkpoint   `json:"checkpoint,omitempty"` // to go on from
}

// Lease is a worker's right to run a job.
type Lease struct {
	ID      string  `json:"id"`
	Seconds float64 `json:"seconds"` // until it ends, unless a heartbeat renews it
}

// Checkpoint is what an earlier attempt left.
type Checkpoint struct {
	Epoch  int64  `json:"epoch"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

// Held is the body of a call that says only which lease it is under.
type Held struct {
	Lease string `json:"lease"`
}

// Orders is the answer to a heartbeat.
type Orders struct {
	Seconds float64 `json:"seconds"` // until the lease ends
	Cancel  bool    `json:"cancel"`  // stop, and say cancelled
}

// Epochs pushes rows. Those that are there already are left alone.
type Epochs struct {
	Lease  string           `json:"lease"`
	Epochs []training.Epoch `json:"epochs"`
}

// End is how a run ended.
type End struct {
	Lease        string  `json:"lease"`
	Status       string  `json:"status"` // completed, error or cancelled
	WallSec      float64 `json:"wallSec"`
	Error        string  `json:"error,omitempty"` // a sentence for the job's owner
	ModelTrained bool    `json:"modelTrained"`
	ModelReason  string  `json:"modelReason,omitempty"` // why not
	ModelFormat  string  `json:"modelFormat,omitempty"` // onnx
	ModelSHA256  string  `json:"modelSha256,omitempty"` // of what was uploaded
	ModelBytes   int64   `json:"modelBytes,omitempty"`
}
