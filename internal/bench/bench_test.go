package bench

import (
	"encoding/json"
	"testing"
)

// draws is how many tasks of each family and split the tests look at.
func draws() int {
	if testing.Short() {
		return 10
	}
	return 40
}

// eachProblem runs a test on the first tasks of every family and split.
func eachProblem(t *testing.T, n int, test func(t *testing.T, p *Problem)) {
	t.Helper()
	for _, f := range Families() {
		for _, split := range Splits {
			t.Run(f.Name+"/"+split, func(t *testing.T) {
				for i := range n {
					p, err := Find(ID(f.Name, split, i))
					if err != nil {
						t.Fatal(err)
					}
					test(t, p)
				}
			})
		}
	}
}

func TestEveryReferencePasses(t *testing.T) {
	eachProblem(t, draws(), func(t *testing.T, p *Problem) {
		if g := Score(&p.Task, p.Reference); !g.Passed || g.Reason != "" || g.Quality == nil ||
			len(g.Checks) != len(p.Task.Constraints) {
			t.Errorf("%s: %+v", p.Task.ID, g)
		}
	})
}

func TestEveryStartFails(t *testing.T) {
	eachProblem(t, draws(), func(t *testing.T, p *Problem) {
		if p.Task.Start == nil {
			return
		}
		for _, answer := range []string{string(p.Task.Start), `{"model":` + string(p.Task.Start) + `}`} {
			if g := Score(&p.Task, []byte(answer)); g.Passed || g.Reason == "" || g.Quality != nil {
				t.Errorf("%s: %+v", p.Task.ID, g)
			}
		}
	})
}

// A task that went over the wire is graded as it was.
func TestATaskIsWhatItsJSONSays(t *testing.T) {
	eachProblem(t, 5, func(t *testing.T, p *Problem) {
		text, err := json.Marshal(&p.Task)
		if err != nil {
			t.Fatal(err)
		}
		var again Task
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatal(err)
		}
		if g := Score(&again, p.Reference); !g.Passed {
			t.Errorf("%s: %+v", p.Task.ID, g)
		}
	})
}
