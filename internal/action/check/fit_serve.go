package check

import (
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/fit/serve"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/rules"
)

// decodeServe reads how a launch command is asked about. engine_version and images are additions to the specification.
func decodeServe(f *action.Fields) *serve.Request {
	s := f.Object("serve")
	if s == nil {
		return nil
	}
	r := &serve.Request{Command: s.Str("command"), EngineVersion: s.Str("engine_version")}
	r.GPU = hardware.Lookup(s.GPU("gpu"))
	r.GPUs, _ = s.Int("gpus", 1)
	if r.GPUs > serve.MaxGPUs {
		s.Fail(action.Errorf(action.CodeRange, s.Path("gpus"), "is %d but must be at most %d", r.GPUs, serve.MaxGPUs))
	}
	r.Images, _ = s.Int("images", 1)
	if r.Images > estimate.MaxImages {
		s.Fail(action.Errorf(action.CodeRange, s.Path("images"), "is %d but must be at most %d", r.Images, estimate.MaxImages))
	}
	if r.Command == "" {
		s.Fail(action.Errorf(graph.CodeMissing, s.Path("command"), "must be the launch command of a serving engine"))
	}
	f.Close(s)
	return r
}

// serveStage adds the findings of the launch command to the stage of deployment.
func serveStage(w *walk, s *Stage) {
	if w.serve == nil {
		return
	}
	blocks, warns := 0, 0
	for _, f := range w.serve.Findings {
		severity := rules.Warn
		if f.Severity == serve.Block {
			severity = rules.Block
			blocks++
		} else {
			warns++
		}
		w.findings = append(w.findings, action.Finding{Stage: s.Stage, Severity: severity, Title: f.Title, Detail: f.Detail, Fix: f.Fix, Section: true})
	}
	s.Status = first(s.Status, statusOf(blocks, warns, false))
	if blocks > 0 {
		s.Headline = "the launch command is refused"
	}
}
