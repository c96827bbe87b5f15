package python

import (
	"slices"
	"strings"
	"testing"
)

func TestSpansOfExpressionsAreTheirText(t *testing.T) {
	src := "\ufeffimport torch\n\nclass A(nn.Module):\n\tdef __init__(self, dim=2 * 8, *, heads: int = 4):\r\n\t\tself.fc = nn.Linear((dim + 1) * 2, out_features=-10)  # 5\n" +
		"\n\tdef forward(self, x):\n\t\ty = x[:, 0:3].view(x.size(0), -1) if x is not None else 'a' 'b'; z = y\n\t\treturn torch.cat([f(i) for i in y], dim=1)\n"
	file, spans, err := ParseSpans("a.py", src)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	Each(file, func(node any) {
		if s, ok := spans[node]; ok {
			got = append(got, src[s.Start:s.End])
		}
	})
	for _, want := range []string{
		"2 * 8", "2", "8", "4", "(dim + 1) * 2", "dim + 1", "-10", "10", "nn.Linear((dim + 1) * 2, out_features=-10)", "nn.Linear", "self.fc",
		"x[:, 0:3].view(x.size(0), -1) if x is not None else 'a' 'b'", ":, 0:3", "0", "x.size(0)", "'a' 'b'", "z = y", "[f(i) for i in y]",
		"torch.cat([f(i) for i in y], dim=1)", "return torch.cat([f(i) for i in y], dim=1)", "import torch", "x is not None",
		"self.fc = nn.Linear((dim + 1) * 2, out_features=-10)",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("no span is %q; there are %q", want, got)
		}
	}
	if !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "class A") && strings.HasSuffix(s, "dim=1)") }) {
		t.Errorf("the class has no span of its own")
	}
}

func FuzzSpans(f *testing.F) {
	for _, s := range formattedStrings {
		f.Add("v = " + s + "\n")
	}
	f.Add("\ufeffclass A(B):\n\tdef f(self, x=(1, 2)):\n\t\treturn x[1:, ...]\n")
	f.Fuzz(func(t *testing.T, src string) {
		file, spans, err := ParseSpans("a.py", src)
		if err != nil {
			return
		}
		Each(file, func(node any) {
			if s, ok := spans[node]; ok && (s.Start < 0 || s.End < s.Start || s.End > len(src)) {
				t.Errorf("%T is at %v of %d bytes", node, s, len(src))
			}
		})
	})
}
