package site

import (
	"strings"
	"sync"

	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/datasets"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/rules"
	"github.com/modelverifier/verifier/models"
)

// sample is the request of the home page: a classifier of digits with two figures in the wrong order.
const sample = `{"model":{"name":"digits","components":[
  {"id":"x","type":"input","params":{"shape":[784]}},
  {"id":"fc","type":"linear","params":{"inFeatures":748,"outFeatures":10}},
  {"id":"y","type":"output"}],
  "connections":[{"from":"x","to":"fc"},{"from":"fc","to":"y"}]}}`

// addHome publishes the page that says what this is, with a request to try and what is answered to it.
func (s *Site) addHome() {
	home := page{Path: "/", Title: "Model Verifier", Section: "home",
		Description: "Does a neural network run in PyTorch, what does it cost, and what is the one fix: in milliseconds, with no Python and no GPU."}
	text := func() any {
		request, err := plan.Decode([]byte(sample), graph.ServiceLimits)
		if err != nil {
			panic("site: " + err.Error()) // cannot happen: the sample is part of the program
		}
		return map[string]any{
			"Base": s.config.BaseURL, "App": s.config.App, "Sample": sample, "Answer": marked(plan.Run(request).Text), "RuleSet": s.ruleSet,
			"Rules": len(rules.Rules()), "Types": len(catalog.Types()), "Architectures": len(models.List()),
		}
	}
	s.addPage(home, "home", text)
	if s.config.Front == nil {
		return
	}
	s.files["/"].content = s.front(s.files["/"].content)
	home.Path, home.Title, home.Section = AboutPath, "About", "about"
	s.addPage(home, "home", text)
}

// front is the first page with the policy of the app. What the app is made of changes its names with the program, so that a page that
// names them is asked for anew every time.
func (s *Site) front(made func() *content) func() *content {
	return sync.OnceValue(func() *content {
		c := *made()
		c.policy, c.cache = s.config.Front.Policy, "no-cache"
		return &c
	})
}

// marked marks what blocks in the text of a plan: its line, and those below it that are indented.
func marked(text string) []datasets.Line {
	var out []datasets.Line
	hit := false
	for l := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		if !strings.HasPrefix(l, " ") {
			hit = strings.HasPrefix(l, "blocked")
		}
		out = append(out, datasets.Line{Text: l, Hit: hit})
	}
	return out
}
