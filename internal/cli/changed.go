package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/discover"
	"github.com/modelverifier/verifier/internal/policy"
)

var _ = register(func() *cobra.Command {
	c := &cobra.Command{
		Use:   "changed",
		Short: "List the models among the files that git says have changed",
		Long: `Reads what git diff --name-status -z writes, and prints a line for each changed model that still
exists: its path, a tab, and its path before, which is empty for a new model. --models selects the
files, or else the keys under models: in .verifier.yml. Without both, graphs, config.json of
transformers and ONNX files are selected. A class of a PyTorch source (file.py:Name) is listed where
it is named and any Python file has changed.`,
		Args: cobra.NoArgs,
	}
	c.Flags().StringArray("models", nil, "a `pattern` of paths from the working directory, or several on lines of their own; * stands for any characters")
	policyFlag(c)
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		patterns, err := modelPatterns(cmd)
		if err != nil {
			return err
		}
		data, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), maxDiff+1))
		if err != nil {
			return err
		}
		if len(data) > maxDiff {
			return fmt.Errorf("standard input has more than %d bytes", maxDiff)
		}
		changes, err := discover.Parse(string(data))
		if err != nil {
			return fmt.Errorf("standard input %w", err)
		}
		picked, err := discover.Pick(".", changes, patterns, policy.Match)
		if err != nil {
			return err
		}
		return printChanges(cmd, picked)
	}
	return c
})

const maxDiff = 64 << 20

func printChanges(cmd *cobra.Command, list []discover.Change) error {
	if wantsJSON(cmd) {
		type change struct {
			Path string `json:"path"`
			Was  string `json:"was,omitempty"`
		}
		out := make([]change, 0, len(list))
		for _, c := range list {
			out = append(out, change(c))
		}
		return printJSON(cmd, out)
	}
	var b strings.Builder
	for _, c := range list {
		b.WriteString(c.Path + "\t" + c.Was + "\n")
	}
	return printText(cmd, b.String())
}

// modelPatterns are those of --models, or else of the policy file.
func modelPatterns(cmd *cobra.Command) ([]string, error) {
	given, _ := cmd.Flags().GetStringArray("models")
	var out []string
	for _, lines := range given {
		for line := range strings.Lines(lines) {
			if line = strings.TrimSpace(line); line != "" {
				out = append(out, line)
			}
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	flag, _ := cmd.Flags().GetString("policy")
	h, err := houseOf(names(cmd), flag, stdin)
	if err != nil || h.file == nil {
		return nil, err
	}
	return h.file.Models(), nil
}
