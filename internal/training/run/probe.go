package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// Machine is what a python3 can compute on.
type Machine struct {
	Torch     string `json:"torch"` // version
	Cards     []Card `json:"cards"`
	Isolation int    `json:"-"` // for Options: in which PyTorch sees them
}

// Card is one that PyTorch sees.
type Card struct {
	Name   string `json:"name"`
	Memory int64  `json:"memory"` // bytes
}

// probing may take long: the first import of PyTorch reads a gigabyte.
const probing = 2 * time.Minute

const probe = `import json, torch
n = torch.cuda.device_count() if torch.cuda.is_available() else 0
seen = [torch.cuda.get_device_properties(i) for i in range(n)]
print(json.dumps({"torch": str(torch.__version__), "cards": [{"name": p.name, "memory": p.total_memory} for p in seen]}))`

// drivers are there where the system has a card that PyTorch may use: NVIDIA's and AMD's.
var drivers = []string{"/dev/nvidiactl", "/dev/kfd"}

// Probe asks a python3 what it has, in the environment that a trainer gets. Where a driver is there and its cards cannot be seen from an
// empty network, it finds the isolation in which they can.
func Probe(ctx context.Context, python string) (Machine, error) {
	if python == "" {
		python = "python3"
	}
	ctx, cancel := context.WithTimeout(ctx, probing)
	defer cancel()
	var first *Machine
	var faults []error
	for i, way := range isolations {
		m, err := probeIn(ctx, python, way)
		if err != nil {
			faults = append(faults, err)
			if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) || ctx.Err() != nil {
				break
			}
			continue
		}
		m.Isolation = i
		if len(m.Cards) > 0 || !slices.ContainsFunc(drivers, exists) {
			return m, nil
		}
		if first == nil {
			first = &m
		}
	}
	if first != nil {
		return *first, nil
	}
	return Machine{}, faults[len(faults)-1]
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func probeIn(ctx context.Context, python string, way isolation) (m Machine, err error) {
	folder, err := os.MkdirTemp("", "verifier-probe-")
	if err != nil {
		return m, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	if err := os.Mkdir(filepath.Join(folder, "tmp"), 0o700); err != nil {
		return m, err
	}
	var out bytes.Buffer
	words := &tail{}
	cmd := exec.CommandContext(ctx, python, "-B", "-c", probe)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr, cmd.WaitDelay = folder, environment(folder, "", 0), &out, words, way.attributes(), grace
	if err := cmd.Run(); err != nil {
		return m, fmt.Errorf("%s has no PyTorch that runs: %w: %s", python, err, words.lastLine())
	}
	if err := json.Unmarshal(out.Bytes(), &m); err != nil || m.Torch == "" {
		return m, errors.Join(fmt.Errorf("%s does not say which PyTorch it has", python), err)
	}
	return m, nil
}
