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
	file         *policy.File // the nearest one, with what those above it say; nil where there is none
	levels       []level      // every file, the outermost first
	path         string       // of the nearest file
	model        string       // path of the model from the folder of the outermost file, or the reference as given where it is no path
	baseline     *policy.Baseline
	baselinePath string           // where it is or would be, "" where there is no place for one
	lost         error            // that a baseline is named and not there
	calls        []policy.Default // what the model is called with
	files        []report.File    // that were read
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
		return parseHouse(names, []report.File{{Name: flag, Data: data}}, model)
	}
	paths, root, err := findPolicyFiles(model)
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return bareHouse(names, shown(root), model)
	}
	return readHouse(names, paths, model)
}

// readHouse reads policy files of folders that lie in each other, the outermost first.
func readHouse(names policy.Names, paths []string, model string) (*house, error) {
	var files []report.File
	for _, path := range paths {
		data, err := readFound(filepath.Dir(shown(path)), filepath.Base(path), true)
		if err != nil {
			return nil, err
		}
		files = append(files, report.File{Name: shown(path), Data: data})
	}
	return parseHouse(names, files, model)
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

// level is one of the policy files that hold for a model.
type level struct {
	file *policy.File
	dir  string
}

// parseHouse puts each file under the one of the folder above. The baseline is beside the outermost.
func parseHouse(names policy.Names, files []report.File, model string) (h *house, err error) {
	h = &house{}
	for _, f := range files {
		path := f.Name
		file, err := policy.ParseFile(f.Data, names)
		if err == nil && h.file != nil {
			err = file.Under(h.file, h.policy)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		h.levels = append(h.levels, level{file, filepath.Dir(path)})
		h.file, h.path, h.files = file, path, append(h.files, report.File{Name: filepath.ToSlash(path), Data: f.Data})
		if err := h.hold(func(dir string) (string, error) { return modelPath(dir, model) }); err != nil {
			return nil, err
		}
	}
	top := files[0].Name
	named := filepath.FromSlash(h.file.Baseline)
	if named != "" && !filepath.IsLocal(named) {
		return nil, fmt.Errorf("%s: baseline: %q is not a path inside the folder of this file", top, h.file.Baseline)
	}
	if named == "" {
		named = baselineFile
	}
	if err := h.readBaseline(names, filepath.Dir(top), named); err != nil {
		return nil, err
	}
	if h.baseline == nil && h.file.Baseline != "" {
		h.lost = fmt.Errorf("%s: baseline: %s is not there; verifier baseline write makes it", top, h.baselinePath)
	}
	return h, nil
}

// hold takes the lines of every file for the model, by its path from the folder of the file; a line of one takes none of another back.
// What is known of a model is counted by its path from the outermost. Of what it is called with the nearest file counts.
func (h *house) hold(from func(dir string) (string, error)) error {
	h.policy, h.calls = nil, nil
	for i, l := range h.levels {
		path, err := from(l.dir)
		if err != nil {
			return err
		}
		if i == 0 {
			h.model = path
		}
		h.policy = policy.Stricter(h.policy, l.file.For(path))
		h.calls = policy.Nearer(h.calls, l.file.CallOf(path))
	}
	return nil
}

// bareHouse is one without a policy file. It can have a baseline.
func bareHouse(names policy.Names, dir, model string) (h *house, err error) {
	h = &house{}
	if h.model, err = modelPath(dir, model); err != nil {
		return nil, err
	}
	return h, h.readBaseline(names, dir, baselineFile)
}

// readBaseline reads the baseline where there is one.
func (h *house) readBaseline(names policy.Names, dir, name string) error {
	path := filepath.Join(dir, name)
	h.baselinePath = path
	if !exists(path) {
		return nil
	}
	data, err := readFound(dir, name, false)
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

// findPolicyFiles walks up from the folder of the model, or from the working directory where the model is no path, to the root of
// the repository, and returns every .verifier.yml on the way, the outermost first. Outside a repository only the first folder
// counts: what lies further up may be anyone's. It also returns the last folder that counts.
func findPolicyFiles(model string) (paths []string, root string, err error) {
	start := "."
	if model != stdin && (onDisk(model) || filepath.IsAbs(model)) {
		start = filepath.Dir(model)
	}
	first, err := filepath.Abs(start)
	if err != nil {
		return nil, "", err
	}
	for dir := first; ; dir = filepath.Dir(dir) {
		if path := filepath.Join(dir, policyFile); exists(path) {
			paths = append([]string{path}, paths...)
		}
		if exists(filepath.Join(dir, ".git")) { // a folder or, in a worktree, a file
			return paths, dir, nil
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if n := len(paths); n > 0 && filepath.Dir(paths[n-1]) == first {
		return paths[n-1:], first, nil
	}
	return nil, first, nil
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
