package httpapi

import (
	"os"
	runtimemetrics "runtime/metrics"
	"strconv"
	"strings"
	"time"
)

// began is when the process did, as well as it is known.
var began = time.Now()

// writeProcess adds what the process takes, under the names that Prometheus' own libraries give it. Where the system does not say, it
// is left out.
func (s *Server) writeProcess(e *Exposition) {
	one := func(name, kind, help string, value float64, known bool) {
		if known {
			e.Family(name, kind, help)
			e.Sample(name, value)
		}
	}
	resident, known := residentBytes()
	one("process_resident_memory_bytes", "gauge", "Resident memory.", float64(resident), known)
	seconds, known := processorSeconds()
	one("process_cpu_seconds_total", "counter", "Processor time, of users and of the system.", seconds, known)
	files, err := os.ReadDir("/proc/self/fd")
	one("process_open_fds", "gauge", "Open files.", float64(len(files)), err == nil)
	one("process_start_time_seconds", "gauge", "When the process began, in seconds since 1970.", float64(began.UnixMilli())/1e3, true)
	heap := []runtimemetrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/cycles/total:gc-cycles"}}
	runtimemetrics.Read(heap)
	one("go_memstats_heap_alloc_bytes", "gauge", "Bytes of the heap in use.", float64(heap[0].Value.Uint64()), heap[0].Value.Kind() == runtimemetrics.KindUint64)
	one("verifier_collections_total", "counter", "Runs of the garbage collector.", float64(heap[1].Value.Uint64()), heap[1].Value.Kind() == runtimemetrics.KindUint64)
}

// residentBytes reads the second number of /proc/self/statm, which counts pages.
func residentBytes() (int64, bool) {
	data, err := os.ReadFile("/proc/self/statm")
	fields := strings.Fields(string(data))
	if err != nil || len(fields) < 2 {
		return 0, false
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize()), err == nil
}

// ticks is how many of /proc/self/stat's units make a second: USER_HZ is 100 on every machine that Linux runs on with Go.
const ticks = 100

// processorSeconds reads the fields utime and stime of /proc/self/stat: the 12th and 13th behind the name of the program, which is in
// parentheses (proc_pid_stat(5)).
func processorSeconds() (float64, bool) {
	data, err := os.ReadFile("/proc/self/stat")
	_, rest, found := strings.Cut(string(data), ") ")
	fields := strings.Fields(rest)
	if err != nil || !found || len(fields) < 13 {
		return 0, false
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	system, failed := strconv.ParseInt(fields[12], 10, 64)
	return float64(user+system) / ticks, err == nil && failed == nil
}
