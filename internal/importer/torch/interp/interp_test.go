package interp

import (
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"
)

// program defines what the expressions use.
const program = `
import math, functools, itertools, copy
from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass, field
from enum import Enum

class A:
    k = 1
    def __init__(self, x=2, *rest, y=3, **kw):
        self.x, self.rest, self.y, self.kw = x, rest, y, kw
    def name(self): return 'A'
    @property
    def double(self): return self.x * 2
    @staticmethod
    def s(v): return v + 1
    @classmethod
    def make(cls, v): return cls(v)
    def __len__(self): return 7
    def __getitem__(self, i): return i * 10
    def __call__(self, v): return v - 1

class B(A):
    def name(self): return 'B' + super().name()

class M1(A):
    def name(self): return 'M1' + super().name()

class D(B, M1): pass

@dataclass
class C:
    a: int = 1
    b: list = field(default_factory=lambda: [1, 2])
    def __post_init__(self): self.c = self.a + 1

class E(Enum):
    RED = 1
    BLUE = 'b'

P = namedtuple('P', 'x y')

def f(a, b=2, *args, c=3, **kw): return (a, b, args, c, sorted(kw.items()))
def gen(n):
    for i in range(n):
        if i == 2: continue
        yield i
def fact(n): return 1 if n < 2 else n * fact(n - 1)
def tries(v):
    out = []
    try:
        if v == 1: raise ValueError('one')
        if v == 2: {}['k']
        out.append('ok')
    except ValueError as e:
        out.append(str(e.args[0]))
    except (KeyError, IndexError):
        out.append('key')
    else:
        out.append('else')
    finally:
        out.append('end')
    return out
def letter(n):
    try:
        return chr(n)
    except ValueError:
        return 'none'
def loop():
    t = 0
    for i in range(10):
        if i == 3: break
        t += i
    else:
        t = -1
    while t < 20:
        t += 7
    return t
def close():
    n = 0
    def inc():
        nonlocal n
        n += 1
        return n
    inc(); return inc()
`

var expressions = []string{
	"7 // 2, -7 // 2, 7 % -3, -7 % 3, 2 ** 10, 2 ** -1, 7 / 2, 1e3, 0x1f, 5 & 6, 5 | 8, 5 ^ 1, 1 << 4, 300 >> 2, ~5, -2 ** 2",
	"1 < 2 < 3, 1 < 3 < 2, 1 == 1.0, 'a' < 'b', [1, 2] < [1, 3], not 0, 0 or 'x', 1 and 2, None is None, 3 in [1, 3], 'b' in 'abc', 4 not in (1, 2)",
	"[1, 2, 3][::-1], [1, 2, 3, 4][1:3], 'hello'[1:-1], (1, 2) + (3,), [0] * 3, 'ab' * 2, [*range(3), 9], (lambda *a: a)(1, 2)",
	"[x * y for x in range(3) for y in range(3) if x != y], {k: v for k, v in zip('ab', [1, 2])}, sum(i for i in range(5)), sorted({3, 1, 2})",
	"len('abc'), max(3, 1), min([4, 2]), max('a', 'bb', key=len), abs(-3), round(2.5), round(3.7), int('12'), int(3.9), float('1.5'), str(1.0), bool([])",
	"list(enumerate('ab', 1)), list(reversed([1, 2])), list(map(lambda a, b: a + b, [1, 2], [3, 4])), list(filter(None, [0, 1])), any([0, 1]), all([])",
	"f(1), f(1, 5, 6, 7, c=8, z=9), f(*[1, 2], **{'c': 4, 'd': 5})",
	"A().x, A(5, 6, 7, y=8, z=9).rest, A(4).double, A.s(1), A.make(9).x, len(A()), A()[3], A()(5), A.k, B().name(), D().name(), isinstance(D(), A), issubclass(B, A)",
	"[c.__name__ for c in D.__mro__ if c.__name__ != 'object'], type(1).__name__, type('').__name__, D().__class__.__name__",
	"C().a, C(5).c, C().b, C(b=3).b, E.RED.value, E('b').name, E['RED'].name, [e.name for e in E], P(1, y=2).x, P(3, 4)[1], P(1, 2)._asdict()",
	"list(gen(4)), fact(10), tries(0), tries(1), tries(2), loop(), close(), letter(65), letter(-1), letter(1114112)",
	"'%s-%d' % ('a', 3), '{}-{x}'.format(1, x=2), f'{1 + 1}:{\"q\"}', ' a b '.strip(), 'a,b'.split(','), '-'.join(['x', 'y']), 'abc'.replace('b', 'z'), 'Ab'.lower(), 'x.y'.endswith('.y')",
	"math.sqrt(16), math.ceil(1.2), math.floor(-1.2), math.log2(8), math.prod([2, 3]), math.gcd(12, 18), functools.reduce(lambda a, b: a * b, [1, 2, 3]), functools.partial(f, 1, c=9)(2)",
	"list(itertools.chain([1], [2, 3])), list(itertools.product([1, 2], 'a')), list(itertools.accumulate([1, 2, 3])), copy.deepcopy([[1], {'a': [2]}])",
	"dict(a=1, b=2), {**{'a': 1}, 'b': 2}, OrderedDict([('x', 1)])['x'], {'a': 1}.get('z', 5), list({'a': 1}.items()), {'a': 1} | {'b': 2}, {1, 2} & {2, 3}",
	"getattr(A(), 'zz', 4), hasattr(A(), 'x'), (lambda x=3: x)(), [a for a, *b in [(1, 2, 3)]], (n := 5) + n, 'y' if [] else 'n', next(iter([7])), next(iter([]), 8)",
	"divmod(-7, 3), pow(2, 5), bin(5), list('abc'), tuple([1]), list(range(5, 0, -2)), range(10)[3], 5 in range(0, 10, 5), slice(1, 2).start, callable(f), [1, 2].index(2), (1, 1).count(1)",
}

// TestEvaluatesAsPythonDoes compares expressions with Python itself.
func TestEvaluatesAsPythonDoes(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	raw, _ := json.Marshal(expressions)
	script := program + "\nimport json, sys\nprint(json.dumps([repr(eval(e)) for e in json.loads(sys.argv[1])]))\n"
	out, err := exec.Command(python, "-c", script, string(raw)).Output()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	in := New(context.Background(), fstest.MapFS{})
	in.Libraries()
	m, err := in.LoadSource("p", "p.py", program)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range expressions {
		var got string
		if err := in.Protect(func() { got = Repr(in.EvalIn(m, e)) }); err != nil {
			t.Errorf("%s: %v", e, err)
			continue
		}
		if got != want[i] {
			t.Errorf("%s\ngives %s\nbut   %s", e, got, want[i])
		}
	}
}

func TestReadsModulesBesideTheFile(t *testing.T) {
	in := New(context.Background(), fstest.MapFS{
		"main.py":         {Data: []byte("from lib.a import x\nimport lib.b as b\nfrom lib import *\ntry:\n    import fastlib\n    fast = True\nexcept ImportError:\n    fast = False\ny = x + b.z\n")},
		"lib/__init__.py": {Data: []byte("from .a import x as w\n")},
		"lib/a.py":        {Data: []byte("from . import b\nx = b.z + 1\n")},
		"lib/b.py":        {Data: []byte("z = 4\n")},
	})
	in.Libraries()
	m, err := in.Load("main.py")
	if err != nil {
		t.Fatal(err)
	}
	if got := Repr(in.EvalIn(m, "(y, w, fast)")); got != "(9, 5, False)" {
		t.Errorf("got %s", got)
	}
	if len(in.Notes) != 1 || !strings.Contains(in.Notes[0].Message, "fastlib is taken as not installed") {
		t.Errorf("got %v", in.Notes)
	}
}

// TestAProgramEndsWithItsTime where operations count many steps at once, so that no multiple of anything is met.
func TestAProgramEndsWithItsTime(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	in := New(ctx, fstest.MapFS{})
	stopped := in.Protect(func() {
		for in.steps = 1; ; { // and four more each time
			in.work(3 * perStep)
		}
	})
	if stopped == nil || !strings.Contains(stopped.Error(), "stopped: context canceled") || in.steps > 2*lookEvery {
		t.Errorf("%v after %d steps", stopped, in.steps)
	}
}
