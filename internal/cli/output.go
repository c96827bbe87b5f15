package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/comment"
	"github.com/modelverifier/verifier/internal/hub"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/report"
	"github.com/modelverifier/verifier/internal/report/annotate"
	"github.com/modelverifier/verifier/internal/report/junit"
	"github.com/modelverifier/verifier/internal/report/markdown"
	"github.com/modelverifier/verifier/internal/report/sarif"
)

// outputs is what a command writes about all of its models, beside the text or in place of it.
type outputs struct {
	runs     []*report.Run
	unread   []report.Unread
	comments []string // that a command has Markdown of its own for, as plan
	changes  map[*report.Run]*comment.Model
	folder   folders
}

// formats are the files that a command can write. Each flag takes a file, or - for standard output in place of the text.
var formats = []format{
	{"sarif", "write the findings as SARIF 2.1.0, for code scanning, to this `file`; - is standard output", func(o *outputs) []byte {
		return sarif.Log(o.runs, sarif.Options{Version: Version, Site: report.Site, Paths: o.folder.path, Unread: o.unread})
	}, ""},
	{"junit", "write the rules as JUnit XML to this `file`", func(o *outputs) []byte { return junit.XML(o.runs, o.folder.path, o.unread) }, ""},
	{"markdown", "write a comment for a pull request to this `file`; it is appended to a job's summary", func(o *outputs) []byte {
		if len(o.comments) > 0 {
			return []byte(strings.Join(o.comments, "\n") + markdown.Comment(nil, o.folder.path, o.unread))
		}
		return []byte(markdown.Comment(o.runs, o.folder.path, o.unread))
	}, ""},
	{"code-quality", "write the findings as GitLab's code-quality report to this `file`", func(o *outputs) []byte { return annotate.CodeQuality(o.runs, o.folder.path) }, ""},
	changeFormat,
}

type format struct {
	flag, usage string
	make        func(*outputs) []byte
	only        string // the one command that has it, "" for all
}

// services show annotations that they find in the log. Each tells by its environment that it reads along.
var services = []struct {
	name, variable string
	lines          func([]*report.Run, report.Paths) string
}{
	{"github", "GITHUB_ACTIONS", annotate.GitHub},
	{"gitlab", "GITLAB_CI", annotate.GitLab},
	{"none", "", func([]*report.Run, report.Paths) string { return "" }},
}

// outputFlags are the flags of commands that report findings.
func outputFlags(c *cobra.Command) {
	for _, f := range formats {
		if f.only == "" || f.only == c.Name() {
			c.Flags().String(f.flag, "", f.usage)
		}
	}
	var names []string
	for _, s := range services {
		names = append(names, s.name)
	}
	c.Flags().String("annotate", "", "write annotations for this `service` to standard error: "+strings.Join(names, ", ")+"; without it, where the environment is that of one")
	c.Flags().BoolP("quiet", "q", false, "print only the findings that make the command fail")
	c.Flags().BoolP("verbose", "v", false, "print also the notes, the rules that passed, and what was assumed")
	c.MarkFlagsMutuallyExclusive("quiet", "verbose")
	offer(c, "annotate", names...)
}

// given is what a flag of text says, "" where the command has no such flag.
func given(cmd *cobra.Command, flag string) string {
	value, _ := cmd.Flags().GetString(flag)
	return value
}

// begin refuses outputs that cannot all be written.
func (j *judge) begin(models []string) error {
	taken := map[string]string{}
	if wantsJSON(j.cmd) {
		taken[stdout] = "--json"
	}
	for _, record := range []string{"attest", "attest-predicate"} {
		if path := given(j.cmd, record); path != "" {
			taken[filepath.Clean(path)] = "--" + record
		}
	}
	for _, f := range formats {
		path := given(j.cmd, f.flag)
		if j.cmd.Flags().Changed(f.flag) && path == "" {
			return fmt.Errorf("--%s is empty but takes a file, or -", f.flag)
		}
		if path == "" {
			continue
		}
		key := filepath.Clean(path)
		if other := taken[key]; other != "" {
			return fmt.Errorf("%s and --%s cannot both be written to %s", other, f.flag, strings.ReplaceAll(path, stdout, "standard output"))
		}
		taken[key] = "--" + f.flag
		for _, m := range models {
			if sameFile(path, m) {
				return fmt.Errorf("--%s would be written over the model %s", f.flag, m)
			}
		}
	}
	if name := given(j.cmd, "annotate"); name != "" && serviceOf(name) < 0 {
		return fmt.Errorf("--annotate is %q but takes github, gitlab or none", name)
	}
	return nil
}

const stdout = "-"

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

func serviceOf(name string) int {
	for i := range services {
		if services[i].name == name {
			return i
		}
	}
	return -1
}

// textless reports whether standard output has another form than text.
func (j *judge) textless() bool {
	for _, f := range formats {
		if given(j.cmd, f.flag) == stdout {
			return true
		}
	}
	return wantsJSON(j.cmd)
}

// keep adds a report to what is written at the end, and says where its components were written.
func (j *judge) keep(r *report.Run) {
	placed := slices.ContainsFunc(r.Findings, func(f report.Finding) bool { return f.Component != "" })
	if m := j.loaded; m != nil && !placed {
		r.Source = m.File
	} else if m != nil {
		places := m.Places()
		at := func(i int) (string, int) {
			if i < len(places) {
				return places[i].File, places[i].Line
			}
			return "", 0
		}
		r.Locate(m.File, at)
		if m.Kind == hub.Python && m.Graph != nil {
			r.Relate(infer.Walk(m.Graph).Origins, at)
		}
	}
	j.out.runs = append(j.out.runs, r)
}

// missed keeps that a model was not judged, and why.
func (j *judge) missed(model string, err error) error {
	if err != nil && !errors.Is(err, errGated) && !errors.Is(err, errWrite) {
		j.out.unread = append(j.out.unread, report.Unread{Model: model, Message: err.Error()})
	}
	return err
}

// finish writes what was asked for about all models, and returns how the command ends.
func (j *judge) finish(end error) error {
	if err := j.write(); err != nil {
		if end != nil && !errors.Is(end, errGated) && !errors.Is(end, errUsage) {
			complain(j.cmd, end)
		}
		return err
	}
	return end
}

func (j *judge) write() error {
	j.mend()
	for _, f := range formats {
		path := given(j.cmd, f.flag)
		if path == "" {
			continue
		}
		data := f.make(&j.out)
		if path == stdout {
			if _, err := j.cmd.OutOrStdout().Write(data); err != nil {
				return fmt.Errorf("%w: %w", errWrite, err)
			}
			continue
		}
		if err := writeFile(path, data, f.flag == "markdown" && sameFile(path, os.Getenv("GITHUB_STEP_SUMMARY"))); err != nil {
			return fmt.Errorf("--%s: %w", f.flag, err)
		}
	}
	if j.cmd.Flags().Lookup("annotate") == nil {
		return nil
	}
	i := serviceOf(given(j.cmd, "annotate"))
	if i < 0 {
		i = slices.IndexFunc(services[:len(services)-1], func(s struct {
			name, variable string
			lines          func([]*report.Run, report.Paths) string
		}) bool {
			return os.Getenv(s.variable) == "true"
		})
	}
	if i >= 0 {
		_, _ = io.WriteString(j.cmd.ErrOrStderr(), services[i].lines(j.out.runs, j.out.folder.path)) // as every note there
	}
	return nil
}

// writeFile writes a file whole or not at all. What is no plain file, such as a pipe, is written to as it is.
func writeFile(path string, data []byte, atEnd bool) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		return fmt.Errorf("%w: %s is a folder", errWrite, path)
	}
	if !atEnd && (err != nil || info.Mode().IsRegular()) {
		return replaceFile(path, data)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = f.Write(data)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errWrite, err)
	}
	return nil
}

// folders knows the roots of repositories, by the folders in them.
type folders map[string]string

// path is that of a file from the root of its repository, else from the working directory, with slashes. What is no file, such as
// the id of a model, stays as it is.
func (d *folders) path(file string) string {
	full, err := filepath.Abs(file)
	if err != nil || file == stdin || !exists(full) {
		return filepath.ToSlash(file)
	}
	if *d == nil {
		*d = folders{}
	}
	dir := filepath.Dir(full)
	root, known := (*d)[dir]
	if !known {
		root = rootOf(dir)
		(*d)[dir] = root
	}
	if rel, err := filepath.Rel(root, full); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(full)
}

// rootOf is the root of the repository that a folder is in, or the working directory.
func rootOf(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if exists(filepath.Join(at, ".git")) { // a folder or, in a worktree, a file
			return at
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	wd, err := os.Getwd()
	if err != nil {
		return dir
	}
	return wd
}
