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

// fence returns a word that occurs in no file, so that no file can pretend to end before it does. It depends on the files alone.
func fence(files []patch.File) string {
	for n := 1; ; n++ {
		word := "#" + strconv.Itoa(n)
		if !contains(files, "=== END OF FILE "+word) {
			return word
		}
	}
}

func contains(files []patch.File, text string) bool {
	for _, f := range files {
		if strings.Contains(f.Text, text) {
			return true
		}
	}
	return false
}
