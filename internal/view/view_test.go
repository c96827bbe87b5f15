package view

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/models"
)

// ask calls the app's own function and reads the answer, which must have the status 200.
func ask[R any](t testing.TB, name, body string) R {
	t.Helper()
	status, answer := Action(name, body)
	if status != 200 {
		t.Fatalf("%s: %d %s", name, status, answer)
	}
	var out R
	if err := json.Unmarshal([]byte(answer), &out); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}

func TestAnswersActionsAndCalls(t *testing.T) {
	for _, c := range []struct {
		name, body string
		status     int
		answer     string
	}{
		{"lint", `{"model":{"components":[]}}`, 200, `"rule":"empty-graph"`},
		{"train", `{}`, 404, `check, lint, plan and rank are served`},
		{"view/none", `{}`, 404, `"view/edit",`},
		{"view/model", `{}`, 400, `"path":"id"`},
		{"view/model", `{"id":"resnet-18"}`, 422, `"allowed":["albert-base",`},
		{"view/edit", `{"model":{"components":[]}}`, 400, `"path":"edits"`},
		{"view/edit", `{"model":{"components":[]},"edits":[{"op":"paint"}]}`, 422, `"path":"edits[0].op"`},
		{"view/edit", `{"edits":[]`, 400, `"code":"invalid-json"`},
	} {
		status, answer := Action(c.name, c.body)
		if status != c.status || !strings.Contains(answer, c.answer) {
			t.Errorf("%s %s: %d %.300s, want %d with %s", c.name, c.body, status, answer, c.status, c.answer)
		}
	}
}

func TestTypesAreTheCatalogue(t *testing.T) {
	list := ask[typeList](t, "view/types", "")
	if len(list.Types) != len(catalog.Types()) {
		t.Fatalf("%d types, the catalogue has %d", len(list.Types), len(catalog.Types()))
	}
	for _, info := range list.Types {
		if !slices.Contains(list.Groups, info.Group) {
			t.Errorf("%s is in the group %q, which the palette does not have", info.ID, info.Group)
		}
		for _, p := range info.Params {
			if p.Kind == "" || p.Takes == "" {
				t.Errorf("%s.%s: %+v", info.ID, p.Name, p)
			}
		}
	}
	at := slices.IndexFunc(list.Types, func(i typeInfo) bool { return i.ID == "conv2d" })
	conv := list.Types[at]
	if p := conv.Params[0]; p.Name != "inChannels" || p.Kind != "int" || *p.Min != 0 || p.Required || !p.Lazy {
		t.Errorf("conv2d begins with %+v", p)
	}
	if *conv.Inputs.Max != 1 || conv.Inputs.Min != 1 {
		t.Errorf("conv2d takes %+v", conv.Inputs)
	}
}

func TestEveryBundledModelOpens(t *testing.T) {
	list := ask[modelList](t, "view/models", "{}")
	if len(list.Models) != len(models.List()) {
		t.Fatalf("%d models", len(list.Models))
	}
	for _, m := range list.Models {
		model := ask[opened](t, "view/model", `{"id":"`+m.ID+`"}`)
		if status, answer := Action("lint", `{"model":`+string(model.Model)+`}`); status != 200 || strings.Contains(answer, `"verdict":"fail"`) {
			t.Errorf("%s: %d %.200s", m.ID, status, answer)
		}
	}
}

// TestTheExampleIsMendedByItsOneEdit: the Start page says so.
func TestTheExampleIsMendedByItsOneEdit(t *testing.T) {
	type lint struct {
		Findings []struct {
			Severity string
			Edit     json.RawMessage
		}
	}
	model := ask[opened](t, "view/example", "{}").Model
	found := ask[lint](t, "lint", `{"model":`+string(model)+`}`).Findings
	if len(found) != 1 || found[0].Severity != "block" || len(found[0].Edit) == 0 {
		t.Fatalf("the example has the findings %+v", found)
	}
	after := ask[edited](t, "view/edit", `{"model":`+string(model)+`,"edits":`+string(found[0].Edit)+`}`)
	if !slices.Equal(after.Changed, []string{"hidden"}) || len(after.Removed) > 0 {
		t.Errorf("changed are %q, removed %q", after.Changed, after.Removed)
	}
	if left := ask[lint](t, "lint", `{"model":`+string(after.Model)+`}`).Findings; len(left) > 0 {
		t.Errorf("after its edit it has %+v", left)
	}
}

func TestEditsOfAnEditor(t *testing.T) {
	const model = `{"components":[{"id":"x","type":"input","params":{"shape":[8]}},{"id":"a","type":"linear","name":"first","params":{"outFeatures":8}},{"id":"y","type":"output"}],
		"connections":[{"from":"x","to":"first"},{"from":"first","to":"y"}]}`
	for _, c := range []struct{ edits, want string }{
		{`[{"op":"rename","component":"a","name":"second"}]`, `changed [a] removed []: x:input a:linear=second y:output x>a a>y`},
		{`[{"op":"disconnect","from":"a","to":"y"}]`, `changed [y] removed []: x:input a:linear=first y:output x>first`},
		{`[{"op":"duplicate","components":["a"]}]`, `changed [a_2] removed []: x:input a:linear=first y:output a_2:linear=first x>a a>y x>a_2`},
		{`[{"op":"duplicate","components":["a","y"]},{"op":"duplicate","component":"a_2"}]`,
			`changed [a_2 y_2 a_3] removed []: x:input a:linear=first y:output a_2:linear=first y_2:output a_3:linear=first x>a a>y x>a_2 a_2>y_2 x>a_3`},
		{`[{"op":"group","components":["x","a"],"name":"head \"1\""}]`, `changed [x a] removed []: x:input[head "1"] a:linear=first[head "1"] y:output x>first first>y`},
		{`[{"op":"group","components":["x","a"],"name":"head"},{"op":"group","components":["a"]}]`, `changed [x] removed []: x:input[head] a:linear=first y:output x>first first>y`},
		{`[{"op":"remove","component":"a","join":true}]`, `changed [y] removed [a]: x:input y:output x>y`},
	} {
		after := ask[edited](t, "view/edit", `{"model":`+model+`,"edits":`+c.edits+`}`)
		if got := outline(t, after); got != c.want {
			t.Errorf("%s gives\n%s, not\n%s", c.edits, got, c.want)
		}
	}
}

func outline(t *testing.T, e edited) string {
	t.Helper()
	var g struct {
		Components  []struct{ ID, Type, Name, Group string }
		Connections []struct{ From, To string }
	}
	if err := json.Unmarshal(e.Model, &g); err != nil {
		t.Fatal(err)
	}
	s := "changed [" + strings.Join(e.Changed, " ") + "] removed [" + strings.Join(e.Removed, " ") + "]:"
	for _, c := range g.Components {
		s += " " + c.ID + ":" + c.Type
		if c.Name != "" {
			s += "=" + c.Name
		}
		if c.Group != "" {
			s += "[" + c.Group + "]"
		}
	}
	for _, c := range g.Connections {
		s += " " + c.From + ">" + c.To
	}
	return s
}
