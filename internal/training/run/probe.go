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
	"time"
)

// Machine is what a python3 can compute on.
type Machine struct {
	Torch string `json:"torch"` // version
	Cards []Card `json:"cards"`
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

// Probe asks a python3 what it has, in the environment that a trainer gets.
func Probe(ctx context.Context, python string) (Machine, error) {
	if python == "" {
		python = "python3"
	}
	folder, err := os.MkdirTemp("", "verifier-probe-")
	if err != nil {
		return Machine{}, err
	}
	defer os.RemoveAll(folder)
	ctx, cancel := context.WithTimeout(ctx, probing)
	defer cancel()
	if err := os.Mkdir(filepath.Join(folder, "tmp"), 0o700); err != nil {
		return Machine{}, err
	}
	var out bytes.Buffer
	words := &tail{}
	cmd := exec.CommandContext(ctx, python, "-B", "-c", probe)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = folder, environment(folder, "", 0), &out, words, grace
	if err := cmd.Run(); err != nil {
		return Machine{}, fmt.Errorf("%s has no PyTorch that runs: %w: %s", python, err, words.lastLine())
	}
	var m Machine
	if err := json.Unmarshal(out.Bytes(), &m); err != nil || m.Torch == "" {
		return Machine{}, errors.Join(fmt.Errorf("%s does not say which PyTorch it has", python), err)
	}
	return m, nil
}
