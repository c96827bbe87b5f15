package runfile

import (
	"fmt"
	"strings"
	"testing"
)

// TestAKeyIsNotLongerThanItsValuesCanKeep has a key of each format that is as long as is read, and one that is longer: by itself, and
// with those above it.
func TestAKeyIsNotLongerThanItsValuesCanKeep(t *testing.T) {
	k := func(n int) string { return strings.Repeat("k", n) }
	for _, c := range []struct {
		name string
		file func(n int) string
	}{
		{"a.json", func(n int) string { return `{"` + k(n) + `":[1]}` }},
		{"b.json", func(n int) string { return `{"a":{"b":{"` + k(n-4) + `":1}}}` }},
		{"a.toml", func(n int) string { return k(n) + " = [1]\n" }},
		{"b.toml", func(n int) string { return "[a.b]\n" + k(n-4) + " = 1\n" }},
		{"c.toml", func(n int) string { return "[a." + k(n-2) + "]\n" }},
		{"d.toml", func(n int) string { return "a = {" + k(n-2) + " = 1}\n" }},
		{"a.yaml", func(n int) string { return k(n) + ": 1\n" }},
		{"b.yaml", func(n int) string { return "a:\n  b:\n    " + k(n-4) + ": 1\n" }},
		{"c.sh", func(n int) string { return "trl sft --" + k(n) + " 1\n" }},
	} {
		if _, _, err := parse(c.name, []byte(c.file(maxPath))); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		_, _, err := parse(c.name, []byte(c.file(maxPath+1)))
		want := "is a key of 1001 bytes, with those above it, but at most 1000 are read"
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 250 {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestOnlySomeUnknownKeysAreGuessed counts guesses: with each key compared with all that are known, a file of 20,000 took seconds.
func TestOnlySomeUnknownKeysAreGuessed(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"train_batch_size":8`)
	const keys = 5000
	for i := range keys {
		fmt.Fprintf(&b, `,"gradient_clipping%d":1`, i)
	}
	report, err := Parse("d.json", []byte(b.String()+"}"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	guesses := 0
	for _, f := range report.Findings {
		if f.Fix == "did you mean gradient_clipping?" {
			guesses++
		}
	}
	if guesses != mostGuesses || report.Count(Unknown) != keys {
		t.Errorf("%d guesses of %d unknown keys, want %d of %d", guesses, report.Count(Unknown), mostGuesses, keys)
	}
}

// TestNamesBesideAreThoseOfTheTable compares what a table has at hand with a walk through all of its keys.
func TestNamesBesideAreThoseOfTheTable(t *testing.T) {
	for id, trainer := range trainers {
		for name := range trainer.keys.keys {
			for below := name; ; {
				at := strings.LastIndexByte(below, '.')
				if at < 0 {
					break
				}
				below = below[:at]
				if !trainer.keys.has(below) {
					t.Errorf("%s has %s and nothing below %s", id, name, below)
				}
			}
			if trainer.keys.has(name) {
				t.Logf("%s: %s is a key and a mapping", id, name)
			}
		}
		if trainer.keys.has("") || trainer.keys.has("nothing") {
			t.Errorf("%s has keys below nothing", id)
		}
	}
}

// TestALongWordIsText has numbers as long as any is written, and a longer one.
func TestALongWordIsText(t *testing.T) {
	for word, want := range map[string]kind{"1_000": whole, "0." + strings.Repeat("3", 300): number, strings.Repeat("1", 401): text,
		"falsehood": text, "False": boolean, "NULL": null, "offs": text, "Yes": boolean} {
		if got := plain(value{}, word); got.kind != want {
			t.Errorf("%.20s is %s, want %s", word, got.kind.name(), want.name())
		}
	}
}

func TestWhatTheParserWouldReadAgainAndAgainIsRefused(t *testing.T) {
	_, err := Parse("a.yaml", []byte("base_model: m\nx: "+strings.Repeat("<", 5000)), Options{})
	if err == nil || err.Error() != "a.yaml:2: has more than 256 times < in a row" {
		t.Error(err)
	}
}
