package serve

import (
	"strings"
	"sync"
)

// namesOf is a list that is part of the program. As a table, it is read when it is first asked for.
func namesOf(file string) func() []string {
	return sync.OnceValue(func() (out []string) {
		for line := range strings.SplitSeq(builtIn(file), "\n") {
			if line != "" && line[0] != '#' {
				out = append(out, line)
			}
		}
		return out
	})
}

// architectureRules warns where the engine has no such architecture, or would have to run the model's own code. Neither was read to
// the end in the engines' sources: both fall back to transformers where they can.
func (l *launch) architectureRules(known []string, trustFlag string) {
	if len(l.model.Architectures) == 0 {
		return
	}
	l.judged("remote-code", "arch-unsupported")
	for _, a := range l.model.Architectures {
		if contains(known, a) {
			return
		}
	}
	name := clip(strings.Join(first(l.model.Architectures, 3), ", "), 120)
	if l.config.has("auto_map") && !l.on(trustFlag, false) {
		l.warn("remote-code", add(trustFlag), "%s is none of the engine's own architectures, and the model brings its own code, which runs only with %s", name, trustFlag)
		return
	}
	l.warn("arch-unsupported", nil, "%s is none of the architectures of %s: it runs only if the engine can fall back to transformers", name, l.engine.label)
}

// adapterRules judges adapters whose adapter_config.json the caller has. Ranks are the limits that can be set, none where any can.
func (l *launch) adapterRules(flag string, most int64, ranks []string) {
	a, given := l.last(flag)
	if !given {
		return
	}
	known := l.adapterRanks()
	for _, v := range a.values {
		name, path := adapterPath(v)
		r, ok := known[path]
		l.judgedWhere(ok, "lora-rank-adapter")
		if ok && r > most {
			l.block("lora-rank-adapter", setSize("--max-lora-rank", rankFor(r, ranks)), "the adapter %s has rank %d but --max-lora-rank is %d", clip(name, 60), r, most)
		}
	}
}

// adapterRanks are the ranks in the descriptions of adapters that the caller has, by the file. Each is read once, however many adapters
// the command calls by it.
func (l *launch) adapterRanks() map[string]int64 {
	out, seen := map[string]int64{}, map[string]bool{}
	for _, f := range l.request.Files {
		if seen[f.Name] || !strings.HasSuffix(f.Name, adapterFile) {
			continue
		}
		seen[f.Name] = true
		if r, ok := memberOf(f.Text, "r").num("r"); ok {
			out[f.Name] = r
		}
	}
	return out
}

// adapterFile describes an adapter, in its folder.
const adapterFile = "/adapter_config.json"

// rankFor is the smallest limit that takes a rank.
func rankFor(r int64, ranks []string) int64 {
	for _, s := range ranks {
		if n, ok := wholeNumber(s); ok && n >= r {
			return n
		}
	}
	return r
}

// adapterPath takes name=path, a path or a JSON object apart, and returns where the adapter's description lies.
func adapterPath(v word) (name, file string) {
	if !v.known() {
		return "", ""
	}
	name, path, ok := strings.Cut(v.text, "=")
	if o := decodeConfig(v.text); o != nil {
		name, path, ok = o.str("name"), o.str("path"), true
	}
	if !ok {
		path = name
	}
	if path == "" {
		return name, ""
	}
	return name, strings.TrimSuffix(path, "/") + adapterFile
}
