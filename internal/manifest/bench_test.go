package manifest

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const mib = 1 << 20

// fill writes files of a size, and reads them once so that they lie in memory.
func fill(b *testing.B, count, size int) string {
	b.Helper()
	dir := b.TempDir()
	block := bytes.Repeat([]byte("0123456789abcdef"), min(size, mib)/16)
	for i := range count {
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("%05d.bin", i)))
		for range size / len(block) {
			if err == nil {
				_, err = f.Write(block)
			}
		}
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	digest(b, dir)
	return dir
}

func digest(b *testing.B, dir string) {
	b.Helper()
	if _, err := of(dir, Options{}); err != nil {
		b.Fatal(err)
	}
}

// raw is SHA-256 alone over as many bytes, on as many processors.
func raw(size, workers int) {
	data := bytes.Repeat([]byte("0123456789abcdef"), chunkBytes/16)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			h := sha256.New()
			for range size / workers / chunkBytes {
				h.Write(data)
			}
			h.Sum(nil)
		})
	}
	group.Wait()
}

// shell is the line that people write, with as many processes as there are processors.
func shell(b *testing.B, dir string, files int) {
	b.Helper()
	cmd := exec.Command("sh", "-c", fmt.Sprintf("find . -type f -print0 | xargs -0 -P %d -n 1000 sha256sum", runtime.GOMAXPROCS(0)))
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil || strings.Count(string(out), "\n") != files {
		b.Fatal(err)
	}
}

// turns measures two in turns, so that what else the machine does slows both alike, and reports how fast the first is as a share of the
// second: the middle of the turns, by the clock and by the time that they took of the processors.
func turns(b *testing.B, size int, ours, theirs func()) {
	var clock, processor, rate []float64
	for b.Loop() {
		took, used := measure(ours)
		theirTook, theirUsed := measure(theirs)
		clock = append(clock, 100*float64(theirTook)/float64(took))
		processor = append(processor, 100*float64(theirUsed)/float64(used))
		rate = append(rate, float64(size)/1e6/took.Seconds())
	}
	for unit, list := range map[string][]float64{"%speed": clock, "%speed-by-processor": processor, "MB/s": rate} {
		slices.Sort(list)
		b.ReportMetric(list[len(list)/2], unit)
	}
}

func measure(f func()) (took, used time.Duration) {
	start, before := time.Now(), processorTime()
	f()
	return time.Since(start), processorTime() - before
}

func BenchmarkLargeFile(b *testing.B) {
	dir := fill(b, 1, 1024*mib)
	turns(b, 1024*mib, func() { digest(b, dir) }, func() { raw(1024*mib, 1) })
}

func BenchmarkEightFiles(b *testing.B) {
	dir := fill(b, 8, 64*mib)
	turns(b, 512*mib, func() { digest(b, dir) }, func() { raw(512*mib, min(runtime.GOMAXPROCS(0), maxWorkers)) })
}

func BenchmarkSmallFiles(b *testing.B) {
	dir := fill(b, 10_000, 4096)
	turns(b, 10_000*4096, func() { digest(b, dir) }, func() { shell(b, dir, 10_000) })
}

// BenchmarkMemory reports what a process of its own takes at its peak.
func BenchmarkMemory(b *testing.B) {
	for name, c := range map[string][2]int{"1GiB": {1, 1024 * mib}, "8x64MiB": {8, 64 * mib}, "10000x4KiB": {10_000, 4096}} {
		b.Run(name, func(b *testing.B) {
			dir := fill(b, c[0], c[1])
			peak := int64(0)
			for b.Loop() {
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(), digesting+"="+dir)
				out, err := cmd.CombinedOutput()
				var kib int64
				if _, scan := fmt.Sscan(string(out), &kib); err != nil || scan != nil {
					b.Fatal(err, string(out))
				}
				peak = max(peak, kib<<10)
			}
			b.ReportMetric(float64(peak)/1e6, "peak-MB")
		})
	}
}
