package serve

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// concepts are what several engines call differently: vLLM, SGLang, TensorRT-LLM, TGI, llama.cpp.
var concepts = [][]string{
	{"--tensor-parallel-size", "--tp-size", "--tp_size", "--num-shard", "--split-mode"},
	{"--pipeline-parallel-size", "--pp-size", "--pp_size", "", ""},
	{"--data-parallel-size", "--dp-size", "", "", ""},
	{"--max-model-len", "--context-length", "--max_seq_len", "--max-total-tokens", "--ctx-size"},
	{"--gpu-memory-utilization", "--mem-fraction-static", "--kv_cache_free_gpu_memory_fraction", "--cuda-memory-fraction", ""},
	{"--max-num-seqs", "--max-running-requests", "--max_batch_size", "--max-batch-size", "--parallel"},
	{"--max-num-batched-tokens", "--chunked-prefill-size", "--max_num_tokens", "--max-batch-prefill-tokens", "--batch-size"},
	{"--quantization", "--quantization", "", "--quantize", ""},
	{"--kv-cache-dtype", "--kv-cache-dtype", "--kv_cache_dtype", "--kv-cache-dtype", "--cache-type-k"},
	{"--trust-remote-code", "--trust-remote-code", "--trust_remote_code", "--trust-remote-code", ""},
	{"--model", "--model-path", "", "--model-id", "--model"},
	{"--enforce-eager", "--disable-cuda-graph", "", "", ""},
	{"--served-model-name", "--served-model-name", "", "", "--alias"},
	{"--host", "--host", "--host", "--hostname", "--host"},
}

// conceptual finds what the engine calls a flag that another has.
func (l *launch) conceptual(name string) (other *engine, mine string) {
	spelled := strings.ReplaceAll(name, "_", "-")
	for i, e := range engines {
		if e == l.engine {
			continue
		}
		f := e.flags.byName[name]
		if f == nil {
			f = e.flags.byName[spelled]
		}
		if f == nil || !strings.HasPrefix(name, "--") {
			continue
		}
		for _, c := range concepts {
			if i < len(c) && slices.ContainsFunc(f.names, func(s spelling) bool { return s.name == c[i] }) {
				return e, c[slices.Index(engines, l.engine)]
			}
		}
		if other == nil {
			other = e
		}
	}
	return other, ""
}

// flagRules judges every flag by itself: whether the version has it, and whether its value can be read.
func (l *launch) flagRules() {
	seen := map[string]bool{}
	for i := range l.args {
		a := &l.args[i]
		switch a.problem {
		case unknownFlag:
			l.unknown(a)
		case ambiguous:
			l.block("flag-ambiguous-prefix", "write one of "+strings.Join(first(a.names, 8), ", "), "%s could mean %s", a.written, strings.Join(first(a.names, 8), ", "))
		case missingValue:
			l.block("flag-value-missing", "", "%s has no value", a.written)
		case extraValue:
			l.block("flag-bool-value", "write "+a.flag.shownName(l.version)+" alone", "%s takes no value, but has %q", a.written, clip(a.values[0].text, 60))
		default:
			l.value(a)
		}
		if a.flag == nil || a.problem == unknownFlag {
			continue
		}
		if a.flag.refused {
			l.block("flag-removed", l.replacement(a.flag.name), "%s is refused by %s %s", a.written, l.engine.label, l.version.text)
		} else if a.flag.deprecated {
			l.warn("flag-deprecated", "", "%s is deprecated in %s %s", a.written, l.engine.label, l.version.text)
		}
		if a.key == "" && seen[a.flag.name] && a.written != a.flag.env && !repeatable[a.flag.name] {
			l.warn("flag-duplicate", "", "%s is given more than once: the last one holds", a.flag.shownName(l.version))
		}
		seen[a.flag.name] = seen[a.flag.name] || a.written != a.flag.env
	}
	l.strayRules()
}

var repeatable = map[string]bool{"--middleware": true, "--lora": true, "--lora-scaled": true, "--control-vector": true, "--logit-bias": true, "--override-kv": true, "--spec-type": true,
	"--custom_module_dirs": true, "--override-tensor": true, "--cors-allow-origin": true, "--rpc": true, "--device": true}

func first(list []string, n int) []string { return list[:min(n, len(list))] }

// certain reports whether the table says everything about the version.
func (l *launch) certain() bool {
	return l.engine.complete && !l.version.before(l.engine.oldest) && (!l.engine.newest.before(l.version) || !l.named)
}

// unknown says why a flag is none of this version.
func (l *launch) unknown(a *argument) {
	severity := Warn
	if l.certain() {
		severity = Block
	}
	if f := a.flag; f != nil {
		s := f.spelt(a.name)
		if s.until != "" && mustVersion(s.until).before(l.version) {
			l.add(severity, "flag-removed", l.replacement(f.name), a.written+" was last in "+l.engine.label+" "+s.until+", and is refused by "+l.version.text)
			return
		}
		if !l.named {
			severity = Warn // a younger engine than the assumed one has it
		}
		l.add(severity, "flag-not-yet", "use "+l.engine.label+" "+s.since+" or younger, or leave it out", a.written+" came with "+l.engine.label+" "+s.since+", and is refused by "+l.version.text)
		return
	}
	if spelled := l.respelled(a.name); spelled != "" {
		l.add(severity, "flag-unknown", "write "+spelled, l.engine.label+" has no flag "+clip(a.written, 80))
		return
	}
	if other, mine := l.conceptual(a.name); other != nil {
		fix := ""
		if mine != "" {
			fix = "write " + mine
		}
		l.add(severity, "flag-wrong-engine", fix, a.written+" is a flag of "+other.label+", not of "+l.engine.label)
		return
	}
	fix := ""
	if near := l.engine.flags.nearest(a.name, l.version); near != "" {
		fix = "did you mean " + near + "?"
	}
	l.add(severity, "flag-unknown", fix, l.engine.label+" has no flag "+clip(a.written, 80))
}

// respelled finds a flag that differs only in dashes and underscores, or in being short for a size.
func (l *launch) respelled(name string) string {
	squashed := squash(name)
	for _, f := range l.engine.flags.flags {
		for _, s := range f.names {
			if s.alive(l.version) && (squash(s.name) == squashed || strings.HasPrefix(name, "--") && s.name == name[1:]) {
				return s.name
			}
		}
	}
	return ""
}

func squash(s string) string { return strings.NewReplacer("-", "", "_", "").Replace(s) }

// value judges whether the value of a flag can be read.
func (l *launch) value(a *argument) {
	f := a.flag
	if a.key != "" {
		if f.kind != kindJSON && f.kind != kindJSONText {
			l.block("flag-unknown", "write "+f.name, "%s.%s: %s takes no JSON", f.name, a.key, f.name)
		}
		return
	}
	for _, v := range a.values {
		if !v.known() || isNone(v.text) && l.engine.dialect <= flexible {
			continue
		}
		l.oneValue(f, a, v.text)
	}
}

func (l *launch) oneValue(f *flag, a *argument, s string) {
	name := a.written
	switch f.kind {
	case kindInt, kindInts:
		l.intValue(f, name, s)
	case kindHuman:
		if _, ok := humanNumber(s); !ok {
			l.block("flag-value", "write a whole number, or one such as 32k or 32K", "%s is %q, which is no number", name, clip(s, 60))
		}
	case kindFloat:
		if _, err := strconv.ParseFloat(strings.TrimSpace(s), 64); err != nil {
			l.block("flag-value", "", "%s is %q, which is no number", name, clip(s, 60))
		}
	case kindBoolWord:
		if s != "true" && s != "false" {
			l.block("flag-value", "write true or false", "%s is %q, but takes true or false", name, clip(s, 60))
		}
	case kindChoice:
		l.choice(f, name, s)
	case kindJSON:
		if !json.Valid([]byte(s)) && !bareJSON(f.name) {
			l.block("flag-json", `quote the JSON: `+name+` '{"key": "value"}'`, "%s is %q, which is no JSON", name, clip(s, 80))
		}
	}
}

// bareJSON are flags that also take a word in place of an object.
func bareJSON(name string) bool { return name == "--compilation-config" }

func (l *launch) intValue(f *flag, name, s string) {
	n, err := strconv.ParseInt(strings.ReplaceAll(strings.TrimSpace(s), "_", ""), 10, 64)
	if l.engine.dialect == plain { // reads the digits in front and forgets the rest
		digits := strings.TrimLeft(s, "+-")
		k := 0
		for k < len(digits) && digits[k] >= '0' && digits[k] <= '9' {
			k++
		}
		switch {
		case k == 0:
			l.block("flag-value", "", "%s is %q, which is no number", name, clip(s, 60))
		case k < len(digits):
			l.warn("flag-value", "write the number in full", "%s is %q, of which llama.cpp reads only %s", name, clip(s, 60), digits[:k])
		}
		return
	}
	switch {
	case err != nil:
		fix := ""
		if h, ok := humanNumber(s); ok && h > 0 {
			fix = "write " + strconv.FormatInt(h, 10)
		}
		l.block("flag-value", fix, "%s is %q, which is no whole number", name, clip(s, 60))
	case n < 0 && l.engine.dialect == clap:
		l.block("flag-value", "", "%s is %d, which is below zero", name, n)
	case len(f.values) > 0:
		l.choice(f, name, s)
	}
}

// choice judges a value of which there is a list. What only older versions took is not judged for those.
func (l *launch) choice(f *flag, name, s string) {
	if contains(f.values, s) || s == "None" || f.name == "--max-lora-rank" { // that one has a rule of its own
		return
	}
	if contains(f.old, s) && l.version.before(l.engine.newest) && l.named {
		return
	}
	if contains(f.old, s) && !l.named {
		l.block("flag-choice", "write one of "+strings.Join(first(f.values, 12), ", "), "%s is %q, which %s %s no longer takes", name, clip(s, 60), l.engine.label, l.version.text)
		return
	}
	if !l.certain() {
		l.warn("flag-choice", "", "%s is %q, which is none of the values known: %s", name, clip(s, 60), strings.Join(first(f.values, 12), ", "))
		return
	}
	l.block("flag-choice", "write one of "+strings.Join(first(f.values, 24), ", "), "%s is %q, which %s does not take", name, clip(s, 60), l.engine.label)
}

// strayRules judges positional words: an engine takes one, the model, or none.
func (l *launch) strayRules() {
	takes := l.positionals()
	for i, w := range l.strays {
		if !w.known() || i < takes {
			continue
		}
		before := l.strayAt[i] - 1
		if before >= 0 && before < len(l.args) {
			if a := &l.args[before]; a.flag != nil && (a.flag.kind == kindBool || a.flag.kind == kindFlag) && isBoolWord(w.text) {
				fix := "write " + a.written + " alone"
				if !truthy(w.text) && a.flag.kind == kindBool {
					fix = "write --no-" + a.flag.name[2:]
				}
				l.block("flag-bool-value", fix, "%s takes no value, but %q follows it", a.written, w.text)
				continue
			}
		}
		l.block("extra-argument", "", "%q is one word too many: %s takes %s", clip(w.text, 60), l.engine.label, [...]string{"only flags", "one model"}[min(takes, 1)])
	}
}

func isBoolWord(s string) bool {
	switch strings.ToLower(s) {
	case "true", "false", "0", "1", "yes", "no", "on", "off":
		return true
	}
	return false
}

// between blocks a number that is outside what the engine takes.
func (l *launch) between(name string, least, most float64) {
	x, known := l.fraction(name, math.NaN())
	if l.engine.flags.byName[name].kind != kindFloat {
		n, ok := l.num(name, math.MinInt64)
		x, known = float64(n), ok && n != math.MinInt64
	}
	if !known || math.IsNaN(x) || x >= least && x <= most {
		return
	}
	shown := strconv.FormatFloat(x, 'g', -1, 64)
	if math.IsInf(most, 1) {
		l.block("flag-value-range", "", "%s is %s but must be at least %g", name, shown, least)
		return
	}
	l.block("flag-value-range", "", "%s is %s but must be from %g to %g", name, shown, least, most)
}

// enormous blocks sizes that no cluster has; the other rules do not reckon with them.
func (l *launch) enormous(names ...string) {
	for _, name := range names {
		if n, known := l.num(name, 1); known && n >= 1<<20 {
			l.block("flag-value-range", "", "%s is %d: so many cards there are not", name, n)
		}
	}
}
