package bench

import (
	"github.com/modelverifier/verifier/internal/fit/serve"
	"github.com/modelverifier/verifier/internal/hardware"
)

var _ = defineKind(Kind{
	Name: "serves",
	Doc: "The launch command has no finding that blocks, with these cards. What cannot be judged, because the " +
		"model's heads or memory are not known, does not pass.",
	Want: func(c *Constraint) string {
		return "this command must serve it on " + count(int(c.GPUs), c.GPU+" card") + ": " + c.Command
	},
	Holds: func(c *Constraint, s *subject) (bool, string) {
		g := hardware.Lookup(c.GPU)
		if g == nil {
			return false, "there is no card " + clip(c.GPU)
		}
		if ok, why := s.runs(); !ok {
			return false, why
		}
		out := serve.Check(s.walked, &serve.Request{Command: c.Command, GPU: g, GPUs: c.GPUs})
		for _, f := range out.Findings {
			if f.Severity == serve.Block {
				return false, f.Title + ": " + f.Detail
			}
		}
		if out.Engine == "" || out.Memory == nil || out.KVBytesPerToken == nil {
			return false, "the command cannot be judged on this model: its heads or its memory are not known"
		}
		return true, out.Engine + " serves it"
	},
})
