package interp

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

var regularExpressions = []string{
	"re.findall('a*', 'ab'), re.findall('(a)(b)?', 'aba'), re.findall('(b+)', 'abbab'), re.findall('', 'ab'), re.findall(r'\\bfoo', 'foo afoo foo')",
	"re.sub('x*', '-', 'abxd'), re.sub('(a)(b)', r'\\2\\1', 'abab'), re.sub('(?P<n>a)', r'<\\g<n>>', 'ba'), re.sub('a', lambda m: m.group() * 2, 'bab')",
	"re.sub('a', '$1', 'ba'), re.sub('b(c)?', r'[\\1]', 'abcb'), re.sub(r'(\\d+)', r'\\g<1>0', 'a12b'), re.sub('^a', 'x', 'aaa'), re.sub(r'\\Aa', 'x', 'aaa')",
	"re.split('x*', 'axb'), re.split(',', 'a,b,'), re.split('(,)', 'a,b'), re.split(',', 'a,b,c', 1), [len(x) for x in re.split('(?m)^', 'a\\nb')]",
	"re.match('a|ab', 'ab').group(), re.fullmatch('a|ab', 'ab').group(), re.match('b', 'ab'), re.search('b', 'ab').start(), re.search('(x)?b', 'ab').groups()",
	"[m.start() for m in re.finditer('a', 'banana')], re.match('(?P<k>a)', 'a').groupdict(), re.compile('A', re.I).findall('aA'), re.findall('(?i)É', 'éÉ')",
	"len(re.findall('(?s)a.', 'a\\na')[0]), re.findall('.', 'é日b'), re.findall('$', 'a'), re.findall(r'\\B', 'ab'), re.findall('日*', 'a日日')",
	"len(re.escape('a.b')), re.findall('a+?', 'aaa'), re.findall('(?:a|b)+', 'abcab'), re.match('()', '').group(1), re.findall('(a)|(b)', 'ab')",
}

// TestRegularExpressionsAreThoseOfPython, of which some are looked for behind others.
func TestRegularExpressionsAreThoseOfPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	raw, _ := json.Marshal(regularExpressions)
	out, err := exec.Command(python, "-c", "import json, re, sys\nprint(json.dumps([repr(eval(e)) for e in json.loads(sys.argv[1])]))", string(raw)).Output()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	in, m := load(t, "import re\n")
	for i, e := range regularExpressions {
		if got := Repr(in.EvalIn(m, e)); got != want[i] {
			t.Errorf("%s\ngives %s\nbut   %s", e, got, want[i])
		}
	}
}

// TestPatternsThatPythonRefusesAreNotFollowed: Go knows their escapes, of which one would swallow what is put around them.
func TestPatternsThatPythonRefusesAreNotFollowed(t *testing.T) {
	in, m := load(t, "import re\n")
	for _, pattern := range []string{`\Qabc`, `\Qa\E`, `\pL`, `\x{41}`, `a\`, `(?<=a)b`} {
		for _, method := range []string{"match", "search", "fullmatch", "findall"} {
			e := "re." + method + "(r" + Repr(pattern) + ", 'abc')"
			if strings.HasSuffix(pattern, `\`) {
				e = "re." + method + "('a' + chr(92), 'abc')"
			}
			if u, ok := in.EvalIn(m, e).(*Unknown); !ok || !u.Harmless {
				t.Errorf("%s is followed", e)
			}
		}
	}
}
