// Package seed lets property tests draw the same values in every run, so that one commit has one result: a package whose tests import
// rapid imports this one too (seed_test.go of the root). RAPID_SEED and -rapid.seed draw others; make properties does. Only tests import it.
package seed

import (
	"flag"
	"os"

	_ "pgregory.net/rapid" // registers the flags
)

// fixed are the flags of rapid whose defaults would make a run differ from the one before. Without a file for a failure, which later runs
// would try first, the seed that rapid prints draws it again.
var fixed = map[string]struct{ env, value string }{
	"rapid.seed":       {"RAPID_SEED", "1"},
	"rapid.nofailfile": {"RAPID_NOFAILFILE", "true"},
}

func init() {
	for name, f := range fixed {
		if _, said := os.LookupEnv(f.env); said {
			continue
		}
		if err := flag.Set(name, f.value); err != nil {
			panic(err) // the version of rapid in go.mod has no such flag
		}
	}
}
