package torch

import (
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"sort"
	"strings"
	"sync"
)

// own holds code of ours for what PyTorch 1.13 does not have and for what lies in other libraries. The first line of each file
// says which name it stands for, "# for: nn.RMSNorm", and, where only one argument is younger, which: "with bias".
//
//go:embed python/*.py
var own embed.FS

// supplied is one file of own.
type supplied struct {
	name string         // as PyTorch and the catalogue write it
	with string         // only where this argument is given
	call string         // as the emitted code calls it: the last word of name
	use  *regexp.Regexp // finds the name
	code string
}

// supplies reads them once, and only for those who export.
var supplies = sync.OnceValue(readSupplies)

func readSupplies() []supplied {
	var out []supplied
	files, _ := fs.Glob(own, "python/*.py") // the pattern is right
	sort.Strings(files)
	for _, file := range files {
		data, _ := own.ReadFile(file) // is embedded
		head, code, _ := strings.Cut(string(data), "\n")
		name, with, _ := strings.Cut(strings.TrimPrefix(head, "# for: "), " with ")
		out = append(out, supplied{
			name: name, with: with, call: name[strings.LastIndexByte(name, '.')+1:], code: strings.TrimSpace(code),
			use: regexp.MustCompile(`(^|[^\w.])` + regexp.QuoteMeta(name) + `\b`),
		})
	}
	return out
}

// imported finds the imports of other libraries in the code of the catalogue: what they bring is supplied.
var imported = regexp.MustCompile(`(?m)^[ ]*(?:import (torch_geometric|torchaudio|torchvision)[\w.]*|from ((?:torch_geometric|torchaudio|torchvision)[\w.]*) import (\w+))\n\n?`)

// library collects the classes and functions that a model needs, each once.
type library struct {
	order  []string // names, in the order in which they are defined
	chunks map[string]string
	using  map[string]bool // the supplies that are needed
}

func newLibrary() *library { return &library{chunks: map[string]string{}, using: map[string]bool{}} }

// need notes what an expression and the class behind it call that is supplied. A supply for one argument is needed where the
// expression gives that argument, and calls the name itself or a class that is derived from it.
func (l *library) need(expression, module string) {
	all := supplies()
	for i := range all {
		s := &all[i]
		if l.using[s.name] || s.with != "" && !strings.Contains(expression, s.with+"=") {
			continue
		}
		inside := strings.Contains(module, s.name) && s.use.MatchString(module)
		if s.with != "" {
			inside = strings.Contains(module, "("+s.name+"):")
		}
		if inside || strings.Contains(expression, s.name) && s.use.MatchString(expression) {
			l.using[s.name] = true
		}
	}
}

// localise makes an expression, or the source of classes, use what is supplied in place of what it names.
func (l *library) localise(source string, isModule bool, except string) string {
	all := supplies()
	for i := range all {
		s := &all[i]
		if !l.using[s.name] || s.name == except || !strings.Contains(source, s.name) {
			continue
		}
		switch {
		case s.with != "" && isModule:
			source = strings.ReplaceAll(source, "("+s.name+"):", "("+s.call+"):")
		case s.with == "" || strings.Contains(source, s.with+"="):
			source = s.use.ReplaceAllString(source, "${1}"+s.call)
		}
	}
	return source
}

// withoutImports takes the imports of other libraries out, and names what they brought in full.
func withoutImports(source string) string {
	for _, m := range imported.FindAllStringSubmatch(source, -1) {
		if m[2] != "" { // from a.b import C: its user says C
			source = strings.ReplaceAll(source, " "+m[3]+"(", " "+m[2]+"."+m[3]+"(")
		}
	}
	return imported.ReplaceAllString(source, "")
}

// add takes the classes and functions of a source in.
func (l *library) add(source string) error {
	for _, chunk := range chunksOf(source) {
		name := chunkName(chunk)
		if had, ok := l.chunks[name]; ok {
			if had != chunk {
				return fmt.Errorf("exporter/torch: two pieces of code are called %s", name)
			}
			continue
		}
		l.order, l.chunks[name] = append(l.order, name), chunk
	}
	return nil
}

// complete takes in what the rest calls.
func (l *library) complete() (string, error) {
	first := newLibrary()
	for done := map[string]bool{}; ; {
		added := false
		for i := range supplies() {
			s := &supplies()[i]
			if !l.using[s.name] || done[s.name] {
				continue
			}
			done[s.name], added = true, true
			l.need("", s.code)
			if err := first.add(l.localise(s.code, true, s.name)); err != nil {
				return "", err
			}
		}
		if !added {
			break
		}
	}
	all := make([]string, 0, len(first.order)+len(l.order))
	for _, name := range first.order {
		if l.chunks[name] != "" {
			return "", fmt.Errorf("exporter/torch: two pieces of code are called %s", name)
		}
		all = append(all, first.chunks[name])
	}
	for _, name := range l.order {
		all = append(all, l.chunks[name])
	}
	return strings.Join(all, "\n\n\n"), nil
}

// names lists everything that is defined, for those who must not take the same name.
func (l *library) names() []string {
	out := append([]string(nil), l.order...)
	for _, s := range supplies() {
		if l.using[s.name] {
			for _, c := range chunksOf(s.code) {
				out = append(out, chunkName(c))
			}
		}
	}
	return out
}

// chunksOf cuts a source into its classes and functions.
func chunksOf(source string) []string {
	var out []string
	for line := range strings.SplitSeq(source, "\n") {
		begins := strings.HasPrefix(line, "class ") || strings.HasPrefix(line, "def ")
		if len(out) == 0 || begins {
			out = append(out, "")
		}
		out[len(out)-1] += line + "\n"
	}
	kept := out[:0]
	for _, c := range out {
		if c = strings.TrimSpace(c); c != "" {
			kept = append(kept, c)
		}
	}
	return kept
}

var chunkStart = regexp.MustCompile(`^(?:class|def) (\w+)`)

func chunkName(chunk string) string {
	if m := chunkStart.FindStringSubmatch(chunk); m != nil {
		return m[1]
	}
	return ""
}
