// Command release writes everything that a release has into a folder: an archive of the command line for each platform with its
// licences and manual pages, its SBOM, the container images of the server, the wheels, a Homebrew formula, SLSA provenance and
// SHA256SUMS.
//
//	release -out dist                           # every platform
//	release -out dist -platforms linux/amd64    # one
//
// It must not know the clock or the machine: two runs of one commit with one release of Go give the same bytes (docs/release.md).
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelverifier/verifier"
)

// platforms are those that the command line is released for.
var platforms = []string{"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64", "windows/amd64", "windows/arm64"}

// options are the flags.
type options struct {
	root, out, platforms, pgo, commit, key string
	seconds                                int64
	only                                   bool // the command line: no image, no wheel
	noEngine                               bool
}

func main() {
	var o options
	flag.StringVar(&o.root, "root", ".", "the `folder` of the source")
	flag.StringVar(&o.out, "out", "dist", "the `folder` to write")
	flag.StringVar(&o.platforms, "platforms", strings.Join(platforms, ","), "what to build for, with commas between")
	flag.StringVar(&o.pgo, "pgo", "auto", "whether the programs are built with their profile: auto or off")
	flag.StringVar(&o.commit, "commit", "", "the `commit` of the source; that of git unless given")
	flag.Int64Var(&o.seconds, "time", 0, "the time of the commit in `seconds` since 1970; that of git unless given")
	flag.StringVar(&o.key, "key", "", "a private `key` in PEM that signs the provenance")
	flag.BoolVar(&o.only, "only-archives", false, "write no container image and no wheel")
	flag.BoolVar(&o.noEngine, "no-engine", false, "allow programs without the engine for the browser")
	flag.Parse()
	if err := run(&o); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release is one release while it is written.
type release struct {
	options
	version   string // v0.1.0
	time      time.Time
	platforms []string
	work      string // what is built and not published
	licenses  string // the file with the licence texts of everything that is linked
	man       string // the folder of the manual pages
	built     []*program
}

// number is the version without the v, as names of files and packages have it.
func (r *release) number() string { return strings.TrimPrefix(r.version, "v") }

func run(o *options) error {
	r := &release{options: *o, version: verifier.Version()}
	if err := r.prepare(); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(r.work) }()
	steps := []func() error{r.build, r.documents, r.archives, r.boms}
	if !o.only {
		steps = append(steps, r.images, r.wheels)
	}
	for _, step := range append(steps, r.formula, r.provenance, r.sums) {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// prepare finds out what is to be released, and refuses what no other build would give again.
func (r *release) prepare() error {
	for _, name := range strings.Split(r.options.platforms, ",") {
		if !slices.Contains(platforms, name) {
			return fmt.Errorf("-platforms has %q: there are %s", name, strings.Join(platforms, ", "))
		}
		r.platforms = append(r.platforms, name)
	}
	if r.commit == "" || r.seconds == 0 {
		if err := r.askGit(); err != nil {
			return err
		}
	}
	r.time = time.Unix(r.seconds, 0).UTC()
	if _, err := os.Stat(filepath.Join(r.root, "web/engine/verifier.wasm.br")); err != nil && !r.noEngine {
		return fmt.Errorf("the engine for the browser is not built: use make release: %w", err)
	}
	if found, err := os.ReadDir(r.out); err == nil && len(found) > 0 {
		return fmt.Errorf("%s is not empty: what an earlier release left would be published with this one", r.out)
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	var err error
	if r.out, err = filepath.Abs(r.out); err != nil {
		return err
	}
	r.work, err = os.MkdirTemp("", "verifier-release")
	return err
}

// askGit takes the commit and its time from git.
func (r *release) askGit() error {
	changed, err := r.command(nil, "git", "status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return err
	}
	if changed != "" {
		return fmt.Errorf("there are changes that are not committed, so nobody could build the same:\n%s", changed)
	}
	if r.commit, err = r.command(nil, "git", "rev-parse", "HEAD"); err != nil {
		return err
	}
	tagged, err := r.command(nil, "git", "rev-parse", "--verify", "--quiet", "refs/tags/"+r.version+"^{commit}")
	if err == nil && tagged != r.commit {
		return fmt.Errorf("%s is the commit %s already: raise the version in the file VERSION", r.version, tagged)
	}
	seconds, err := r.command(nil, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	r.seconds, err = strconv.ParseInt(seconds, 10, 64)
	return err
}

var goCommand = cmp.Or(os.Getenv("GO"), "go")

// command runs a program in the source's folder and returns what it printed.
func (r *release) command(env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env, cmd.Stderr = r.root, append(os.Environ(), env...), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
