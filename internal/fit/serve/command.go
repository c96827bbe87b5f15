package serve

import (
	"slices"
	"strings"
)

// read finds the launch command in a text and reads its arguments. A nil command means that no engine is launched in it.
func read(text string, asked string) (*command, error) {
	commands, err := split(text)
	if err != nil {
		return nil, err
	}
	var env []setting
	for _, s := range commands {
		if len(s.words) == 0 {
			env = append(env, s.sets...)
			continue
		}
		if c := find(s, 0); c != nil {
			c.env = append(env, c.env...)
			c.piped = c.piped || s.op == "|"
			c.loose = s.loose
			if err := c.parse(asked); err != nil {
				return nil, err
			}
			return c, nil
		}
	}
	return nil, nil
}

// parse settles the version and reads the arguments as that version does.
func (c *command) parse(asked string) error {
	if v, ok := parseVersion(asked); ok {
		c.version, c.named = v, true
	} else if !c.named {
		c.version = c.engine.assumed
	}
	words := c.strays
	for _, w := range words {
		if w.bare || w.nameless() {
			c.open = append(c.open, w.vars...)
		}
	}
	p := parseArguments(c.engine.flags(), c.engine.dialect, c.version, words, c.named)
	c.args, c.strays, c.strayAt = p.args, p.strays, p.strayAt
	c.fromEnvironment()
	return p.unread
}

// fromEnvironment adds the flags that variables set, before those of the command, which win.
func (c *command) fromEnvironment() {
	var out []argument
	for _, f := range c.engine.flags().flags {
		if f.env == "" || !f.alive(c.version) {
			continue
		}
		if v, ok := c.variable(f.env); ok {
			a := argument{flag: f, name: f.name, written: f.env, values: []word{v}}
			if f.in(c.version).kind == kindFlag {
				if v.known() && falsy(v.text) {
					continue
				}
				a.values = nil
			}
			out = append(out, a)
		}
	}
	c.args = append(out, c.args...)
	for i := range c.strayAt {
		c.strayAt[i] += len(out)
	}
}

func truthy(s string) bool {
	switch strings.ToLower(s) {
	case "1", "true", "yes", "on", "y", "t":
		return true
	}
	return false
}

// falsy is what clap and llama.cpp take for a switch that is off.
func falsy(s string) bool {
	switch strings.ToLower(s) {
	case "", "0", "false", "no", "off", "n", "f", "disabled":
		return true
	}
	return false
}

// String is the command in one canonical form: variables, entry point, positional words, flags in their order. Reading it again
// gives the same command.
func (c *command) String() string {
	var b strings.Builder
	for _, s := range c.env {
		b.WriteString(s.name + "=" + s.value.shown() + " ")
	}
	b.WriteString(strings.Join(c.entry, " "))
	last := c.engine.dialect != plain && slices.ContainsFunc(c.strays, func(w word) bool { return len(w.text) > 1 && w.text[0] == '-' })
	if !last {
		b.WriteString(spaced(c.strays))
	}
	for i := range c.args {
		if a := &c.args[i]; a.flag == nil || a.flag.env == "" || a.written != a.flag.env {
			b.WriteString(" " + a.shown(c.engine.dialect))
		}
	}
	if last { // they look like flags, and are none
		b.WriteString(" --" + spaced(c.strays))
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

func spaced(words []word) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(" " + w.shown())
	}
	return b.String()
}
