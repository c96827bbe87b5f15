package conformance

import (
	"regexp"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/hardware"
)

// Grammar that a machine can judge. Each names what is wrong where it finds something.
var grammar = []struct {
	wrong string
	found *regexp.Regexp
}{
	{"a list as Go prints it", regexp.MustCompile(`\[-?\d+( -?\d+)+\]|\[[a-zA-Z]+( [a-zA-Z]+)+\]|map\[|&\{`)},
	{"a format that was not filled", regexp.MustCompile(`%!|<nil>|\(s\)|NaN|\+Inf`)},
	{"one of one", regexp.MustCompile(`(?i)\bone of 1(?:$|[^,\d])|\b1 of 1 |\ball 1\b`)},
	{"no dollars", regexp.MustCompile(`\$0(?:$|[^.\d])`)},
	{"two blanks", regexp.MustCompile(`\S  +\S`)},
	{"a blank before a mark", regexp.MustCompile(`[a-z] [,;.](?: |$)`)},
	{"twice the same word", regexp.MustCompile(`\b(?:the the|a a|is is|of of|to to|and and)\b`)},
	{"the other article", regexp.MustCompile(`\ba [aeio][a-z]+\b`)},
}

// singular are words that end in s and follow a 1 in good English.
var singular = words("is has was does its this as less plus minus times arrives gives takes makes leaves needs axis bias loss process class always ms gets exceeds keeps reads runs fits means uses lies holds counts follows allows divides s")

var (
	oneOfMany = regexp.MustCompile(`(?:^|[^\d.,\w/:=<>×-])1 ([a-z]+s)\b`)
	manyOfOne = regexp.MustCompile(`(?:^|[^\d.,\w/:=<>×-])(?:[02-9]|\d{2,}|\d+,\d{3}) (layer|component|channel|element|warning|candidate|parameter|head|token|card|GPU|sample|connection|input|dimension|stage|row|class|weight|expert|group|epoch|axis|block|blocker|rule|finding|feature|byte|image|label|position|step|violation|refusal|tensor|node|edge|replica|rank)\b(?:$|[^\w.-])`)
	decimalMB = regexp.MustCompile(`\d [KMGT]B\b`)
	binaryMB  = regexp.MustCompile(`\d [KMGT]iB\b`)
)

func words(list string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		out[w] = true
	}
	return out
}

// faults names what is wrong with a sentence, or is empty.
func faults(s string) string {
	for _, g := range grammar {
		if g.found.MatchString(s) {
			return g.wrong
		}
	}
	for _, m := range oneOfMany.FindAllStringSubmatch(s, -1) {
		if !singular[m[1]] {
			return "1 " + m[1]
		}
	}
	if m := manyOfOne.FindStringSubmatch(s); m != nil {
		return "many of one " + m[1]
	}
	for _, t := range hardware.Targets() { // the memory in a product's name is its maker's
		s = strings.ReplaceAll(s, t.Label, "")
	}
	if decimalMB.MatchString(s) && binaryMB.MatchString(s) {
		return "two kinds of bytes"
	}
	return ""
}

func TestGrammarFindsFaults(t *testing.T) {
	for s, bad := range map[string]bool{
		"1 warnings were found": true, "one of 1": true, "the kernel is [3 3] here": true, "costs $0": true, "costs $0.004": false, "2 layer are left": true, "0 layers": false,
		"16.0 GiB on the card, 0.5 GB on disk": true, "Jetson Orin Nano 8 GB: 2.3 GiB": false, "inFeatures is 1 but 2 arrive": false, "a input": true, "an input": false, "1 layer": false, "[a b] is given": true, "21 layers": false,
		"1 is left": false, "shape [3, 3]": false, "1.1 layers": false, "x-1 layers": false, "%!d(string=x)": true,
	} {
		if got := faults(s); (got != "") != bad {
			t.Errorf("%q: %q", s, got)
		}
	}
}
