package verifier

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pins are the places where a file names a release: of the action, the hook, the scripts, the module and the program.
var pins = regexp.MustCompile(`(?:uses: modelverifier/verifier@|cmd/verifier@|raw\.githubusercontent\.com/modelverifier/verifier/|^\s*rev: |` +
	`VERIFIER_(?:REF|VERSION): |default: v|VERIFIER_VERSION:-v)(v?\d[0-9A-Za-z.-]*|main)`)

// released is the newest release of the changelog.
func released(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	newest := regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+)$`).FindStringSubmatch(string(text))
	if newest == nil || !strings.Contains(string(text), "\n## Unreleased\n") {
		t.Fatal("CHANGELOG.md has no release, or no heading for what is not released")
	}
	return newest[1]
}

func TestTheVersionIsThatOfTheChangelog(t *testing.T) {
	text := strings.TrimSpace(versionFile)
	if !regexp.MustCompile(`^\d+\.\d+\.\d+(\.dev\d+)?$`).MatchString(text) {
		t.Fatalf("VERSION has %q: it is a release such as 0.1.0, or 0.2.0.dev0 before it", text)
	}
	if newest := released(t); !strings.Contains(text, ".dev") && text != newest {
		t.Errorf("VERSION is %s, and the newest release of CHANGELOG.md is %s", text, newest)
	}
	if !strings.Contains(text, ".dev") && Version() != "v"+text {
		t.Errorf("%s for %s", Version(), text)
	}
}

// TestEverythingIsPinnedToTheNewestRelease reads what users copy.
func TestEverythingIsPinnedToTheNewestRelease(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	want, found := released(t), map[string]int{}
	for _, name := range append(pages, "README.md", "install.sh", "action.yml", "ci/gitlab.yml") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			for _, pin := range pins.FindAllStringSubmatch(line, -1) {
				found[name]++
				if strings.TrimPrefix(pin[1], "v") != want {
					t.Errorf("%s pins %s, and the newest release is %s: %s", name, pin[1], want, strings.TrimSpace(line))
				}
			}
		}
	}
	for _, name := range []string{"README.md", "install.sh", "action.yml", "ci/gitlab.yml", "docs/ci.md", "docs/install.md"} {
		if found[name] == 0 {
			t.Errorf("%s pins no release", name)
		}
	}
}
