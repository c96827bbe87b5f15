package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/policy"
)

const (
	policyFile = ".verifier.yml"
	noPolicy   = "none" // of --policy: the repository's file does not count
)

// house is the rules that hold for a model where it lies: the policy, and what fails no command all the same.
type house struct {
	policy   *policy.Policy
	file     *policy.File // nil where there is none
	path     string       // of the file
	model    string       // path of the model from the folder of the file
	baseline *policy.Baseline
}

// houseOf reads the rules for a model: those that --policy names, or else the repository's file.
func houseOf(flag, model string) (*house, error) {
	switch {
	case flag == noPolicy:
		return &house{}, nil
	case strings.HasPrefix(strings.TrimSpace(flag), "{"):
		return policyLines([]byte(flag), "--policy")
	case flag != "":
		data, err := readFile(flag)
		if err != nil {
			return nil, err
		}
		if ext := filepath.Ext(flag); ext != ".yml" && ext != ".yaml" && bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
			return policyLines(data, flag)
		}
		return parseHouse(flag, data, model)
	}
	path, err := findPolicyFile(model)
	if err != nil || path == "" {
		return &house{}, err
	}
	path = shown(path)
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return parseHouse(path, data, model)
}

// policyLines reads a policy as a request has it.
func policyLines(data []byte, name string) (*house, error) {
	p, err := policy.Decode(string(data), "policy", action.FindGPU)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &house{policy: p}, nil
}

func parseHouse(path string, data []byte, model string) (*house, error) {
	file, err := policy.ParseFile(data, action.FindGPU)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	h := &house{file: file, path: path}
	if h.model, err = modelPath(filepath.Dir(path), model); err != nil {
		return nil, err
	}
	h.policy = file.For(h.model)
	if file.Baseline != "" {
		name := filepath.Join(filepath.Dir(path), filepath.FromSlash(file.Baseline))
		data, err := readFile(name)
		if err != nil {
			return nil, fmt.Errorf("%s: baseline: %w", path, err)
		}
		if h.baseline, err = policy.ParseBaseline(data); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return h, nil
}

// modelPath is the path of a model from a folder, with slashes. A model from standard input has none.
func modelPath(dir, model string) (string, error) {
	if model == stdin {
		return "", nil
	}
	from, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(model)
	if err != nil {
		return "", err
	}
	path, err := filepath.Rel(from, to)
	return filepath.ToSlash(path), err
}

// findPolicyFile walks up from the folder of the model, or from the working directory for standard input, to the root of the
// repository, and returns the first .verifier.yml on the way, or "". Outside a repository only the first folder counts: what
// lies further up may be anyone's.
func findPolicyFile(model string) (string, error) {
	start := "."
	if model != stdin {
		start = filepath.Dir(model)
	}
	first, err := filepath.Abs(start)
	if err != nil {
		return "", err
	}
	found := ""
	for dir := first; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, policyFile)
		if found == "" && exists(path) {
			found = path
		}
		if exists(filepath.Join(dir, ".git")) { // a folder or, in a worktree, a file
			return found, nil
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if filepath.Dir(found) != first {
		found = ""
	}
	return found, nil
}

// shown is a path as it is read most easily: from the working directory where that is shorter.
func shown(path string) string {
	if dir, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(dir, path); err == nil && len(rel) < len(path) {
			return rel
		}
	}
	return path
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
