package cli

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// policyProposal is a .verifier.yml for the models that were found. Names are quoted as JSON, which is YAML too, so that none of them is
// anything but a name.
func policyProposal(found []candidate) string {
	var b strings.Builder
	b.WriteString(`# The policy for the models of this repository. docs/policy.md of Model Verifier has every key; an unknown key is an error.

# Limits for every model; a model beyond one is refused.
# policy:
#   max_params: 200M           # at most so many parameters
#   must_fit: A100-40GB        # a training step fits this card

`)
	named := 0
	for i := range found {
		if found[i].why == "" {
			named++
		}
	}
	b.WriteString("# The models, by their paths from here; * stands for any characters. Pull requests that change one are checked.\n# Limits for one model go into its braces, as in {max_params: 7B}. input and arg are what a PyTorch source is called with.\n")
	if named > 0 {
		b.WriteString("models:\n")
	} else {
		b.WriteString("# No model was found that can be read as it is. Without names, every file that is recognised as a model is checked.\n# models:\n")
	}
	for _, c := range found {
		if c.why == "" {
			fmt.Fprintf(&b, "  %s: %s  # %s%s\n", quoted(c.Ref), callLines(&c.call), c.Kind, callOrigin(&c.call))
		} else {
			fmt.Fprintf(&b, "  # %s: %s  # %s: %s\n", quoted(c.Ref), callLines(&c.call), c.Kind, c.why)
		}
	}
	if named > 0 {
		b.WriteString("  \"*\": {}  # and every other file that is recognised as a model\n")
	}
	b.WriteString(`
# How much a pull request may add to a model. Below these it gets no comment, beyond them it is refused.
# To accept a change, list the model's fingerprint, which the comment shows, under approved:.
change:
  max_params_growth: 10%     # or a factor, 1.5x, or an amount, 5M
  max_cost_growth: 10%       # or $2.50
  max_memory_growth: 10%     # or 4GB

# The training run that is estimated, unless flags are given.
# defaults:
#   plan: {batch: 8, gpu: H100}
#   policy-apply: {batch: 8, gpu: H100}

# To fail on new findings only, write today's to a file: verifier baseline write MODEL...
# baseline: .verifier-baseline.json
`)
	return b.String()
}

// quoted is a JSON string in which nothing can end a line, not even for readers that know more line ends than JSON.
func quoted(s string) string {
	data, err := json.Marshal(s) // which escapes U+2028, U+2029 and, as YAML wants, all controls
	if err != nil {
		return `""` // cannot happen: every string has one
	}
	return strings.NewReplacer("\u0085", `\u0085`, "\ufeff", `\ufeff`, "\x7f", `\u007f`).Replace(string(data))
}

var isRelease = regexp.MustCompile(`^v\d+\.\d+\.\d+$`)

// pinned puts the version of this program in the place of REF, so that the workflow runs what proposed it. A build between two releases
// names the branch main.
func pinned(workflow string) string {
	ref := "main"
	if isRelease.MatchString(Version) {
		ref = Version
	}
	return strings.ReplaceAll(workflow, "REF", ref)
}

const githubWorkflow = `# Checks the models that a pull request changes against .verifier.yml, and keeps one comment on it up to date.
name: verifier                # as it is shown among the checks
on:
  pull_request:               # forks too: their token may not comment, so the job's summary has it instead
permissions:
  contents: read              # to read the models
  pull-requests: write        # to comment
concurrency:                  # a later push cancels the job of an earlier one
  group: verifier-${{ github.ref }}
  cancel-in-progress: true
jobs:
  verifier:
    runs-on: ubuntu-latest    # Linux or macOS, without a GPU
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0      # to find the version before
      - uses: modelverifier/verifier@REF
        # with:
        #   fail-on: warn     # fail for warnings, too
        #   sarif: true       # show findings under code scanning; needs the permission security-events: write
        #   attest: true      # keep an in-toto record of every run
`

const gitlabWorkflow = `# Checks the models that a merge request changes against .verifier.yml, and keeps one note on it up to date.
# The note needs a project access token with the scope api, as the masked variable GITLAB_TOKEN; without it the job's log has it.
include:                      # the job is called verifier and runs in the stage test
  - remote: https://raw.githubusercontent.com/modelverifier/verifier/REF/ci/gitlab.yml
`
