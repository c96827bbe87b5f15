// Package cli is the command line: each command decodes its arguments, calls the engine and prints.
//
// One file is one command; it registers itself. No command decides a verdict, and none prints a number that the engine did not
// give it.
package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"

	"github.com/spf13/cobra"
)

// The exit codes of every command.
const (
	exitClean = 0
	exitGated = 1 // the model is refused
	exitUsage = 2 // wrong usage, or input that cannot be read
	exitFault = 4 // a fault of our own
)

// commands are the constructors of all commands; each file adds its own.
var commands []func() *cobra.Command

func register(f func() *cobra.Command) bool {
	commands = append(commands, f)
	return true
}

// errGated ends a command whose model is refused; what there is to say has been printed.
var errGated = errors.New("gated")

// Main runs the command line and returns the exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(stderr, "verifier: a fault of our own, please report it: %v\n", p)
			code = exitFault
		}
	}()
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.Execute()
	switch {
	case err == nil:
		return exitClean
	case errors.Is(err, errGated):
		return exitGated
	}
	fmt.Fprintln(stderr, "verifier:", err)
	return exitUsage
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "verifier",
		Short: "Says whether a neural network runs, and what it costs, before you spend GPU time on it",
		Long: `Says whether a neural network runs in PyTorch, what it costs, and what to fix: in milliseconds, offline, without Python and
without a GPU. A model is a graph in JSON, or in the short text notation; - reads standard input.

Exit codes: 0 nothing is refused, 1 the model is refused, 2 wrong usage or unreadable input.`,
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.PersistentFlags().Bool("json", false, "print JSON instead of text")
	var list []*cobra.Command
	for _, f := range commands {
		list = append(list, f())
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name() < list[j].Name() })
	root.AddCommand(list...)
	return root
}

// wantsJSON reports whether --json was given.
func wantsJSON(cmd *cobra.Command) bool {
	yes, _ := cmd.Flags().GetBool("json")
	return yes
}

// printJSON writes a body as the HTTP service does, indented for reading.
func printJSON(cmd *cobra.Command, body any) error {
	e := json.NewEncoder(cmd.OutOrStdout())
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(body)
}

// Run is Main over the process's own arguments and streams.
func Run() int { return Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr) }
