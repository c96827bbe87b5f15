package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/attest"
	"github.com/modelverifier/verifier/internal/hub"
	"github.com/modelverifier/verifier/internal/load"
	"github.com/modelverifier/verifier/internal/manifest"
)

// located is a model as files: a folder, one file, or a snapshot of the cache.
type located struct {
	path     string
	name     string // of a model of the hub, else that of the path
	single   bool
	hub      bool // found by its id
	repo     string
	revision string
	notes    []string
}

func (l *located) kind() string {
	switch {
	case l.hub:
		return attest.Hub
	case l.single:
		return attest.SingleFile
	}
	return attest.Directory
}

// locate finds the files of a reference, on this machine alone unless --download is given.
func locate(ctx context.Context, cmd *cobra.Command, ref string) (*located, error) {
	if ref == stdin {
		return nil, errors.New("standard input has no files to digest; save it to one")
	}
	if asRequest, _ := cmd.Flags().GetBool("request"); asRequest {
		return &located{path: ref, name: filepath.Base(ref), single: true}, nil
	}
	opt := hub.Options{Agent: "verifier/" + Version}
	opt.Download, _ = cmd.Flags().GetBool("download")
	if info, err := os.Stat(ref); err == nil && (!info.IsDir() || !isEntry(ref)) { // whatever is in it
		name, err := manifest.Name(ref)
		return &located{path: ref, name: name, single: !info.IsDir()}, err
	}
	src, err := hub.Resolve(ctx, ref, opt)
	if err != nil {
		if _, ok := load.Bundled(ref); ok {
			err = fmt.Errorf("%s is a bundled model, which has no files to digest; verifier import %s > %s.json makes one", ref, ref, ref)
		}
		return nil, err
	}
	defer func() { _ = src.Close() }() // it was only looked for
	l := &located{path: src.Path, hub: src.Name != "" && src.Revision != "" && !strings.HasPrefix(ref, src.Path)}
	if l.hub {
		l.repo, l.revision = src.ID(), src.Revision
		l.name = path.Base(l.repo)
		l.notes = headersOnly(src)
		return l, nil
	}
	l.single = true
	l.name, err = manifest.Name(l.path)
	return l, err
}

// isEntry reports whether a folder is an entry of a cache, which names a model and not its files.
func isEntry(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, "snapshots"))
	return err == nil && info.IsDir() && strings.HasPrefix(filepath.Base(dir), "models--")
}

func headersOnly(src *hub.Source) []string {
	var names []string
	for _, f := range src.Files {
		if f.HeaderOnly {
			names = append(names, f.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("the record is of the files that the cache holds: of %s only headers were downloaded", strings.Join(names, ", "))}
}

// list notes what the files are now.
func (l *located) list(ctx context.Context, cmd *cobra.Command, ignore []string, allow bool) (*manifest.Listing, error) {
	out, err := manifest.List(ctx, l.path, manifest.Options{Ignore: ignore, AllowSymlinks: allow || l.hub, Progress: hashing(cmd)})
	if err == nil {
		out.Name = l.name
	}
	return out, err
}

// within is the path of a file that is to be written from the model's folder, or "" where it lies elsewhere. What is there already must be
// a record.
func (l *located) within(out string) (string, error) {
	if out == "" || out == stdin {
		return "", nil
	}
	if info, err := os.Stat(filepath.Dir(out)); err != nil || !info.IsDir() {
		return "", fmt.Errorf("%s is to be written, but %s is no folder", out, filepath.Dir(out))
	}
	if info, err := os.Stat(out); err == nil && info.IsDir() {
		return "", fmt.Errorf("%s is a folder; give a file to write the record to", out)
	}
	if l.single {
		return "", nil
	}
	dir, err := realPath(l.path)
	if err != nil {
		return "", err
	}
	folder, err := realPath(filepath.Dir(out))
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(dir, filepath.Join(folder, filepath.Base(out)))
	if err != nil || !filepath.IsLocal(rel) {
		return "", nil
	}
	if data, err := readFile(out); err == nil && !attest.IsOurs(data) {
		return "", fmt.Errorf("%s is a file of the model; write the record elsewhere", out)
	}
	return filepath.ToSlash(rel), nil
}

func realPath(path string) (string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(full)
}

// hashing draws a bar where someone watches and it takes long enough to be seen.
func hashing(cmd *cobra.Command) func(manifest.Progress) {
	w := cmd.ErrOrStderr()
	if !isTerminal(w) {
		return nil
	}
	const worthwhile = 256 << 20
	var bar *progressbar.ProgressBar
	return func(p manifest.Progress) {
		if p.AllBytes < worthwhile {
			return
		}
		if bar == nil {
			bar = progressbar.NewOptions64(p.AllBytes, progressbar.OptionSetWriter(w), progressbar.OptionClearOnFinish(), progressbar.OptionShowBytes(true),
				progressbar.OptionSetDescription("digest"), progressbar.OptionThrottle(barInterval))
		}
		_ = bar.Set64(p.Bytes)
	}
}
