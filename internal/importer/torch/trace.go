package torch

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

//go:embed trace.py
var traceScript string

// The codes of what can go wrong with a trace.
const (
	CodeTrace   = "trace-failed"
	CodeTimeout = "trace-timeout"
)

// maxTrace is how much a trace may print.
const maxTrace = 64 << 20

// passed are the variables that the child process gets: what finds Python, its packages and its libraries, and nothing else.
var passed = []string{"PATH", "HOME", "LANG", "LC_ALL", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH",
	"DYLD_LIBRARY_PATH", "SYSTEMROOT", "OMP_NUM_THREADS"}

// Trace builds and runs a model in the user's own Python, and reads what happened. It runs the user's code: callers do it only when
// asked. The process and everything that it started are killed at the time limit. The file is given from the folder that absolute imports
// start from.
func Trace(ctx context.Context, python, folder, file, name string, opt Options, limit time.Duration) (*Model, error) {
	if len(opt.Inputs) == 0 {
		return nil, fail(CodeInput, file+":"+name, "a trace needs the shape of each input, as in --input 3x224x224:float32")
	}
	full := filepath.Join(folder, filepath.FromSlash(file))
	if info, err := os.Stat(full); err != nil || info.IsDir() {
		return nil, fail(CodeSource, file, "is not a Python file that can be read")
	}
	options := traceOptions{Root: folder + string(filepath.Separator), Args: opt.Args, Training: !opt.Evaluate}
	if strings.Contains(file, "/") {
		options.Module = strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(file, ".py"), "/__init__"), "/", ".")
	}
	if slices.ContainsFunc(tensorsIn(opt.Inputs), func(in Input) bool { return in.Unbatched }) {
		return nil, fail(CodeInput, "--input", "says unbatched: what is run gets a batch in front; read the source without running it")
	}
	for _, in := range opt.Inputs {
		options.Inputs = append(options.Inputs, traced(in))
	}
	raw, err := json.Marshal(options)
	if err != nil {
		return nil, err
	}
	out, err := runPython(ctx, python, limit, file+":"+name, "-c", traceScript, full, name, string(raw))
	if err != nil {
		return nil, err
	}
	var t trace
	if err := json.Unmarshal(out, &t); err != nil {
		return nil, fail(CodeTrace, file+":"+name, "the trace is not readable: %v", err)
	}
	m := t.model(name)
	if t.Device != "" {
		m.Notes = append(m.Notes, Problem{file, 1, "the trace ran on real numbers, because the meta device cannot do all of it: " + t.Why})
	}
	return m, nil
}

type traceOptions struct {
	Root     string            `json:"root"`
	Module   string            `json:"module,omitempty"`
	Args     map[string]string `json:"args,omitempty"`
	Inputs   []traceInput      `json:"inputs"`
	Training bool              `json:"training"`
}

type traceInput struct {
	Shape   []int64      `json:"shape"`
	DType   string       `json:"dtype,omitempty"`
	Name    string       `json:"name,omitempty"`
	At      int          `json:"at,omitempty"`
	Literal string       `json:"literal,omitempty"`
	Kind    string       `json:"kind,omitempty"`
	Items   []traceInput `json:"items,omitempty"`
}

// traced is an input as trace.py takes it.
func traced(in Input) traceInput {
	out := traceInput{Shape: in.Shape, DType: in.DType, Name: in.Name, At: in.At, Literal: in.Literal, Kind: in.Kind}
	for _, item := range in.Items {
		out.Items = append(out.Items, traced(item))
	}
	return out
}

// runPython runs a process in a group of its own, with a time limit, and removes what it leaves in its temporary folder.
func runPython(ctx context.Context, python string, limit time.Duration, what string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	temporary, err := os.MkdirTemp("", "trace")
	if err != nil {
		return nil, fail(CodeTrace, what, "there is no temporary folder for it: %v", err)
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	cmd := exec.CommandContext(ctx, python, args...)
	for _, key := range passed {
		if v, ok := os.LookupEnv(key); ok {
			cmd.Env = append(cmd.Env, key+"="+v)
		}
	}
	cmd.Env = append(cmd.Env, "PYTHONDONTWRITEBYTECODE=1", "TMPDIR="+temporary)
	var stdout, stderr bounded
	stdout.max, stderr.max = maxTrace, 64<<10
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = 2 * time.Second
	ownGroup(cmd)
	err = cmd.Run()
	if ctx.Err() != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, fail(CodeTimeout, what, "did not end within %v and was killed", limit)
		}
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fail(CodeTrace, what, "%s", lastLine(stderr.String(), err))
	}
	if stdout.over {
		return nil, fail(CodeTrace, what, "the trace has more than %d bytes", maxTrace)
	}
	return stdout.Bytes(), nil
}

// bounded keeps so many bytes at the most.
type bounded struct {
	bytes.Buffer
	max  int
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := b.max - b.Len(); len(p) > room {
		b.over = true
		_, _ = b.Buffer.Write(p[:max(room, 0)])
		return len(p), nil
	}
	return b.Buffer.Write(p)
}

// lastLine is what Python says last: the exception.
func lastLine(s string, err error) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		return last
	}
	return err.Error()
}
