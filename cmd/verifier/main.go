// Command verifier says whether a neural network runs and what it costs, before GPU time is spent on it.
package main

import (
	"os"

	"github.com/modelverifier/verifier/internal/cli"
)

func main() { os.Exit(cli.Run()) }
