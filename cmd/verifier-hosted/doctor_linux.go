package main

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/modelverifier/verifier/internal/httpapi"
)

// Room on the disk below which something is wrong, or soon will be.
const (
	diskLeast = 256 << 20
	diskShare = 0.10
	mebibyte  = 1 << 20
)

// examineDisk looks at the room of the folders that the service writes.
func examineDisk(_ context.Context, d *doctor) (out []finding) {
	folders := []string{}
	if d.data != "" {
		folders = append(folders, d.data)
	}
	if !strings.Contains(d.train.weights, "://") && filepath.Dir(d.train.weights) != d.data {
		folders = append(folders, d.train.weights)
	}
	for _, folder := range folders {
		var at syscall.Statfs_t
		if err := syscall.Statfs(nearest(folder), &at); err != nil {
			out = append(out, fail("name a folder that this user can use", "%s: %v", folder, err))
			continue
		}
		free, all := int64(at.Bavail)*at.Bsize, int64(at.Blocks)*at.Bsize
		switch {
		case free < diskLeast:
			out = append(out, fail("make room, or choose another folder with --data", "%s has %d MiB left; %d are needed", folder, free/mebibyte, diskLeast/mebibyte))
		case at.Files > 0 && at.Ffree*100 < at.Files:
			out = append(out, fail("remove files, or choose another file system", "%s has %d of %d inodes left", folder, at.Ffree, at.Files))
		case float64(free) < diskShare*float64(all):
			out = append(out, warn("make room before it is full", "%s has %d MiB left, less than a tenth", folder, free/mebibyte))
		default:
			out = append(out, fine("%s has %d MiB left", folder, free/mebibyte))
		}
	}
	if len(folders) == 0 {
		out = append(out, fine("nothing is kept on this machine"))
	}
	return out
}

// nearest is a folder, or the one above it that is there.
func nearest(folder string) string {
	for path, err := filepath.Abs(folder); err == nil; path = filepath.Dir(path) {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
	}
	return folder
}

// filesLeast is how many open files the service may need: its connections, those of the database and of files.
const filesLeast = 2048

// memoryLeast is the limit that the program sets itself, and room beside the heap.
const memoryLeast = 512 << 20

// examineLimits looks at what the system lets a process have.
func examineLimits(_ context.Context, d *doctor) (out []finding) {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err == nil { // Go raises it to the hard limit
		if files.Max < filesLeast {
			out = append(out, warn("raise it: ulimit -n 8192, or LimitNOFILE=8192 of systemd", "at most %d files can be open; %d connections alone may be", files.Max, httpapi.Defaults().Connections))
		} else {
			out = append(out, fine("%d files can be open", files.Max))
		}
	}
	memory, limited := groupMemory()
	if limited && memory < memoryLeast && d.getenv("GOMEMLIMIT") == "" {
		out = append(out, warn("give it 512 MiB, or set GOMEMLIMIT to three quarters of what it has", "the control group has %d MiB of memory", memory/mebibyte))
	}
	return out
}

// groupMemory is the least memory limit of the control groups above, of either version.
func groupMemory() (bytes int64, limited bool) {
	for _, path := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		data, err := os.ReadFile(path)
		n, bad := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
		if err == nil && bad == nil && n < 1<<50 && (!limited || n < bytes) {
			bytes, limited = n, true
		}
	}
	return bytes, limited
}

// unsynchronised is STA_UNSYNC of adjtimex(2): nothing keeps the clock right.
const unsynchronised = 0x40

// synchronised says whether something keeps the clock right, as far as the kernel was told.
func synchronised() (yes, known bool) {
	var t syscall.Timex
	if _, err := syscall.Adjtimex(&t); err != nil {
		return false, false
	}
	return t.Status&unsynchronised == 0, true
}
