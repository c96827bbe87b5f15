package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/ruleset"
)

// Version and Commit are those of the program, which sets them before it calls Run.
var Version, Commit = "dev", ""

const program = "verifier"

// versionBody is what the HTTP service answers at /version.
type versionBody struct {
	Name    string           `json:"name"`
	Version string           `json:"version"`
	Commit  string           `json:"commit"`
	RuleSet string           `json:"ruleSet"`
	Bundles []ruleset.Bundle `json:"bundles"`
}

var _ = register(func() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version and the rule-set id",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if wantsJSON(cmd) {
				v := versionBody{program, Version, Commit, ruleset.ID(), ruleset.Bundles()}
				if sum, err := executableDigest(); err == nil { // where it cannot be read, its digest is left out
					v.Bundles = append(v.Bundles, ruleset.Bundle{Name: program, SHA256: sum})
				}
				return printJSON(cmd, v)
			}
			p := &page{}
			p.line("%s %s", program, Version)
			if Commit != "" {
				p.line("commit   %s", Commit)
			}
			p.line("rule set %s", ruleset.ID())
			return printText(cmd, p.String())
		},
	}
})

func executableDigest() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
