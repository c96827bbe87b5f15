// Package hostile draws files that are made to be expensive, for tests: every format that is read has a list of them, and a way to draw
// more. No program links it. Measure judges what one costs, in a process of its own.
//
// The bar, for a file of up to 8 MiB: a second of processor time and 256 MB of memory. A hostile file costs its own call, never the process.
package hostile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// The bar.
const (
	MaxTime  = time.Second
	MaxBytes = 256 << 20
)

// child is the variable that says which file a process is to read.
const child = "VERIFIER_HOSTILE"

// peak stands before the bytes that such a process had. The system's own count of them begins with those of the process that started it.
const peak = "hostile: bytes "

// File makes a file, when it is needed.
type File func() string

// Text is a file that is there already.
func Text(s string) File { return func() string { return s } }

// Main runs the tests of a package, or, in the process that Measure starts, reads one file.
func Main(m *testing.M, read func(file string)) {
	if file := os.Getenv(child); file != "" {
		if file == reference {
			Reference()
		} else {
			read(file)
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Printf("%s%d\n", peak, m.Sys) // what was taken from the system is never less than what was used at once
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Measure has a file read by a process of its own, and judges what that took. Processor time is that of the process alone. Caches and cores
// are shared, so the best of some attempts counts; and behind each that is over the bar the same machine does the work of Reference, and
// the bar is as much higher as that takes longer than it should. What the process takes before it reads is in it.
func Measure(t testing.TB, file string) {
	t.Helper()
	SkipUnderRace(t)
	last := ""
	for range attempts {
		took, most, err := read(file)
		if err != nil {
			t.Error(err)
			return
		}
		if took <= MaxTime && most <= MaxBytes {
			return
		}
		alike, _, err := read(reference)
		if err != nil {
			t.Error(err)
			return
		}
		slow := max(1, alike.Seconds()/referenceSeconds)
		if took.Seconds() <= slow*MaxTime.Seconds() && most <= MaxBytes {
			return
		}
		last = fmt.Sprintf("took %v of processor time and %d MB, on a machine that is %.2f times as slow as the one of docs/security.md", took, most>>20, slow)
		if took > 3*MaxTime {
			break
		}
	}
	t.Error(last)
}

// attempts is how often a file is read that is over the bar.
const attempts = 6

// read has a process read a file, and returns its processor time and memory.
func read(file string) (took time.Duration, most int64, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, 0, err
	}
	cmd := exec.Command(self, "-test.run=^$")
	cmd.Env = append(os.Environ(), child+"="+file)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	timer := time.AfterFunc(60*MaxTime, func() { _ = cmd.Process.Kill() }) // its state says so
	err = cmd.Wait()
	timer.Stop()
	took = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	_, said, _ := strings.Cut(out.String(), peak)
	if _, scanErr := fmt.Sscan(said, &most); err != nil || scanErr != nil {
		return took, 0, fmt.Errorf("the process ended with %v after %v: %s", err, took, clip(out.Bytes()))
	}
	return took, most, nil
}

// reference is the name of the work that machines are compared by.
const reference = "reference"

// referenceSeconds is what a process that does Reference takes of a processor of the machine of docs/security.md when that does nothing else.
const referenceSeconds = 0.2

// Reference is some fixed work of the kind that reading files is: it parses, allocates and hashes.
func Reference() {
	text := []byte("[" + strings.Repeat(`{"id":"conv1","type":"conv2d","params":{"shape":[3,224,224],"x":1.5}},`, 4000) + "null]")
	for range 12 {
		var v any
		if err := json.Unmarshal(text, &v); err != nil {
			panic("hostile: " + err.Error()) // cannot happen: the text is written above
		}
	}
}

func clip(out []byte) string {
	if len(out) > 2000 {
		return fmt.Sprintf("%s… (%d bytes)", out[:2000], len(out))
	}
	return string(out)
}

// SkipUnderRace skips a test of costs where the race detector multiplies them.
func SkipUnderRace(t testing.TB) {
	t.Helper()
	if UnderRace {
		t.Skip("costs are measured without the race detector")
	}
}
