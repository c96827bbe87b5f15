// Command verifier says whether a neural network runs and what it costs, before GPU time is spent on it.
package main

import (
	"os"

	"github.com/modelverifier/verifier"
	"github.com/modelverifier/verifier/internal/cli"
	"github.com/modelverifier/verifier/web"
)

func main() {
	cli.Version, cli.Commit = verifier.Version(), verifier.Commit()
	cli.App, cli.HasEngine = web.Handler, web.HasEngine
	os.Exit(cli.Run())
}
