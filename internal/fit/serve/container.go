package serve

import (
	"slices"
	"strings"
)

// alone are the options of docker run that take no value; every other one takes the next word unless it is written with "=".
var alone = []string{"-d", "--detach", "--init", "-i", "--interactive", "--no-healthcheck", "--oom-kill-disable", "--privileged", "-P", "--publish-all", "-q", "--quiet", "--read-only",
	"--rm", "--sig-proxy", "-t", "--tty", "-it", "-ti", "-dit", "-itd", "-td", "-dt", "-id", "-di", "--tls", "--disable-content-trust", "--replace", "--no-hosts", "--rmi"}

// findInContainer reads docker run, and what runs in the container.
func findInContainer(words []word, env []setting) *command {
	for len(words) > 0 && words[0].text != "run" && words[0].text != "create" {
		if !strings.HasPrefix(words[0].text, "-") && words[0].text != "container" {
			return nil
		}
		words = words[1:]
	}
	if len(words) == 0 {
		return nil
	}
	box := &container{}
	rest, env := boxOptions(words[1:], box, env)
	if len(rest) == 0 {
		return nil
	}
	box.image, box.tag = imageOf(rest[0].text)
	box.young = betweenReleases(box.tag)
	return findInBox(box, rest[1:], env)
}

// findInBox tells the engine by the command in the container, else by its image.
func findInBox(box *container, args []word, env []setting) *command {
	words := append(slices.Clone(box.entrypoint), args...)
	e := byImage(box.image, box.tag)
	v, named := version{}, false
	if e != nil {
		v = e.assumed
		if t, ok := tagVersion(box.tag); ok {
			v, named = t, true
		}
	}
	if len(box.entrypoint) == 0 && e != nil && e.image != nil {
		c := &command{engine: e, env: env, box: box, entry: e.image(v), strays: args, version: v, named: named}
		if n := e.repeats(args); n > 0 {
			c.strays, c.repeated = args[n:], true
		}
		return c
	}
	if len(words) == 0 {
		return nil
	}
	c := find(simple{words: words, sets: env}, 1)
	if c != nil {
		c.box = box
		if c.engine == e {
			c.version, c.named = v, named
		}
	}
	return c
}

// repeats is how many words at the beginning of a container's arguments say what its entry point already does: the whole command, or
// only what follows the program.
func (e *engine) repeats(args []word) int {
	if n := e.entry(args); n > 0 {
		return n
	}
	return max(e.entry(append([]word{{text: e.id}}, args...))-1, 0)
}

// boxOptions reads the options of docker run up to the image.
func boxOptions(words []word, box *container, env []setting) ([]word, []setting) {
	for len(words) > 0 && strings.HasPrefix(words[0].text, "-") {
		name, value, inline := strings.Cut(words[0].text, "=")
		w := word{text: value, raw: quote(value), vars: words[0].vars}
		words = words[1:]
		if !inline && !slices.Contains(alone, name) && len(words) > 0 {
			w, words = words[0], words[1:]
		}
		switch name {
		case "--gpus":
			box.gpus, box.hasGPUs = w.text, true
		case "--runtime", "--device":
			box.hasGPUs = true
		case "--ipc", "--shm-size":
			box.shm = true
		case "--entrypoint":
			box.entrypoint = []word{w}
		case "-e", "--env":
			if key, value, ok := strings.Cut(w.text, "="); ok && isName(key) {
				env = append(env, setting{key, word{text: value, raw: quote(value), vars: w.vars}})
			}
		}
	}
	return words, env
}

// imageOf takes a reference to an image apart.
func imageOf(ref string) (name, tag string) {
	ref, _, _ = strings.Cut(ref, "@")
	if i := strings.LastIndexByte(ref, ':'); i > strings.LastIndexByte(ref, '/') {
		return ref[:i], ref[i+1:]
	}
	return ref, ""
}

// mostTag is how many bytes Docker lets a tag have.
const mostTag = 128

// tagVersion reads the version of a tag, which may stand behind other words: server-cuda-b5000.
func tagVersion(tag string) (version, bool) {
	for len(tag) <= mostTag {
		if v, ok := parseVersion(tag); ok {
			return v, true
		}
		_, rest, more := strings.Cut(tag, "-")
		if !more {
			return version{}, false
		}
		tag = rest
	}
	return version{}, false
}

// betweenReleases reports whether an image with a tag is made between releases, so that it may have what no release has.
func betweenReleases(tag string) bool {
	return slices.ContainsFunc([]string{"nightly", "dev", "main", "edge", "master"}, func(s string) bool { return strings.Contains(tag, s) })
}

func byImage(name, tag string) *engine {
	for _, e := range engines {
		for _, i := range e.images {
			at := strings.LastIndex("/"+name, "/"+i) // a derived image keeps the beginning of the name
			if at >= 0 && !strings.Contains(name[at+len(i):], "/") && (e.tags == nil || e.tags(tag)) {
				return e
			}
		}
	}
	return nil
}

// devices counts the cards that a container or a variable lets a process see, or returns 0 where nothing limits them.
func (c *command) devices() int64 {
	if c.box != nil && c.box.hasGPUs {
		g := strings.Trim(c.box.gpus, `"'`)
		if list, ok := strings.CutPrefix(g, "device="); ok {
			return int64(strings.Count(list, ",") + 1)
		}
		if isDigits(g) && len(g) < 6 {
			n, _ := wholeNumber(g)
			return n
		}
	}
	for _, name := range []string{"CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"} {
		if v, ok := c.variable(name); ok && v.known() && v.text != "" && v.text != "all" && v.text != "void" {
			return int64(strings.Count(v.text, ",") + 1)
		}
	}
	return 0
}

// variable is the last value of an environment variable.
func (c *command) variable(name string) (word, bool) {
	for i := len(c.env) - 1; i >= 0; i-- {
		if c.env[i].name == name {
			return c.env[i].value, true
		}
	}
	return word{}, false
}
