package pages

import (
	"net/url"
	"path"
	"strings"
	"testing"
)

// FuzzNext holds that signing in never leads to another host, out of our pages or into another header.
func FuzzNext(f *testing.F) {
	for _, s := range []string{"", "/account", "/account/runs", "/settings/abc/api?after=x", "//evil.example/settings/", `/settings/\evil`, "/settings/../../x", "https:///settings/x", "/settings/a?x=\r\nSet-Cookie: y", "/settings/%0a"} {
		f.Add(s)
	}
	base, _ := url.Parse("https://www.example.com/account/sign-in")
	f.Fuzz(func(t *testing.T, next string) {
		got := within(next)
		u, err := base.Parse(got)
		if err != nil {
			t.Fatalf("%q: %v", next, err)
		}
		if u.Host != base.Host || u.Scheme != base.Scheme || strings.ContainsAny(got, "\r\n\t\\") || path.Clean(u.Path) != u.Path ||
			u.Path != accountPath && u.Path != runsPath && u.Path != SettingsPath && !strings.HasPrefix(u.Path, SettingsPath+"/") {
			t.Errorf("%q leads to %q", next, got)
		}
		if within(got) != got {
			t.Errorf("%q leads to %q, which leads to %q", next, got, within(got))
		}
	})
}
