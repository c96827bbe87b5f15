package conformance

import (
	"bytes"
	"flag"
	"sync"
	"testing"

	"github.com/modelverifier/verifier/internal/action/all"
	"github.com/modelverifier/verifier/internal/graph"
)

const folder = "cases"

var update = flag.Bool("update", false, "record the answers of cases that are not written by hand")

func load(t *testing.T) []*Case {
	t.Helper()
	cases, err := Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

func bodyOf(t *testing.T, c *Case) []byte {
	t.Helper()
	body, err := c.Body()
	if err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	return body
}

// given is an answer that was computed.
type given struct {
	status int
	body   []byte
}

// answers has those of this process by action and request: every surface is compared with the same ones.
var answers sync.Map

// answer is what an action says to a case, under the limits of the service.
func answer(t *testing.T, c *Case) (int, []byte) {
	t.Helper()
	body := bodyOf(t, c)
	key := c.Action + "\n" + string(body)
	if known, ok := answers.Load(key); ok {
		return known.(given).status, bytes.Clone(known.(given).body)
	}
	status, got := all.Answer(c.Action, body, graph.ServiceLimits)
	answers.Store(key, given{status, bytes.Clone(got)})
	return status, got
}

func TestEveryActionAnswersAsWritten(t *testing.T) {
	for _, c := range load(t) {
		t.Run(c.Name, func(t *testing.T) {
			status, got := answer(t, c)
			if *update && c.By == Recorded {
				c.Status, c.Response = status, got
				if err := c.Save(folder); err != nil {
					t.Fatal(err)
				}
			}
			if status != c.Status {
				t.Errorf("status %d, want %d: %.500s", status, c.Status, got)
				return
			}
			for _, d := range c.Match(got) {
				t.Error(d)
			}
		})
	}
}

func TestThereAreEnoughCases(t *testing.T) {
	hand, failing, byAction := 0, 0, map[string]int{}
	cases := load(t)
	for _, c := range cases {
		byAction[c.Action]++
		if c.By == Hand {
			hand++
		} else if c.By != Recorded {
			t.Errorf("%s is by %q", c.Name, c.By)
		}
		if c.Status != 200 {
			failing++
		}
	}
	t.Logf("%d cases, %d by hand, %d errors, by action %v", len(cases), hand, failing, byAction)
	if len(cases) < 120 || hand < 40 || failing < 40 {
		t.Errorf("%d cases, %d by hand, %d errors: too few", len(cases), hand, failing)
	}
	for _, a := range all.Actions {
		if byAction[a.Name] < 15 {
			t.Errorf("%s has %d cases", a.Name, byAction[a.Name])
		}
	}
}

func TestSameRequestSameBytes(t *testing.T) {
	for _, c := range load(t) {
		_, first := answer(t, c)
		if _, second := all.Answer(c.Action, bodyOf(t, c), graph.ServiceLimits); !bytes.Equal(first, second) {
			t.Errorf("%s: two answers differ", c.Name)
		}
	}
}
