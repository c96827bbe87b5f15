package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/discover"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/load"
	"github.com/modelverifier/verifier/internal/policy"
)

var _ = register(func() *cobra.Command {
	c := &cobra.Command{
		Use:   "init [FOLDER]",
		Short: "Propose a .verifier.yml and a workflow for the models of a repository",
		Long: `Finds the models of a repository: graphs, config.json of transformers, ONNX files, and in PyTorch
sources the factory functions and the classes that no other class uses. Arguments and input shapes
of a source are read from its tests, scripts, README and documentation. Nothing is run.

It writes a .verifier.yml that lists the models, with input and arg, and a workflow that checks
every pull request. Each line is explained. A model that cannot be read yet is commented out, with
the reason. Existing files stay without --force. --dry-run prints what would be written.

--from .neurarch.yml translates that file instead of looking for models. Each of its lines is in the
.verifier.yml with its line number, or in a comment with the reason why it is not.

--agents writes instructions for coding agents instead: a section of AGENTS.md and a skill.`,
		Args: cobra.MaximumNArgs(1),
	}
	c.Flags().String("provider", "", "the `service` whose workflow is written: github or gitlab; by default the one whose files are there")
	c.Flags().Bool("dry-run", false, "print what would be written, and write nothing")
	c.Flags().Bool("force", false, "overwrite existing files")
	c.Flags().String(fromFlag, "", "a `file` of another tool in the folder, .neurarch.yml, whose policy and models are translated")
	c.Flags().Bool("agents", false, "write AGENTS.md and a skill for coding agents instead of the policy and the workflow")
	offer(c, "provider", "github", "gitlab")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		folder := "."
		if len(args) > 0 {
			folder = args[0]
		}
		proposes := proposal
		if is(cmd, "agents") {
			proposes = agentFiles
		}
		files, err := proposes(cmd, folder)
		if err != nil {
			return err
		}
		return propose(cmd, folder, files)
	}
	return c
})

// proposed is a file that init writes.
type proposed struct {
	Path string `json:"path"`
	Text string `json:"text"`

	merged bool // the text has all of what was there: nothing is lost by writing it
}

// proposal makes the files.
func proposal(cmd *cobra.Command, folder string) ([]proposed, error) {
	if info, err := os.Stat(folder); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s is no folder", folder)
	}
	lines, err := proposedPolicy(cmd, folder)
	if err != nil {
		return nil, err
	}
	provider := given(cmd, "provider")
	if provider == "" {
		provider = "github"
		if exists(filepath.Join(folder, gitlabFile)) {
			provider = "gitlab"
		}
	}
	if _, err := providerOf(provider); err != nil {
		return nil, err
	}
	workflow := proposed{Path: ".github/workflows/verifier.yml", Text: pinned(githubWorkflow)}
	if provider == "gitlab" {
		workflow = proposed{Path: gitlabFile, Text: pinned(gitlabWorkflow)}
		if exists(filepath.Join(folder, gitlabFile)) {
			workflow.Path = ".gitlab/verifier.yml"
		}
	}
	return []proposed{{Path: policyFile, Text: lines}, workflow}, nil
}

// proposedPolicy is the .verifier.yml: that of the models that are found, or of another tool's file.
func proposedPolicy(cmd *cobra.Command, folder string) (string, error) {
	if from := given(cmd, fromFlag); from != "" {
		data, err := readFound(folder, from, true)
		if err != nil {
			return "", err
		}
		return policy.FromNeurarch(data, names(cmd))
	}
	found, err := discover.Walk(folder)
	if err != nil {
		return "", err
	}
	if found.Cut {
		note(cmd, "there are too many files: not all were looked at")
	}
	return policyProposal(readable(cmd, folder, found)), nil
}

const gitlabFile = ".gitlab-ci.yml"

// candidate is a model with what it is called with, and why it is not checked yet, or "".
type candidate struct {
	discover.Model
	call discover.Call
	why  string
}

// mostCandidates is how many models a proposal names: beyond them patterns serve better.
const mostCandidates = 200

// readable tries to read each model, so that the proposal names none that every pull request would fail for.
func readable(cmd *cobra.Command, folder string, found *discover.Found) (out []candidate) {
	calls := examples(folder, found)
	for i, m := range found.Models {
		if i == mostCandidates {
			note(cmd, fmt.Sprintf("of %d models the first %d are named: patterns such as models/* cover more", len(found.Models), i))
			break
		}
		c := candidate{Model: m}
		if m.Kind == discover.Class || m.Kind == discover.Factory {
			c.call, c.why = readCalled(cmd, folder, &m, calls[nameOf(m.Ref)])
		} else if _, err := load.Open(cmdContext(cmd), filepath.Join(folder, filepath.FromSlash(m.Ref)), load.Options{Limits: graph.LocalLimits}); err != nil {
			c.why = unreadable(folder, err.Error())
		}
		out = append(out, c)
	}
	return out
}

// unreadable says why a model cannot be read, without the folder that is being looked through.
func unreadable(folder, why string) string {
	return "cannot be read yet: " + strings.ReplaceAll(clean(why), folder+string(filepath.Separator), "")
}

// propose prints the files or writes them. None is written where one is there that must not be.
func propose(cmd *cobra.Command, folder string, files []proposed) error {
	if wantsJSON(cmd) && is(cmd, "dry-run") {
		return printJSON(cmd, files)
	}
	var b strings.Builder
	var there []string
	for _, f := range files {
		path := filepath.Join(folder, filepath.FromSlash(f.Path))
		old, err := readFound(folder, f.Path, true)
		switch {
		case err == nil && string(old) == f.Text:
			fmt.Fprintf(&b, "%s is as proposed\n", f.Path)
		case err == nil || exists(path):
			if !f.merged {
				there = append(there, f.Path)
			}
			b.WriteString(unified(f.Path, string(old), f.Text))
		default:
			b.WriteString(unified(f.Path, "", f.Text))
		}
	}
	if is(cmd, "dry-run") || strings.Count(b.String(), " is as proposed\n") == len(files) {
		return printText(cmd, b.String())
	}
	if len(there) > 0 && !is(cmd, "force") {
		return fmt.Errorf("%s is already there: --dry-run shows what would change, --force writes over it", strings.Join(there, " and "))
	}
	return writeProposal(cmd, folder, files)
}

func writeProposal(cmd *cobra.Command, folder string, files []proposed) error {
	root, err := os.OpenRoot(folder) // no link leads out of it
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range files {
		name := filepath.FromSlash(f.Path)
		if old, err := root.ReadFile(name); err == nil && string(old) == f.Text {
			continue
		}
		err := root.MkdirAll(filepath.Dir(name), 0o755)
		if err == nil {
			err = root.WriteFile(name, []byte(f.Text), 0o644)
		}
		if err != nil {
			return fmt.Errorf("%w: %w", errWrite, err)
		}
		if err := printText(cmd, "wrote "+f.Path+"\n"); err != nil {
			return err
		}
	}
	if files[1].Path == ".gitlab/verifier.yml" {
		return printText(cmd, "add to "+gitlabFile+":  include: {local: .gitlab/verifier.yml}\n")
	}
	if files[0].Path == policyFile {
		return printText(cmd, "next: run verifier check, then commit these files\n")
	}
	return nil
}

// unified shows a file as lines that go and lines that come. What both begin and end with is left out.
func unified(path, old, text string) string {
	before, after := linesOf(old), linesOf(text)
	same := 0
	for same < len(before) && same < len(after) && before[same] == after[same] {
		same++
	}
	last := 0
	for last < len(before)-same && last < len(after)-same && before[len(before)-1-last] == after[len(after)-1-last] {
		last++
	}
	var b strings.Builder
	name := "a/" + path
	if old == "" {
		name = os.DevNull
	}
	fmt.Fprintf(&b, "--- %s\n+++ b/%s\n@@ -%d,%d +%d,%d @@\n", name, path, same+min(1, len(before)), len(before)-same-last, same+1, len(after)-same-last)
	for _, l := range before[same : len(before)-last] {
		b.WriteString("-" + clean(l) + "\n")
	}
	for _, l := range after[same : len(after)-last] {
		b.WriteString("+" + l + "\n")
	}
	return b.String()
}

func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
