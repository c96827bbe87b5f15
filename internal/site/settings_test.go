package site

import (
	"bytes"
	"testing"
)

func TestPagesLeadToTheSettingsWhereThereAreAny(t *testing.T) {
	for _, settings := range []string{"", "/settings"} {
		s, err := New(Config{BaseURL: "https://www.example.org", Settings: settings})
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/", "/rules.html", notFound} {
			if leads := bytes.Contains(s.files[path].content().body, []byte(`<a href="/settings">Settings</a>`)); leads != (settings != "") {
				t.Errorf("with settings at %q, %s leads there: %v", settings, path, leads)
			}
		}
	}
}
