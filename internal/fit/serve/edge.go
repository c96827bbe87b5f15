package serve

import "strings"

// IsVersion reports whether a text can be read as the version of an engine.
func IsVersion(s string) bool {
	_, ok := parseVersion(s)
	return ok
}

// Quote writes words as one command.
func Quote(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = quote(w)
	}
	return strings.Join(out, " ")
}

// FilesOf names the configuration files that a command reads, for a caller who can open them.
func FilesOf(text, version string) []string {
	c, err := read(text, version)
	if c == nil || err != nil {
		return nil
	}
	l := &launch{command: c}
	var out []string
	if name, ok := l.str(configFlag); ok {
		out = append(out, name)
	}
	for _, flag := range []string{"--lora-modules", "--lora-paths"} {
		if a, given := l.last(flag); given {
			for _, v := range a.values {
				if _, file := adapterPath(v); file != "" && len(out) < 64 {
					out = append(out, file)
				}
			}
		}
	}
	return out
}
