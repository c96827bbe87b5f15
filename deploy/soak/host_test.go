//go:build linux

package main

import (
	"os"
	"runtime"
	"testing"
)

// TestMain runs on the first thread of the program.
func init() { runtime.LockOSThread() }

// asked is a host that was asked for on the first thread, and that ends at once.
var asked = &host{name: "asked", calls: make(chan func())}

func TestMain(m *testing.M) {
	asked.end()
	asked.live(make(chan error, 1))
	runtime.UnlockOSThread()
	os.Exit(m.Run())
}

// TestAHostIsNeverTheFirstThread because that thread, and what it started, would outlive the host.
func TestAHostIsNeverTheFirstThread(t *testing.T) {
	if asked.thread == 0 || asked.thread == os.Getpid() {
		t.Errorf("the host lives on thread %d of process %d", asked.thread, os.Getpid())
	}
}
