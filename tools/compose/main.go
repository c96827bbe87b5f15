// Command compose reads a Compose file as Docker's own program does, with variables and schema, and prints what comes of it. It is for the test
// of deploy/hosted.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	options, err := cli.NewProjectOptions(os.Args[1:], cli.WithOsEnv, cli.WithResolvedPaths(true))
	if err != nil {
		fail(err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		fail(err)
	}
	text, err := project.MarshalYAML()
	if err != nil {
		fail(err)
	}
	fmt.Print(string(text))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "compose:", err)
	os.Exit(1)
}
