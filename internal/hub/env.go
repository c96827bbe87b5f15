package hub

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/fence"
)

// environment is what the variables say, with the names and precedence of huggingface_hub (constants.py).
type environment func(name string) string

// truthy reports whether a variable is switched on.
func (env environment) truthy(name string) bool {
	switch strings.ToUpper(env(name)) {
	case "1", "ON", "YES", "TRUE":
		return true
	}
	return false
}

// path returns a variable that names a folder, with ~ and variables in it replaced.
func (env environment) path(name string) string {
	p := env(name)
	if p == "~" || strings.HasPrefix(p, "~/") {
		p = filepath.Join(env.home(), p[1:])
	}
	return os.Expand(p, env)
}

func (env environment) home() string {
	if h := env("HOME"); h != "" {
		return h
	}
	return env("USERPROFILE")
}

// hfHome is where Hugging Face's libraries keep everything.
func (env environment) hfHome() string {
	if p := env.path("HF_HOME"); p != "" {
		return p
	}
	if p := env.path("XDG_CACHE_HOME"); p != "" {
		return filepath.Join(p, "huggingface")
	}
	if h := env.home(); h != "" {
		return filepath.Join(h, ".cache", "huggingface")
	}
	return ""
}

// cache is the folder of the local cache, or nothing where no variable says where it would be.
func (env environment) cache() string {
	for _, name := range []string{"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"} {
		if p := env.path(name); p != "" {
			return p
		}
	}
	if h := env.hfHome(); h != "" {
		return filepath.Join(h, "hub")
	}
	return ""
}

// ours is the folder for what other tools must not take for a model: headers without weights.
func (env environment) ours() string {
	if p := env.path("VERIFIER_CACHE"); p != "" {
		return filepath.Join(p, "headers")
	}
	if p := env.path("XDG_CACHE_HOME"); p != "" {
		return filepath.Join(p, "verifier", "headers")
	}
	if h := env.home(); h != "" {
		return filepath.Join(h, ".cache", "verifier", "headers")
	}
	return ""
}

// offline names the variable that forbids the network, or nothing.
func (env environment) offline() string {
	for _, name := range []string{"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"} {
		if env.truthy(name) {
			return name
		}
	}
	return ""
}

// endpoint is the address of the hub.
func (env environment) endpoint() (*url.URL, error) {
	text := env("HF_ENDPOINT")
	if text == "" {
		text = "https://huggingface.co"
	}
	u, err := url.Parse(strings.TrimRight(text, "/"))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "" {
		return nil, action.Errorf(action.CodeDownload, "HF_ENDPOINT", "is not the address of a hub, such as https://huggingface.co")
	}
	return u, nil
}

// maxTokenBytes bounds what is read of a token's file.
const maxTokenBytes = 4096

// token is what says who is asking, or nothing. No error repeats it.
func (env environment) token() (string, error) {
	if env.truthy("HF_HUB_DISABLE_IMPLICIT_TOKEN") {
		return "", nil
	}
	for _, name := range []string{"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"} {
		if t := strings.TrimSpace(env(name)); t != "" {
			return t, checkToken(t, name)
		}
	}
	path := env.path("HF_TOKEN_PATH")
	if path == "" {
		home := env.hfHome()
		if home == "" {
			return "", nil
		}
		path = filepath.Join(home, "token")
	}
	data, err := fence.Read(path, maxTokenBytes)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", action.Errorf(action.CodeDownload, path, "cannot be read: %v", reason(err))
	}
	t := strings.TrimSpace(string(data))
	return t, checkToken(t, path)
}

// checkToken refuses what cannot stand in a header, and would be an error of the HTTP library that repeats it.
func checkToken(t, where string) error {
	for i := range len(t) {
		if t[i] <= ' ' || t[i] >= 0x7f {
			return action.Errorf(action.CodeDownload, where, "is no token: it holds a blank or a character beyond ASCII")
		}
	}
	return nil
}
