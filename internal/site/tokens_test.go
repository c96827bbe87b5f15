package site

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var token = regexp.MustCompile(`(--[a-z0-9-]+):\s*([^;]+);`)

// tokensIn are the custom properties of a part of a sheet.
func tokensIn(text string) map[string]string {
	out := map[string]string{}
	for _, m := range token.FindAllStringSubmatch(text, -1) {
		out[m[1]] = strings.TrimSpace(m[2])
	}
	return out
}

// TestThePagesHaveTheTokensOfTheApp holds that a colour, a font or a size has one value in the app and on the pages
// made here, in the light scheme and in the dark one.
func TestThePagesHaveTheTokensOfTheApp(t *testing.T) {
	text, err := os.ReadFile("../../web/src/ui/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	light, dark, ok := strings.Cut(string(text), `:root[data-theme="dark"]`)
	own, ownDark, ok2 := strings.Cut(string(stylesheet), "prefers-color-scheme: dark")
	if !ok || !ok2 {
		t.Fatal("a sheet has no dark scheme")
	}
	ownDark, _, _ = strings.Cut(ownDark, "* { box-sizing")
	for _, c := range []struct{ app, own map[string]string }{{tokensIn(light), tokensIn(own)}, {tokensIn(dark), tokensIn(ownDark)}} {
		same := 0
		for name, value := range c.own {
			if of, shared := c.app[name]; shared && of != value {
				t.Errorf("%s is %q here and %q in the app", name, value, of)
			} else if shared {
				same++
			}
		}
		if same < 18 {
			t.Errorf("only %d tokens are shared", same)
		}
	}
}
