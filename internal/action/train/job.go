package train

import "github.com/modelverifier/verifier/internal/training"

// Job is a training job as its owner sees it. What has not come about is absent. Backend, GPU, Config, Source, Reason, Attempts and
// StartedAt are additions to the specification.
type Job struct {
	JobID        string           `json:"job_id"`
	Status       string           `json:"status"` // queued, running, completed, error or cancelled
	Mode         string           `json:"mode"`   // gpu, cpu or simulated
	Dataset      string           `json:"dataset"`
	Epochs       []training.Epoch `json:"epochs"`
	Metrics      []Scalar         `json:"metrics"`
	WallSec      *float64         `json:"wall_sec,omitempty"` // once it was begun
	EstCostUSD   float64          `json:"est_cost_usd"`       // what it came to; before its end what is reserved
	CreatedAt    string           `json:"created_at"`
	CompletedAt  string           `json:"completed_at,omitempty"`
	Fingerprint  string           `json:"fingerprint"`
	Ledger       string           `json:"ledger,omitempty"`
	ModelTrained *bool            `json:"model_trained,omitempty"` // once it has ended
	ModelReason  string           `json:"model_reason,omitempty"`
	ModelFormat  string           `json:"model_format,omitempty"`
	ModelURL     string           `json:"model_url,omitempty"`

	Backend   string          `json:"backend"`
	GPU       string          `json:"gpu,omitempty"`
	Config    training.Config `json:"config"`
	Source    *Source         `json:"source,omitempty"`
	Reason    string          `json:"reason,omitempty"` // why it ended in error
	Attempts  int             `json:"attempts"`
	StartedAt string          `json:"started_at,omitempty"`
}

// Ended says whether a job will not change any more.
func (j *Job) Ended() bool { return j.Status != "queued" && j.Status != "running" }

// Scalar is one figure of a run.
type Scalar struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// Page is a part of the list of an organisation's jobs.
type Page struct {
	Jobs []Job  `json:"jobs"`           // newest first, without their epochs
	Next string `json:"next,omitempty"` // to ask for as after; absent at the end
}
