package lsp

import (
	"strings"

	"github.com/modelverifier/verifier/internal/discover"
	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/policy"
)

// policyName is the file of a repository that says what its models are held to, and what they are called with.
const policyName = ".verifier.yml"

// maxPolicy is how large one may be.
const maxPolicy = 1 << 20

// lookPolicy says what is wrong with a policy file.
func lookPolicy(d *document, r *repository, _ string, out *analysis) {
	if _, err := policy.ParseFile([]byte(d.text.data), r.names); err != nil {
		line, message := failure(err)
		out.say(d, line, severityError, message)
	}
}

// called is what the policy file of a repository says of how models are called.
type called struct{ file *policy.File }

// callsIn reads the policy file at the top of a repository. One that is wrong says so itself, and nothing else.
func callsIn(r *repository) called {
	data, err := fence.ReadFile(r.fs, policyName, maxPolicy)
	if err != nil {
		return called{}
	}
	file, err := policy.ParseFile(data, r.names)
	if err != nil {
		return called{}
	}
	return called{file}
}

// of is what a model is called with, nil where the file does not say.
func (c called) of(ref string) *discover.Call {
	var out *discover.Call
	for _, d := range c.file.CallOf(ref) {
		if out == nil {
			out = &discover.Call{From: policyName}
		}
		switch d.Flag {
		case "input":
			out.Inputs = d.Values
		case "arg":
			out.Args = d.Values
		}
	}
	return out
}

// isYAML reports whether a file is one of YAML by its name.
func isYAML(name string) bool {
	return strings.HasSuffix(name, ".yml") || strings.HasSuffix(name, ".yaml")
}
