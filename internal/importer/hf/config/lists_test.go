package config

import (
	"fmt"
	"strings"
	"testing"
)

// Families ask for a list layer by layer: it is read once, whoever asks, and under whatever config it is.
func TestListsAreReadOnce(t *testing.T) {
	raw, err := Parse([]byte(`{"n":[` + strings.Repeat("1,", 1000) + `7],"s":["a"],"b":[true,0],"f":[1.5],"in":{"n":[3,4]}}`))
	if err != nil {
		t.Fatal(err)
	}
	c := Of(raw, Class{}, "", "")
	asked := testing.AllocsPerRun(10, func() {
		if !c.HasInt("n", 7) || c.HasInt("n", 8) || len(c.Ints("n")) != 1001 || c.Strs("s")[0] != "a" || !c.Bools("b")[0] || c.Floats("f")[0] != 1.5 {
			t.Error("a list is not what was written")
		}
		if in := c.Inner("in"); !in.HasInt("n", 4) || in.HasInt("n", 7) {
			t.Error("a list inside is not what was written")
		}
	})
	if asked > 40 {
		t.Errorf("asking again allocates %.0f times: the lists are read again", asked)
	}
}

func TestAWrongEntryIsNamed(t *testing.T) {
	for key, want := range map[string]string{"n": `config.n[1]: is "x" but takes an integer`, "s": "config.s[0]: is 1 but takes a text", "b": `config.b[1]: is "y" but takes true or false`} {
		raw, _ := Parse([]byte(`{"n":[1,"x"],"s":[1],"b":[true,"y"]}`))
		var err error
		func() {
			defer Catch(&err)
			c := Of(raw, Class{}, "", "")
			switch key {
			case "n":
				c.HasInt(key, 1)
			case "s":
				c.Strs(key)
			case "b":
				c.Bools(key)
			}
		}()
		if fmt.Sprint(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
