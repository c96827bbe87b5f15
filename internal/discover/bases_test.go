package discover

import (
	"fmt"
	"strings"
	"testing"
)

// TestManyClassesOfOneNameAreFollowedOnce would take 40¹⁰ steps if each path between classes were gone.
func TestManyClassesOfOneNameAreFollowedOnce(t *testing.T) {
	same := strings.Repeat("class A(A): pass\nclass B(A, B): pass\n", 20)
	for name, c := range map[string]struct{ src, want string }{
		"no module":      {same + "class C(A): pass\nC()\n", ""},
		"one is":         {same + "class A(nn.Module): pass\nclass C(A): pass\n", "C()"},
		"constructor":    {same + "class A(nn.Module):\n    def __init__(self, dim=3): pass\nclass C(A): pass\n", "C(dim)"},
		"of a function":  {same + "class A(nn.Module): pass\ndef make():\n    return A()\n", "make()"},
		"none below all": {same + "class C(B, nn.Module): pass\n", "C()"},
	} {
		var got []string
		for _, m := range InSource("x.py", "import torch\n"+c.src) {
			text := strings.TrimPrefix(m.Ref, "x.py:") + "("
			for _, p := range m.Params {
				text += p.Name
			}
			got = append(got, text+")")
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: found %s, want %s", name, text, c.want)
		}
	}
}

// TestClassesAreFollowedTenStepsUp has a chain of classes, of which the last but one is as far as anyone looks.
func TestClassesAreFollowedTenStepsUp(t *testing.T) {
	var b strings.Builder
	b.WriteString("import torch\nclass A0(nn.Module):\n    def __init__(self, dim=3): pass\n")
	for i := range 13 {
		fmt.Fprintf(&b, "class A%d(A%d): pass\n", i+1, i)
	}
	p := newPrograms()
	p.add("x.py", b.String())
	p.findModules()
	for i, c := range p.sources[0].classes {
		if c.module != (i <= 10) || (p.constructor(c, 0) != nil) != (i <= 11) {
			t.Errorf("A%d: a module %v, with a constructor %v", i, c.module, p.constructor(c, 0) != nil)
		}
	}
}

// TestAClassIsNotItsOwnBase has a class that derives from another of its name, which has the constructor.
func TestAClassIsNotItsOwnBase(t *testing.T) {
	p := newPrograms()
	p.add("x.py", "import torch\nclass Mixin:\n    def __init__(self, wrong): pass\nclass Base(nn.Module):\n    def __init__(self, dim=3): pass\n"+
		"class Net(Net, Mixin): pass\nclass Net(Base): pass\n")
	if init := p.constructor(p.classes["Net"][0], 0); init == nil || init.Params[1].Name != "dim" {
		t.Errorf("its constructor is %+v", init)
	}
}
