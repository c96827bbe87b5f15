// Package fix mends the files of a model: our own changes first, and a provider's for what is left. Request and Result are the
// bodies on the wire.
//
// It must not know which provider there is, nor who asks. Every change is proved before it is returned: applied in memory, read
// again and judged again. It applies nothing, runs nothing and keeps nothing.
package fix

import (
	"context"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/patch"
	"github.com/modelverifier/verifier/internal/policy"
)

// Request is what can be asked.
type Request struct {
	Model      *graph.Graph
	Findings   []Finding // to be mended; empty: all that block
	Files      []patch.File
	Policy     *policy.Policy // what else must hold
	MaxPatches int
	Source     Source
	Examined   action.Observer // is told about the model once; may be nil

	CheckDiff func(diff string) error // looks at each diff once more; may be nil
}

// Finding is what a caller knows of a finding. An empty field fits every one.
type Finding struct {
	Title  string `json:"title"`
	Detail string `json:"detail"`
	Stage  string `json:"stage"`
}

// Source says which of the files is the model, as a plan has it; empty: it is looked for.
type Source struct {
	Target string // path, or path:Name of a class
	Input  string // of its forward
}

// Result is the answer.
type Result struct {
	Patches   []Patch `json:"patches"`
	Rationale string  `json:"rationale"`
	Model     string  `json:"model"` // that answered: the provider's name of it, or Ours
}

// Ours stands for a model where none was asked.
const Ours = "verifier"

// Patch is a change of one file.
type Patch struct {
	Path          string   `json:"path"`
	Diff          string   `json:"diff"` // unified, with the path bare
	FindingTitles []string `json:"findingTitles"`
	Proved        bool     `json:"proved"`                 // false: the file is none that can be judged
	ParamsBefore  *int64   `json:"paramsBefore,omitempty"` // of the model; absent where they are not known
	ParamsAfter   *int64   `json:"paramsAfter,omitempty"`
}

// Provider answers a question in prose with blocks.
type Provider interface {
	Ask(ctx context.Context, system, user string) (Reply, error)
}

// Reply is what a provider answered.
type Reply struct {
	Text, Model string
	Cut         bool // it ended at the most tokens that an answer may have
}

// Codes of answers that are no result.
const (
	CodeBlocks   = "invalid-blocks"       // 422
	CodeProvider = "provider-unavailable" // 503
	CodeDiff     = "invalid-diff"         // 500
)

// Failure is an answer that is no result. What was mended without a provider comes with it.
type Failure struct {
	Error   string  `json:"error"`
	Code    string  `json:"code"`
	Block   int     `json:"block,omitempty"` // of a provider's answer, from 1
	Path    string  `json:"path,omitempty"`
	Cause   string  `json:"cause,omitempty"`
	Patches []Patch `json:"patches"`
	// Rationale says what the patches do, and what is left.
	Rationale string `json:"rationale"`
}
