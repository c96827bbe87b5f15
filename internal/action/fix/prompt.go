package fix

import (
	_ "embed" // the prompts
	"strconv"
	"strings"
	"text/template"

	"github.com/modelverifier/verifier/internal/patch"
)

//go:embed prompt/system.md
var systemPrompt string

//go:embed prompt/user.md
var userPrompt string

var userTemplate = template.Must(template.New("user").Funcs(template.FuncMap{"inc": func(i int) int { return i + 1 }}).Parse(userPrompt))

// asked is what the user's message says.
type asked struct {
	Most     int
	Findings []Finding
	Notes    []string // what our own fixer found out about them
	Policy   []string // lines that must hold
	Files    []patch.File
	Fence    string // a word that is in no file
}

// prompts are the two messages of a question.
func (a *asked) prompts() (system, user string, err error) {
	a.Fence = fence(a.Files)
	var b strings.Builder
	if err := userTemplate.Execute(&b, a); err != nil {
		return "", "", err
	}
	return systemPrompt, strings.TrimSpace(b.String()) + "\n", nil
}

// fenceMark stands before the word that a file ends with.
const fenceMark = "=== END OF FILE #"

// fence returns a word that occurs in no file, so that no file can pretend to end before it does. It depends on the files alone. The
// words that are taken are listed in one pass: a file may have tens of thousands of them.
func fence(files []patch.File) string {
	taken := map[string]bool{}
	for _, f := range files {
		for rest := f.Text; ; {
			_, behind, found := strings.Cut(rest, fenceMark)
			if !found {
				break
			}
			for n := 1; n <= min(len(behind), fenceDigits) && behind[n-1] >= '0' && behind[n-1] <= '9'; n++ {
				taken[behind[:n]] = true // 1 is in 12
			}
			rest = behind
		}
	}
	for n := 1; ; n++ {
		if word := strconv.Itoa(n); !taken[word] {
			return "#" + word
		}
	}
}

// fenceDigits is how many digits a word can have that files of MaxAllBytes leave free.
const fenceDigits = 8
