// Package cli is the command line: each command decodes its arguments, calls the engine and prints.
//
// One file is one command; it registers itself. No command decides a verdict, and none prints a number that the engine did not
// give it.
package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/report/annotate"
)

// The exit codes of every command.
const (
	exitClean = 0
	exitGated = 1 // the model is refused
	exitUsage = 2 // wrong usage, or input that cannot be read
	exitOther = 3 // verify-attestation: a valid record of another version
	exitFault = 4 // a fault of our own, or output that cannot be written
)

// commands are the constructors of all commands; each file adds its own.
var commands []func() *cobra.Command

func register(f func() *cobra.Command) bool {
	commands = append(commands, f)
	return true
}

// These end a command when what there is to say has been printed: the model is refused, or could not be read.
var (
	errGated = errors.New("gated")
	errUsage = errors.New("unusable")

	errVersion = errors.New("of another version") // of a record
)

// errWrite is that standard output takes no more.
var errWrite = errors.New("cannot write")

// Main runs the command line and returns the exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(stderr, "verifier: a fault of our own, please report it: %v\n", p)
			code = exitFault
		}
	}()
	root := Root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(withArgs(context.Background(), args))
	switch {
	case err == nil:
		return exitClean
	case errors.Is(err, errGated):
		return exitGated
	case errors.Is(err, errVersion):
		return exitOther
	case errors.Is(err, errUsage): // has been printed
		return exitUsage
	case errors.Is(err, errWrite):
		code = exitFault
	default:
		code = exitUsage
	}
	complain(cmd, err)
	return code
}

// complain writes an error to standard error and, where JSON is wanted and the service would answer with a body, that body
// to standard output.
func complain(cmd *cobra.Command, err error) {
	err = respelled(cmd, err)
	fmt.Fprintln(cmd.ErrOrStderr(), annotate.Harmless("verifier: "+clean(err.Error())))
	if wantsJSON(cmd) && action.Status(err) < 500 {
		_ = printJSON(cmd, action.Explain(err)) // standard error has it too
	}
}

// Root returns the command that all others are below.
func Root() *cobra.Command {
	root := &cobra.Command{
		Use:   "verifier",
		Short: "Tells whether a neural network runs, and what it costs, before you spend GPU time on it",
		Long: `Tells whether a neural network runs in PyTorch, what it costs, and what to fix: in milliseconds, offline, without Python and
without a GPU.

Start with one of these:
  verifier check net.py:Net --input 1,3,224,224
  verifier plan resnet18 --batch 256 --gpu A100-40GB
  verifier init

` + references + `

` + exitHelp(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.PersistentFlags().Bool("json", false, "print JSON instead of text: one body, as the HTTP service sends it")
	var list []*cobra.Command
	for _, f := range commands {
		list = append(list, f())
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name() < list[j].Name() })
	root.AddCommand(list...)
	fitHelp(root)
	fitTypos(root)
	return root
}

// wantsJSON reports whether --json was given.
func wantsJSON(cmd *cobra.Command) bool {
	yes, _ := cmd.Flags().GetBool("json")
	return yes
}

// printJSON writes a body byte for byte as the HTTP service does, and indented where a person reads it at a terminal.
func printJSON(cmd *cobra.Command, body any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if isTerminal(cmd.OutOrStdout()) {
		e.SetIndent("", "  ")
	}
	if err := e.Encode(body); err != nil {
		return fmt.Errorf("%w: %w", errWrite, err)
	}
	return printText(cmd, b.String())
}

func printText(cmd *cobra.Command, text string) error {
	if _, err := io.WriteString(cmd.OutOrStdout(), text); err != nil {
		return fmt.Errorf("%w: %w", errWrite, err)
	}
	return nil
}

// Run is Main over the process's own arguments and streams.
func Run() int { return Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr) }
