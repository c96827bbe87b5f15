package interp

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// poison tries to change every class that imports share, and says which took it.
const poison = `
import collections, dataclasses, re, types, typing
shared = [object, int, bool, float, str, list, tuple, set, frozenset, dict, type, range, slice, type(None), type(len), type(re),
          collections.OrderedDict, collections.deque, re.Pattern, re.Match, types.SimpleNamespace, typing.NamedTuple]
took = []
for c in shared:
    for change in (lambda: setattr(c, 'x', 1), lambda: setattr(c, '__new__', lambda *a: 5), lambda: setattr(c, '__init__', None),
                   lambda: dataclasses.dataclass(c), lambda: typing.NamedTuple.__class_made__(c)):
        try:
            change()
            took.append(c.__name__)
        except TypeError:
            pass
`

// load reads a program that nothing is known of but Python's own library.
func load(t *testing.T, source string) (*Interp, *Module) {
	t.Helper()
	in := New(context.Background(), fstest.MapFS{})
	in.Libraries()
	m, err := in.LoadSource("p", "p.py", source)
	if err != nil {
		t.Fatal(err)
	}
	return in, m
}

func TestNoImportChangesTheClassesOfAnother(t *testing.T) {
	in, m := load(t, poison)
	if got := Repr(in.EvalIn(m, "took")); got != "[]" {
		t.Errorf("changed: %s", got)
	}
	in, m = load(t, "import re, types\n")
	const asked = "(list((1,)), int('3'), hasattr(object, 'x'), hasattr(int, 'x'), re.match('a', 'ab').group(), types.SimpleNamespace(a=1).a, len(dict(a=1)))"
	if got, want := Repr(in.EvalIn(m, asked)), "([1], 3, False, False, 'a', 1, 1)"; got != want {
		t.Errorf("the import behind it got %s, want %s", got, want)
	}
}

// TestAnUnknownDecoratorLeavesSharedClassesAlone where a known one gave one.
func TestAnUnknownDecoratorLeavesSharedClassesAlone(t *testing.T) {
	load(t, "import nowhere\n@nowhere.mark\n@(lambda c: object)\nclass A: pass\n")
	if objectClass.guess != "" {
		t.Errorf("object is marked: %s", objectClass.guess)
	}
}

func TestWritingToABuiltInClassSaysWhatPythonSays(t *testing.T) {
	in, m := load(t, "")
	for expression, want := range map[string]string{
		"setattr(int, 'x', 1)":    "cannot set 'x' attribute of immutable type 'int'",
		"setattr(object, 'y', 1)": "cannot set 'y' attribute of immutable type 'object'",
		"setattr(type, 'z', 1)":   "cannot set 'z' attribute of immutable type 'type'",
	} {
		err := in.Protect(func() { in.EvalIn(m, expression) })
		if err == nil || !strings.Contains(err.Error(), "raises TypeError: "+want) {
			t.Errorf("%s: %v", expression, err)
		}
	}
}

// TestImportsRunBesideEachOther is for the race detector.
func TestImportsRunBesideEachOther(t *testing.T) {
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			in := New(context.Background(), fstest.MapFS{})
			in.Libraries()
			for _, source := range []string{poison, program} {
				if _, err := in.LoadSource("p", "p.py", source); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
