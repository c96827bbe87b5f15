package hub

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/fence"
)

// cacheEntry tells whether a path lies in an entry of a Hugging Face cache, and returns the entry and the path within it. Snapshots are links
// into the entry's blobs, so the entry, and not the snapshot, is what must not be left.
func cacheEntry(path string) (entry, within string, ok bool) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", "", false
	}
	for dir := abs; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if !strings.HasPrefix(filepath.Base(dir), entryPrefix) {
			continue
		}
		info, err := os.Stat(filepath.Join(dir, "snapshots"))
		rel, relErr := filepath.Rel(dir, abs)
		rel = slashed(rel)
		if err == nil && info.IsDir() && relErr == nil && (rel == "." || strings.HasPrefix(rel, "snapshots/")) {
			return dir, rel, true
		}
	}
	return "", "", false
}

// inSnapshot opens the folder of a file that was named by its path within an entry.
func (s *Source) inSnapshot(entry, within string) error {
	d, err := fence.Below(entry, path.Dir(within))
	if err := s.use(d, filepath.Join(entry, filepath.FromSlash(path.Dir(within))), err); err != nil {
		return err
	}
	s.Main = path.Base(within)
	s.identify(entry, within)
	return nil
}

// identify notes whose model an entry is, and of which commit.
func (s *Source) identify(entry, within string) {
	if i, ok := parseID(filepath.Base(entry)); ok {
		s.Org, s.Name = i.org, i.name
	}
	parts := strings.Split(within, "/")
	if len(parts) > 1 && isCommit(parts[1]) {
		s.Revision = parts[1]
	}
}

// resolveEntry finds a model by the path of its entry in a cache, or of a folder in one of its snapshots. It is on disk, so nothing is
// downloaded.
func resolveEntry(ref, entry, within string, opt Options) (*Source, error) {
	if within != "." && within != "snapshots" {
		s := &Source{Ref: ref, Path: ref}
		err := s.inSnapshot(entry, within+"/x")
		s.Main = ""
		if err == nil && s.Revision != "" && within == "snapshots/"+s.Revision {
			s.fsys, err = withHeaders(s.fsys, headerFolder(opt, filepath.Base(entry), s.Revision))
		}
		if err == nil {
			err = s.choose()
		}
		return s.orClose(err)
	}
	i, ok := parseID(filepath.Base(entry))
	if !ok {
		return nil, action.Errorf(action.CodeNotFound, ref, "is not named after a model: models--org--name")
	}
	s, err := openCached(ref, i, filepath.Dir(entry), opt)
	if s == nil && err == nil {
		err = action.Errorf(action.CodeNotFound, ref, "holds no snapshot of %s", i.revision)
	}
	return s, err
}

// resolveID finds a model by its id: in the cache, or on the hub where that is asked for.
func resolveID(ctx context.Context, ref string, opt Options) (*Source, error) {
	i, ok := parseID(ref)
	if !ok {
		return nil, action.Errorf(action.CodeNotFound, ref, "no such file or folder, and not an id of the hub (org/name or org/name@revision)")
	}
	env := environment(opt.Getenv)
	cache := env.cache()
	if opt.Download {
		return resolveRemote(ctx, ref, i, opt)
	}
	s, err := openCached(ref, i, cache, opt)
	if s != nil || err != nil {
		return s, err
	}
	looked := "no such file or folder, and the Hugging Face cache cannot be looked into, since neither HF_HUB_CACHE, HF_HOME nor HOME is set"
	if cache != "" {
		looked = "no such file or folder, and " + i.String() + " is not in the Hugging Face cache " + cache + " (HF_HUB_CACHE or HF_HOME set another)"
	}
	return nil, notFound(ref, looked, opt)
}

// openCached opens a model of the cache, or returns nil where it is not there.
func openCached(ref string, i id, cache string, opt Options) (*Source, error) {
	if cache == "" {
		return nil, nil
	}
	entry := filepath.Join(cache, i.folder())
	root, err := fence.Folder(entry)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, action.Errorf(action.CodeNotFound, entry, "cannot be opened: %v", reason(err))
	}
	s := &Source{Ref: ref, Org: i.org, Name: i.name, closes: []io.Closer{root}}
	if s.Revision, err = s.commit(root, i.revision); err != nil || s.Revision == "" {
		_ = s.Close()
		return nil, err
	}
	snapshot := "snapshots/" + s.Revision
	s.Path = filepath.Join(entry, filepath.FromSlash(snapshot))
	s.fsys, err = withHeaders(root.Sub(snapshot), headerFolder(opt, i.folder(), s.Revision))
	if err != nil {
		return s.orClose(err)
	}
	return s.orClose(s.choose())
}

// headerFolder is where the headers of a commit are kept.
func headerFolder(opt Options, entry, commit string) string {
	return filepath.Join(environment(opt.Getenv).ours(), entry, commit)
}

// maxRefBytes bounds what is read of a file that holds a commit.
const maxRefBytes = 256

// commit finds the commit of a revision in an entry, or returns nothing.
func (s *Source) commit(root *fence.Dir, revision string) (string, error) {
	snapshots, err := root.ReadDir("snapshots")
	if err != nil {
		return "", nil
	}
	var commits []string
	for _, e := range snapshots {
		if isCommit(e.Name()) {
			commits = append(commits, e.Name())
		}
	}
	want := revision
	if !isCommit(revision) {
		if want, err = readRef(root, revision); err != nil {
			return "", err
		}
	}
	var found []string
	for _, c := range commits {
		if c == want || want == "" && isPrefix(revision) && strings.HasPrefix(c, revision) {
			found = append(found, c)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", action.Errorf(action.CodeNotFound, s.Ref, "is the beginning of %d commits: %s", len(found), list(found))
	case revision == mainBranch && want == "" && len(commits) == 1:
		s.notef("the cache does not say which commit main is; the only one there was taken: %s", commits[0])
		return commits[0], nil
	case len(commits) > 0:
		return "", action.Errorf(action.CodeNotFound, s.Ref, "the cache has no %s of this model. It has the commits %s: add @ and one of them, or --download", revision, list(commits))
	}
	return "", nil
}

// readRef reads which commit a branch or a tag is, or returns nothing.
func readRef(root *fence.Dir, revision string) (string, error) {
	data, err := fence.ReadFile(root, "refs/"+revision, maxRefBytes)
	if err != nil {
		return "", nil // a folder: refs/pr of refs/pr/1
	}
	commit := strings.TrimSpace(string(data))
	if !isCommit(commit) {
		return "", action.Errorf(action.CodeFile, "refs/"+revision, "does not hold a commit of 40 hex digits")
	}
	return commit, nil
}
