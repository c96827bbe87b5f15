package hub

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
)

// id is the name of a model on the hub.
type id struct {
	org, name string // org is empty for the oldest models: gpt2
	revision  string // a branch, a tag or a commit; main where none was given
}

const mainBranch = "main"

// entryPrefix begins the name of a model's folder in the cache.
const entryPrefix = "models--"

var (
	idPart   = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_])?$`)
	isCommit = regexp.MustCompile(`^[0-9a-f]{40}$`).MatchString
	isPrefix = regexp.MustCompile(`^[0-9a-f]{7,39}$`).MatchString
)

// maxIDLength and maxRevision bound what becomes a path and an address.
const maxIDLength, maxRevision = 96, 255

// repo is org/name.
func (i id) repo() string {
	if i.org == "" {
		return i.name
	}
	return i.org + "/" + i.name
}

// folder is the name of the model's folder in the cache.
func (i id) folder() string { return entryPrefix + strings.ReplaceAll(i.repo(), "/", "--") }

func (i id) String() string {
	if i.revision == mainBranch {
		return i.repo()
	}
	return i.repo() + "@" + i.revision
}

// addresses are what people copy in front of an id.
var addresses = []string{"hf://models/", "hf://", "https://huggingface.co/", "https://hf.co/", "huggingface.co/"}

// parseID reads org/name[@revision], the name of an entry of the cache, or the address of a model's page. What ends like a file is none: a
// mistyped file name must not be sent anywhere.
func parseID(ref string) (id, bool) {
	address := false
	for _, a := range addresses {
		if rest, ok := strings.CutPrefix(ref, a); ok {
			ref, address = strings.TrimSuffix(rest, "/"), true
			break
		}
	}
	out := id{revision: mainBranch}
	repo, revision, given := strings.Cut(ref, "@")
	if address && !given {
		repo, revision, given = strings.Cut(ref, "/tree/")
	}
	if given {
		if !validRevision(revision) {
			return id{}, false
		}
		out.revision = revision
	}
	if entry, ok := strings.CutPrefix(repo, entryPrefix); ok {
		org, name, two := strings.Cut(entry, "--")
		if repo = entry; two {
			repo = org + "/" + name
		}
	}
	if len(repo) > maxIDLength || strings.Contains(repo, "--") || strings.Contains(repo, "..") || strings.HasSuffix(repo, ".git") {
		return id{}, false
	}
	ending := strings.ToLower(filepath.Ext(repo))
	if _, file := byEnding[ending]; file || ending == ".json" || ending == ".txt" || pickles[ending] || foreign[ending] != "" {
		return id{}, false
	}
	parts := strings.Split(repo, "/")
	if len(parts) > 2 {
		return id{}, false
	}
	for _, p := range parts {
		if !idPart.MatchString(p) {
			return id{}, false
		}
	}
	out.name = parts[len(parts)-1]
	if len(parts) == 2 {
		out.org = parts[0]
	}
	return out, true
}

// validRevision reports whether a revision can be the name of a file below refs: git's rules, and no way out of the folder.
func validRevision(r string) bool {
	return fs.ValidPath(r) && r != "." && len(r) <= maxRevision && !strings.ContainsAny(r, "\\:?*[~^ \x7f") && strings.IndexFunc(r, func(c rune) bool { return c < ' ' }) < 0
}
