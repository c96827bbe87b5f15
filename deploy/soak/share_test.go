//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestAShareIsHeld has a process count, which would take a whole processor.
func TestAShareIsHeld(t *testing.T) {
	s, err := newShare(fmt.Sprintf("soaktest%d", os.Getpid()), 0.25)
	if err != nil {
		t.Skipf("no control group here: %v", err)
	}
	counts := exec.Command("sh", "-c", "while :; do :; done")
	if err := counts.Start(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	err = s.join(counts.Process.Pid)
	time.Sleep(time.Second)
	_ = counts.Process.Kill()
	took := time.Since(began)
	_ = counts.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if had := counts.ProcessState.UserTime() + counts.ProcessState.SystemTime(); had > took*2/5 {
		t.Errorf("a quarter of a processor was %v of %v", had, took)
	}
	if err := wait(time.Second, "the group", s.remove); err != nil {
		t.Error(err)
	}
}
