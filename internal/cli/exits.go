package cli

import (
	"fmt"
	"strings"
)

// exits is the one table of exit codes: help and docs/cli.md are made from it.
var exits = []struct {
	code           int
	short, meaning string
}{
	{exitClean, "nothing fails", "Nothing makes the command fail: the model runs, or asks, or has warnings and --fail-on is block."},
	{exitGated, "refused", "The model is refused: a finding of at least --fail-on counts, and is neither waived, nor in the baseline, nor switched off; or every candidate of rank is."},
	{exitUsage, "unusable", "Wrong usage, or input that cannot be read. Of several models the others are judged all the same."},
	{exitOther, "other version", "verify-attestation: a valid record of another version of the program."},
	{exitFault, "our fault", "A fault of our own, or output that cannot be written."},
}

// exitHelp is the table for --help.
func exitHelp() string {
	var b strings.Builder
	b.WriteString("Exit codes:")
	for _, e := range exits {
		fmt.Fprintf(&b, "\n  %d  %-13s  %s", e.code, e.short, e.meaning)
	}
	return b.String()
}
