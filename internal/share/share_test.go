package share

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/graph"
)

const (
	model = `{ "name": "a\u00e9 < b", "components": [ {"id":"x","type":"input","params":{"shape":[16],"dtype":"int64"}}, {"id":"e","type":"embedding","params":{"numEmbeddings":100,"embeddingDim":8}}, {"id":"l","type":"lmHead","params":{"embedDim":8,"vocabSize":100}}, {"id":"o","type":"output"} ], "connections": [ {"from":"x","to":"e"}, {"from":"e","to":"l"}, {"from":"l","to":"o"} ] }`
	// asked has every member that changes a plan.
	asked = `"policy": {"max_layers":1}, "attention": "eager", "seq_len": 8, "training": {"batch":4,"optimizer":"sgd"}, "inference": {"batch":3}, "source": {"kind":"file","target":"a.py"}`
)

func planOf(t *testing.T, body []byte) string {
	t.Helper()
	r, err := plan.Decode(body, graph.ServiceLimits)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(plan.Run(r))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestWhatIsKeptMakesTheSamePlan takes members away one by one, to see that each of them counts.
func TestWhatIsKeptMakesTheSamePlan(t *testing.T) {
	body := []byte(`{"share": true, "base": ` + strings.Replace(model, "100", "200", 1) + `, "note": "hush", "model": ` + model + `, ` + asked + `, "token": "hush"}`)
	kept, err := Kept(body)
	if err != nil {
		t.Fatal(err)
	}
	want := planOf(t, []byte(`{"model": `+model+`, `+asked+`}`))
	if got := planOf(t, kept); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, word := range []string{"hush", "base", "share", "200", ", "} {
		if strings.Contains(string(kept), word) {
			t.Errorf("%q is kept: %s", word, kept)
		}
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(kept, &all); err != nil || len(all) != len(members) {
		t.Fatalf("%d members of %d, %v", len(all), len(members), err)
	}
	for _, m := range members[1:] {
		less := map[string]json.RawMessage{}
		for name, value := range all {
			if name != m {
				less[name] = value
			}
		}
		text, err := json.Marshal(less)
		if err != nil {
			t.Fatal(err)
		}
		if planOf(t, text) == want {
			t.Errorf("%s changes nothing, so nothing shows that it is kept", m)
		}
	}
	if again, err := Kept(kept); err != nil || string(again) != string(kept) {
		t.Errorf("keeping it again: %s, %v", again, err)
	}
}

func TestWhatCannotBeSharedIsRefused(t *testing.T) {
	large := `{"model":{"components":[],"name":"` + strings.Repeat("x", MostBytes) + `"}}`
	for body, status := range map[string]int{``: 400, `[]`: 400, `{}`: 400, `{"model":null}`: 400, `{"base":{"components":[]}}`: 400, `{"model":{}`: 400, large: 413} {
		_, err := Kept([]byte(body))
		if got := action.Status(err); err == nil || got != status {
			t.Errorf("%.40s: %d, %v, want %d", body, got, err, status)
		}
	}
}

// TestWhatIsNoIDIsNotLookedUp has no store behind it.
func TestWhatIsNoIDIsNotLookedUp(t *testing.T) {
	for _, id := range []string{"", "a", strings.Repeat("a", 27), strings.Repeat("A", 26), strings.Repeat("1", 26), strings.Repeat("a", 25) + "'", strings.Repeat("é", 13)} {
		_, get := Shares{}.Get(t.Context(), id)
		for _, err := range []error{get, Shares{}.Remove(t.Context(), "o", id), Shares{}.RemoveWith(t.Context(), id, strings.Repeat("a", 43))} {
			if !errors.Is(err, ErrNotFound) {
				t.Errorf("%q: %v", id, err)
			}
		}
	}
	if err := (Shares{}).RemoveWith(t.Context(), strings.Repeat("a", 26), "short"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}

// FuzzKept wants that what is kept is JSON that is kept again as it is, and has no other member.
func FuzzKept(f *testing.F) {
	f.Add([]byte(`{"share":true,"model":` + model + `,` + asked + `,"base":{}}`))
	f.Add([]byte(`{"mode\u006c":{"components":[]},"candidates":[{"model":{}}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		kept, err := Kept(body)
		if err != nil {
			if status := action.Status(err); status < 400 || status > 422 {
				t.Fatalf("%d: %v", status, err)
			}
			return
		}
		again, err := Kept(kept)
		if err != nil || string(again) != string(kept) || !json.Valid(kept) {
			t.Fatalf("%s, then %s, %v", kept, again, err)
		}
	})
}

// TestWhatAPlanDoesNotReadIsNotPublished puts a mark wherever a plan does not look.
func TestWhatAPlanDoesNotReadIsNotPublished(t *testing.T) {
	const mark = "hush-hush"
	body := `{"share":true,"note":"` + mark + `","base":{"name":"` + mark + `","components":[]},"model":{"name":"n","author":"` + mark + `","config":{"model_type":"x"},"components":[` +
		`{"id":"x","type":"input","params":{"shape":[16]},"position":{"x":1,"note":"` + mark + `"},"scope":"s"},{"id":"l","type":"linear","params":{"outFeatures":3},"comment":"` + mark + `"},{"id":"o","type":"output"}],` +
		`"connections":[{"from":"x","to":"l","label":"` + mark + `"},{"from":"l","to":"o"}]}}`
	kept, err := Kept([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(kept), mark) {
		t.Errorf("kept: %s", kept)
	}
	for _, needed := range []string{`"config":{"model_type":"x"}`, `"scope":"s"`, `"outFeatures":3`} {
		if !strings.Contains(string(kept), needed) {
			t.Errorf("%s is missing: %s", needed, kept)
		}
	}
	without := strings.Replace(body, `,"base":{"name":"`+mark+`","components":[]}`, "", 1)
	if got, want := planOf(t, kept), planOf(t, []byte(without)); got != want {
		t.Errorf("the plan is another one:\n%s\n%s", got, want)
	}
}
