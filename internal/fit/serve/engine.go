package serve

import (
	"slices"
	"strconv"
	"strings"
)

// engine is a server that is launched with a command.
type engine struct {
	order    int // among the engines
	id       string
	label    string
	flags    func() *table
	dialect  dialect
	assumed  version // where nothing says which
	oldest   version // that the table knows
	newest   version // that the table knows
	complete bool    // whether the table has every flag, so that an unknown one is refused
	images   []string
	tags     func(tag string) bool // whether an image with this tag runs the server; nil for any
	// entry finds the entry point at the beginning of words, and returns how many of them it takes, 0 where it is another.
	entry func(words []word) int
	// image is how many entry words the container's own entry point stands for; nil where a whole command follows the image.
	image func(v version) []string
	// positionals is how many words beside flags it takes.
	positionals func(*launch) int
	replaced    map[string]string  // what it has in place of a flag that is gone, in words
	calls       map[concept]string // its flags for what other engines have too
	check       func(*launch)
}

// engines are in the order in which they are asked; each file adds its own.
var engines []*engine

// define adds an engine. Its file and its table in flags/ are all that it takes.
func define(e engine) *engine {
	if e.id == "" || e.label == "" || e.flags == nil || e.entry == nil || e.check == nil || e.assumed.text == "" {
		panic("serve: the engine " + e.id + " lacks its name, table, entry, check or version")
	}
	if e.positionals == nil {
		e.positionals = func(*launch) int { return 0 }
	}
	if e.oldest.text == "" {
		e.oldest = e.assumed
	}
	if e.newest.text == "" {
		e.newest = e.assumed
	}
	engines = append(engines, &e)
	slices.SortFunc(engines, func(a, b *engine) int { return a.order - b.order })
	return &e
}

// container is what a docker or podman command says.
type container struct {
	image      string
	tag        string
	young      bool // whether the image is made between releases
	entrypoint []word
	gpus       string // the value of --gpus, "" where it is absent
	hasGPUs    bool
	shm        bool // --ipc=host or --shm-size
}

// command is a launch command that was read.
type command struct {
	engine   *engine
	entry    []string // the words of the entry point, as they are printed
	env      []setting
	box      *container
	version  version
	named    bool // whether the version was given
	args     []argument
	strays   []word
	strayAt  []int
	open     []string // variables that may stand for any number of arguments
	piped    bool
	loose    bool // a backslash stands before a comment
	repeated bool // the container's arguments repeat its entry point
}

// launchers may stand before the entry point: they run what follows.
var launchers = []string{"sudo", "env", "nohup", "time", "exec", "stdbuf", "numactl", "nice", "taskset", "uv", "uvx", "pixi", "poetry", "conda", "mamba", "micromamba", "srun",
	"mpirun", "mpiexec", "trtllm-llmapi-launch", "setsid", "timeout", "command", "ray", "accelerate", "nsys", "gosu", "tini", "dumb-init", "screen", "tmux", "xargs", "eval", "then", "do", "else", "if", "while", "{", "!", "rlwrap", "ulimit"}

func base(w word) string {
	s := w.text
	if i := strings.LastIndexByte(s, '/'); i >= 0 {
		s = s[i+1:]
	}
	return strings.TrimSuffix(s, ".exe")
}

// find looks for the engine in one command of a shell.
func find(s simple, depth int) *command {
	env := slices.Clone(s.sets)
	for i := range len(s.words) {
		w := s.words[i]
		name := base(w)
		if e, n := entryAt(s.words[i:]); e != nil {
			return &command{engine: e, env: env, entry: texts(s.words[i : i+n]), args: nil, strays: s.words[i+n:]}
		}
		if (name == "docker" || name == "podman" || name == "nerdctl") && i+1 < len(s.words) {
			return findInContainer(s.words[i+1:], env)
		}
		if isShell(name) && depth < 3 {
			for j := i + 1; j+1 < len(s.words); j++ {
				if t := s.words[j].text; strings.HasPrefix(t, "-") && strings.HasSuffix(t, "c") {
					return findText(s.words[j+1].text, env, depth+1)
				}
			}
			return nil
		}
		if key, value, ok := strings.Cut(w.text, "="); ok && isName(key) { // behind env
			env = append(env, setting{key, word{text: value, raw: quote(value), vars: w.vars}})
			continue
		}
		if i == 0 && !slices.Contains(launchers, name) && !isPython(name) {
			return nil
		}
	}
	return nil
}

func isShell(name string) bool {
	return name == "bash" || name == "sh" || name == "zsh" || name == "dash"
}

func isPython(name string) bool {
	return strings.HasPrefix(name, "python")
}

// findText reads a text that a shell is given with -c.
func findText(text string, env []setting, depth int) *command {
	commands, err := split(text)
	if err != nil {
		return nil
	}
	for _, s := range commands {
		if c := find(s, depth); c != nil {
			c.env = append(slices.Clone(env), c.env...)
			c.piped = c.piped || s.op == "|"
			return c
		}
	}
	return nil
}

func entryAt(words []word) (*engine, int) {
	for _, e := range engines {
		if n := e.entry(words); n > 0 {
			return e, n
		}
	}
	return nil, 0
}

func texts(words []word) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w.shown()
	}
	return out
}

// starts reports whether words begin with some texts.
func starts(words []word, texts ...string) bool {
	if len(words) < len(texts) {
		return false
	}
	for i, t := range texts {
		if words[i].text != t && (i > 0 || base(words[i]) != t) || !words[i].known() {
			return false
		}
	}
	return true
}

// module reports whether words run a Python module, and how many they are.
func module(words []word, name string) int {
	if len(words) == 0 || !isPython(base(words[0])) {
		return 0
	}
	for i := 1; i < len(words) && i < 4; i++ {
		if words[i].text == "-m" {
			if i+1 < len(words) && words[i+1].text == name {
				return i + 2
			}
			return 0
		}
		if !strings.HasPrefix(words[i].text, "-") {
			return 0
		}
	}
	return 0
}

// hint is what the engine has in place of a flag that is gone, in words behind a sentence.
func (l *launch) hint(name string) string {
	if s := l.engine.replaced[name]; s != "" {
		return ": " + s
	}
	return ""
}

// instead is what could be written in place of a flag that is gone: the one that its hint begins with, else nothing.
func (l *launch) instead(a *argument) remedy {
	if words, ok := strings.CutPrefix(l.engine.replaced[a.flag.name], "use --"); ok {
		if flag, value, _ := strings.Cut("--"+words, " "); l.engine.flags().byName[flag] != nil {
			if value != "" && !strings.ContainsAny(value, " '") {
				return remedy{{{op: opDrop, flag: a.written}, {opSet, flag, value}}, {{op: opDrop, flag: a.written}}}
			}
			return rename(a.written, flag).or(change{{op: opDrop, flag: a.written}})
		}
	}
	return drop(a.written)
}

// positionals is how many words beside flags the engine takes.
func (l *launch) positionals() int {
	return l.engine.positionals(l)
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
