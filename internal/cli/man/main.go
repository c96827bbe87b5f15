// Command man writes the manual pages of the command line into a folder: go run ./internal/cli/man bin/man. It is no part of
// the program, which would otherwise link a Markdown parser.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra/doc"

	"github.com/modelverifier/verifier/internal/cli"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: man FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "man:", err)
		os.Exit(1)
	}
}

// write makes one page for each command. The date on them is that of SOURCE_DATE_EPOCH, or today.
func write(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	root := cli.Root()
	root.InitDefaultCompletionCmd()
	root.DisableAutoGenTag = true
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "Model Verifier", Manual: "Model Verifier"}, folder)
}
