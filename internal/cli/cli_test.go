package cli

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite what the scripts expect with what they got")

// TestMain makes the program itself a command of the scripts.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"verifier": func() { os.Exit(Run()) }})
}

// TestScripts runs testdata/script: each file is a session at a terminal with the files that it needs.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", UpdateScripts: *update, Condition: condition})
}

// condition knows [pty]: whether the machine can open a pseudo-terminal, which a bare container may not.
func condition(name string) (bool, error) {
	if name != "pty" {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	f, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return false, nil
	}
	return true, f.Close()
}
