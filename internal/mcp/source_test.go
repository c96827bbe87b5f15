package mcp_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const shapeless = `import torch.nn as nn
class Net(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.f = nn.Linear(9, width)
    def forward(self, x):
        return self.f(x)
`

func TestCheckTakesTheInputsOfASource(t *testing.T) {
	dir := folder(t)
	if err := os.WriteFile(filepath.Join(dir, "shapeless.py"), []byte(shapeless), 0o644); err != nil {
		t.Fatal(err)
	}
	s := connect(t, dir, nil)
	if r := call(t, s, "check", `{"model":"shapeless.py"}`); r.failed || r.body["verdict"] != "ask" {
		t.Errorf("without a shape: %s", r.text)
	}
	for inputs, want := range map[string]string{`["1,9"]`: "ask", `["9"]`: "ask", `["1,8"]`: "block", `["9","9"]`: "block"} {
		for _, tool := range []string{"check", "lint"} {
			r := call(t, s, tool, `{"model":"shapeless.py:Net","inputs":`+inputs+`,"args":{"width":"5"}}`)
			if r.failed || tool == "check" && r.body["verdict"] != want || tool == "lint" && (want == "block") != strings.Contains(r.text, "block ") {
				t.Errorf("%s %s: %v %s, want %s", tool, inputs, r.body["verdict"], r.text, want)
			}
		}
	}
	if r := call(t, s, "check", `{"model":"shapeless.py","inputs":["3x,4"]}`); !r.failed || !strings.Contains(r.text, "1,3,224,224") {
		t.Errorf("got %s", r.text)
	}
	if r := call(t, s, "plan", `{"model":"shapeless.py","inputs":["1,9"]}`); r.failed || !strings.Contains(r.text, "40 ") && !strings.Contains(r.text, "runs") {
		t.Errorf("got %s", r.text)
	}
}

func TestAnEditOfAFindingIsMadeAsItIsAndKeepsComments(t *testing.T) {
	const text = "# my net\nx: input shape=[8]   // eight\nb: linear inFeatures=7 outFeatures=4  // the head\no: output\n\nx -> b -> o # flow\n"
	dir := folder(t)
	s := connect(t, dir, nil, "--write")
	for name, form := range map[string]func(string) string{
		"list.graph": func(e string) string { return e }, "nested.graph": func(e string) string { return "[" + e + "]" },
		"single.graph": func(e string) string { return strings.Trim(e, "[]") },
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		r := call(t, s, "check", `{"model":"`+name+`"}`)
		edit, err := json.Marshal(r.body["findings"].([]any)[0].(map[string]any)["edit"])
		if err != nil {
			t.Fatal(err)
		}
		if r := call(t, s, "edit", `{"model":"`+name+`","changes":`+form(string(edit))+`}`); r.failed || r.body["written"] != true {
			t.Errorf("%s: %s", name, r.text)
		}
		got, err := os.ReadFile(path)
		if want := strings.Replace(text, "inFeatures=7", "inFeatures=8", 1); err != nil || string(got) != want {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
}
