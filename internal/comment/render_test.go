package comment

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/report"
)

func legal(n int64) *Figures {
	flops, bytes := 2*n, n<<20
	return &Figures{Fingerprint: fmt.Sprintf("%08x", n), Legal: true, Known: true, Params: &n, FLOPs: &flops, CardBytes: &bytes, CostMicroUSD: &n}
}

func TestWordsSayWhatBecameOfAModel(t *testing.T) {
	broken := &Figures{Fingerprint: "bad0bad0"}
	withheld := &Figures{Fingerprint: "0", Legal: true}
	for _, c := range []struct {
		m     Model
		words string
		worth bool
	}{
		{Model{Error: "no"}, "could not be read", true},
		{Model{Head: legal(1)}, "is new and runs", true},
		{Model{Head: broken, Refused: true}, "is new and does not run", true},
		{Model{Base: legal(1), Head: broken, Refused: true}, "no longer runs", true},
		{Model{Base: broken, Head: broken, Refused: true}, "does not run, as before", true},
		{Model{Base: broken, Head: legal(1), Changed: true}, "now runs", true},
		{Model{Base: legal(1), Head: legal(2), Changed: true, Refused: true, Gate: report.Refused}, "grows more than the policy allows", true},
		{Model{Base: legal(1), Head: legal(2), Changed: true, Refused: true}, "runs, and is refused", true},
		{Model{Base: legal(1), Head: legal(2), Changed: true}, "got dearer", true},
		{Model{Base: legal(1), Head: legal(2), Changed: true, Below: true}, "got dearer", false},
		{Model{Base: legal(2), Head: legal(1), Changed: true}, "got cheaper", true},
		{Model{Base: legal(1), Head: legal(1), Changed: true}, "changed at the same cost", true},
		{Model{Base: legal(1), Head: legal(1)}, "has not changed", false},
		{Model{Base: legal(1), Head: withheld, Changed: true}, "changed", true},
	} {
		if got := c.m.words(); got != c.words || c.m.Worth() != c.worth {
			t.Errorf("%s, worth %v; want %s, %v", got, c.m.Worth(), c.words, c.worth)
		}
	}
}

// TestABoundIsNoFigure: what lacks a component is shown as a lower bound, and its change is not.
func TestABoundIsNoFigure(t *testing.T) {
	bounded := legal(3)
	bounded.Known, bounded.FLOPs, bounded.Withheld = false, nil, []string{"m"}
	m := Model{Path: "m.json", Base: legal(2), Head: bounded, Changed: true}
	if want := "`m.json` | 2 → **3** (+50.0 %) | 4 FLOP → not known | 2.0 MiB → at least 3.0 MiB | $0.000002 → at least $0.000003 |"; !strings.Contains(Markdown(&Record{Models: []Model{m}}, tag, "dev"), want) {
		t.Errorf("want %s in %s", want, Markdown(&Record{Models: []Model{m}}, tag, "dev"))
	}
	if m.words() != "changed" {
		t.Errorf("it %s, want changed", m.words())
	}
}

func TestChangesArePercentages(t *testing.T) {
	for _, c := range []struct {
		before, after int64
		want          string
	}{{100, 120, " (+20.0 %)"}, {100, 80, " (−20.0 %)"}, {1_000_000, 1_000_001, " (less than +0.1 %)"}, {1_000_000, 999_999, " (less than −0.1 %)"}, {0, 5, ""},
		{1, 1 << 62, " (×4,611,686,018,427,387,904)"}, {10, 99, " (+890.0 %)"}, {10, 100, " (×10)"}, {1 << 62, 1, " (−100.0 %)"}, {2000, 2001, " (+0.1 %)"}} {
		if got := change(c.before, c.after); got != c.want {
			t.Errorf("%d to %d: %q, want %q", c.before, c.after, got, c.want)
		}
	}
}

func TestNoCommentIsTooLong(t *testing.T) {
	for _, n := range []int{0, 1, 3, 40, 2000} {
		r := &Record{Version: Version}
		for i := range n {
			m := Model{Path: strings.Repeat("dir|`<b>/", 500) + fmt.Sprint(i), Base: legal(1), Head: legal(2), Changed: true, Refused: true, Plan: "<!-- tag -->\n" + strings.Repeat("plan ", 4000)}
			for range 50 {
				m.Findings = append(m.Findings, Finding{Judged: report.Judged{Rule: "a", Checker: "check", Gates: true, Title: strings.Repeat("@*", 900), Detail: strings.Repeat("`d", 900)}, File: m.Path, Line: 3})
			}
			r.Models = append(r.Models, m)
		}
		text := Markdown(r, tag, "dev")
		if len(text) > MaxBytes || !strings.HasPrefix(text, tag+"\n### ") {
			t.Errorf("%d models: %d bytes", n, len(text))
		}
		if short := strings.Contains(text, "Shortened"); short != (n > 0) {
			t.Errorf("%d models: shortened is %v", n, short)
		}
	}
}

func TestNothingThatAModelIsNamedMarksUp(t *testing.T) {
	for _, name := range []string{"--> <script>", "a|b", "`x` <img src=y>", "\n# head", "@team", "[a](http://evil)", "</details>", "\u202eabc", "::error::x"} {
		m := Model{Path: name, Base: legal(1), Head: legal(2), Changed: true, Refused: true, Findings: []Finding{{Judged: report.Judged{Gates: true, Title: "T", Detail: name, Fix: name}, File: name, Line: 1}}}
		text := Markdown(&Record{Models: []Model{m, m}}, Tag(name), "dev")
		rows := 0
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "| ❌") {
				rows++
				if n := strings.Count(line, "|") - strings.Count(line, `\|`); n != 6 {
					t.Errorf("%q: a row has %d borders: %s", name, n, line)
				}
			}
			if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.HasPrefix(line, "# ") {
				t.Errorf("%q begins a line: %s", name, line)
			}
		}
		if first, _, _ := strings.Cut(text, "\n"); strings.Count(first, "-->") != 1 || rows != 2 {
			t.Errorf("%q: %d rows, %s", name, rows, first)
		}
	}
}

func TestRecordsAreReadAgainAsWritten(t *testing.T) {
	r := &Record{Version: Version, Models: []Model{{Path: "a", Base: legal(1), Head: legal(2), Changed: true, Findings: []Finding{{Judged: report.Judged{Checker: "check", Rule: "x", Gates: true}, File: "a", Line: 2}}}}}
	again, err := Decode(r.Encode())
	if err != nil || string(again.Encode()) != string(r.Encode()) {
		t.Errorf("%v: %s", err, again.Encode())
	}
	for _, bad := range []string{"", "{}", "[]", `{"version":2,"models":[]}`, `{"version":1,"models":[],"x":1}`, `{"version":1,"models":[]}{}`, `{"version":1,"models":[{"path":1}]}`} {
		if _, err := Decode([]byte(bad)); err == nil {
			t.Errorf("%q is a record", bad)
		}
	}
}

// TestZerosOfAnEarlierRecordAreNotKnown: programs before this one wrote 0 for every figure of a version that is known in part.
func TestZerosOfAnEarlierRecordAreNotKnown(t *testing.T) {
	r, err := Decode([]byte(`{"version":1,"models":[{"path":"m","refused":false,"changed":true,"below":false,"findings":[],
		"head":{"fingerprint":"0","legal":true,"known":false,"params":0,"flops":0,"cardBytes":0,"costMicroUsd":0}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if text := Markdown(r, tag, "dev"); !strings.Contains(text, "| not known | not known | not known | not known |") {
		t.Errorf("figures that are not known: %s", text)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add((&Record{Version: Version, Models: []Model{{Path: "a", Head: legal(2)}, {Path: "b", Error: "x"}}}).Encode())
	f.Add([]byte(`{"version":1,"models":[{"path":"x","base":{"known":true,"params":-1},"head":{"known":true,"params":-9223372036854775808}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Decode(data)
		if err != nil {
			return
		}
		if text := Markdown(r, tag, "dev"); len(text) > MaxBytes || !strings.HasPrefix(text, tag) {
			t.Errorf("%d bytes", len(text))
		}
	})
}
