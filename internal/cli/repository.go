package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/report"
)

const (
	policyFile   = ".verifier.yml"
	baselineFile = ".verifier-baseline.json" // where the policy file names none
	noPolicy     = "none"                    // of --policy: the repository's file does not count
)

// house is the rules that hold for a model where it lies: the policy, and what fails no command all the same.
type house struct {
	policy       *policy.Policy
	file         *policy.File // nil where there is none
	path         string       // of the file
	model        string       // path of the model from the folder of the file, or the reference as given where it is no path
	baseline     *policy.Baseline
	baselinePath string        // where it is or would be, "" where there is no place for one
	lost         error         // that a baseline is named and not there
	files        []report.File // that were read
}

// houseOf reads the rules for a model: those that --policy names, or else the repository's file.
func houseOf(names policy.Names, flag, model string) (*house, error) {
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
		return parseHouse(names, flag, data, model)
	}
	path, root, err := findPolicyFile(model)
	if err != nil {
		return nil, err
	}
	if path == "" {
		return bareHouse(names, shown(root), model)
	}
	path = shown(path)
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return parseHouse(names, path, data, model)
}

// policyLines reads a policy as a request has it.
func policyLines(data []byte, name string) (*house, error) {
	p, err := policy.Decode(string(data), "policy", action.FindGPU)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	h := &house{policy: p}
	if name != "--policy" {
		h.files = []report.File{{Name: filepath.ToSlash(name), Data: data}}
	}
	return h, nil
}

func parseHouse(names policy.Names, path string, data []byte, model string) (*house, error) {
	file, err := policy.ParseFile(data, names)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	h := &house{file: file, path: path, files: []report.File{{Name: filepath.ToSlash(path), Data: data}}}
	if h.model, err = modelPath(filepath.Dir(path), model); err != nil {
		return nil, err
	}
	h.policy = file.For(h.model)
	named := filepath.FromSlash(file.Baseline)
	if named != "" && !filepath.IsLocal(named) {
		return nil, fmt.Errorf("%s: baseline: %q is not a path inside the folder of this file", path, file.Baseline)
	}
	if named == "" {
		named = baselineFile
	}
	if err := h.readBaseline(names, filepath.Join(filepath.Dir(path), named)); err != nil {
		return nil, err
	}
	if h.baseline == nil && file.Baseline != "" {
		h.lost = fmt.Errorf("%s: baseline: %s is not there; verifier baseline write makes it", path, h.baselinePath)
	}
	return h, nil
}

// bareHouse is one without a policy file. It can have a baseline.
func bareHouse(names policy.Names, dir, model string) (h *house, err error) {
	h = &house{}
	if h.model, err = modelPath(dir, model); err != nil {
		return nil, err
	}
	return h, h.readBaseline(names, filepath.Join(dir, baselineFile))
}

// readBaseline reads the baseline where there is one.
func (h *house) readBaseline(names policy.Names, path string) error {
	h.baselinePath = path
	if !exists(path) {
		return nil
	}
	data, err := readFile(path)
	if err != nil {
		return err
	}
	if h.baseline, err = names.ParseBaseline(data); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	h.files = append(h.files, report.File{Name: filepath.ToSlash(path), Data: data})
	return nil
}

// modelPath is the path of a model from a folder, with slashes. A model from standard input has none, and one that is no file
// keeps its reference.
func modelPath(dir, model string) (string, error) {
	switch {
	case model == stdin:
		return "", nil
	case !onDisk(model):
		return model, nil
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

// onDisk reports whether a reference is a path, of a file, a folder, or a file with the name of something in it.
func onDisk(model string) bool {
	file := model
	if i := strings.LastIndexByte(model, ':'); i > 0 {
		file = model[:i]
	}
	return exists(model) || exists(file)
}

// findPolicyFile walks up from the folder of the model, or from the working directory where the model is no path, to the root of
// the repository, and returns the first .verifier.yml on the way, or "". Outside a repository only the first folder counts:
// what lies further up may be anyone's. It also returns the last folder that counts.
func findPolicyFile(model string) (path, root string, err error) {
	start := "."
	if model != stdin && (onDisk(model) || filepath.IsAbs(model)) {
		start = filepath.Dir(model)
	}
	first, err := filepath.Abs(start)
	if err != nil {
		return "", "", err
	}
	found := ""
	for dir := first; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, policyFile)
		if found == "" && exists(path) {
			found = path
		}
		if exists(filepath.Join(dir, ".git")) { // a folder or, in a worktree, a file
			return found, dir, nil
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if filepath.Dir(found) != first {
		found = ""
	}
	return found, first, nil
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
