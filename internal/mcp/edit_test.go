package mcp_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

func TestAnEditKeepsEverythingElse(t *testing.T) {
	const lines = "{\n  \"name\": \"net\",\n  \"components\": [\n    {\"id\":\"x\",\"type\":\"input\",\"params\":{\"shape\":[8]},\"position\":{\"x\":1}},\n    {\"id\":\"b\",\"type\":\"Linear\",\"params\":{\"in_features\":%d,\"outFeatures\":4}},\n    {\"id\":\"o\",\"type\":\"output\",\"params\":{}}\n  ],\n" +
		"  \"connections\": [\n    {\"from\":\"x\",\"to\":\"b\"},\n    {\"from\":\"b\",\"to\":\"o\",\"label\":\"kept\"}\n  ],\n  \"zoom\": 1.5\n}\n"
	dir := folder(t)
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, fmt.Appendf(nil, lines, 7), "", "\t"); err != nil {
		t.Fatal(err)
	}
	s := connect(t, dir, nil, "--write")
	for name, text := range map[string]string{"lines.json": fmt.Sprintf(lines, 7), "one.json": strings.Join(strings.Fields(fmt.Sprintf(lines, 7)), "") + "\n", "tabs.json": strings.TrimSpace(indented.String()) + "\n"} {
		write(name, text)
		r := call(t, s, "edit", fmt.Sprintf(`{"model":%q,"changes":[{"component":"b","param":"inFeatures","value":8}]}`, name))
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.Replace(text, "7", "8", 1); string(got) != want {
			t.Errorf("%s: %s\nbecame %s", name, r.text, got)
		}
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("%s: mode %v", name, info.Mode())
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAnEditThatMultipliesTheParametersIsWarnedOf(t *testing.T) {
	s := connect(t, folder(t), nil, "--write")
	for size, want := range map[string]bool{"32": false, "16000": true} {
		r := call(t, s, "edit", `{"model":`+right+`,"changes":[{"op":"change","component":"a","params":{"outFeatures":`+size+`}}]}`)
		if got := strings.Contains(r.text, "times the 212 before the change"); got != want || r.failed {
			t.Errorf("%s: %s", size, r.text)
		}
	}
}

func TestAMissingFlattenIsInserted(t *testing.T) {
	const net = `{"components":[{"id":"x","type":"input","params":{"shape":[3,8,8]}},{"id":"c","type":"conv2d","params":{"inChannels":3,"outChannels":4,"kernelSize":3}},` +
		`{"id":"f","type":"linear","params":{"inFeatures":144,"outFeatures":5}},{"id":"o","type":"output"}],"connections":[{"from":"x","to":"c"},{"from":"c","to":"f"},{"from":"f","to":"o"}]}`
	s := connect(t, folder(t), nil, "--write")
	const change = `[{"op":"insert","component":"f_flatten","type":"flatten","from":"c","to":"f"}]`
	if r := call(t, s, "check", `{"model":`+net+`}`); !strings.Contains(r.text, "edit: "+change) {
		t.Error(r.text)
	}
	if r := call(t, s, "edit", `{"model":`+net+`,"changes":`+change+`}`); r.failed || r.body["verdict"] == "block" {
		t.Error(r.text)
	}
	for _, wrong := range []string{`{"op":"insert","component":"v","type":"flatten","from":"f","to":"c"}`, `{"op":"insert","component":"v","type":"flatten","from":"c"}`, `{"op":"insert","component":"c","type":"flatten","from":"c","to":"f"}`} {
		if r := call(t, s, "edit", `{"model":`+net+`,"changes":[`+wrong+`]}`); !r.failed {
			t.Errorf("%s: %s", wrong, r.text)
		}
	}
}

func TestLegalValuesAreOptions(t *testing.T) {
	s := connect(t, folder(t), nil)
	r := call(t, s, "check", `{"model":{"components":[{"id":"x","type":"input","params":{"shape":[12,64]}},{"id":"a","type":"multiHeadAttention","params":{"embedDim":64,"numHeads":6}},`+
		`{"id":"o","type":"output"}],"connections":[{"from":"x","to":"a"},{"from":"a","to":"o"}]}}`)
	if !strings.Contains(r.text, "options: numHeads of a: 1, 2, 4, 8, 16, 32") || strings.Contains(r.text, "edit:") {
		t.Error(r.text)
	}
}

func TestAnEditThatMakesItWorseIsUndoneWhereAsked(t *testing.T) {
	dir := folder(t)
	s := connect(t, dir, nil, "--write")
	const change = `"changes":[{"op":"change","component":"b","params":{"in_features":3}}]`
	r := call(t, s, "edit", `{"model":"right.json","undoIfWorse":true,`+change+`}`)
	if r.failed || r.body["undone"] != true || r.body["written"] != false || r.body["verdict"] != "block" {
		t.Errorf("%v %s", r.body, r.text)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "right.json")); err != nil || string(data) != right {
		t.Errorf("the file was changed: %s", data)
	}
	if r := call(t, s, "edit", `{"model":"right.json",`+change+`}`); r.body["undone"] != false || r.body["written"] != true {
		t.Errorf("%v %s", r.body, r.text)
	}
	if r := call(t, s, "edit", `{"model":"right.json","undoIfWorse":true,"changes":[{"component":"b","param":"in_features","value":16}]}`); r.body["written"] != true || r.body["verdict"] == "block" {
		t.Errorf("%v %s", r.body, r.text)
	}
}

// TestTwoClientsLoseNothing has two programs add components to one file at the same time. Every edit that was said to be written is there
// at the end, those that were refused are tried again, and whoever reads in between finds a whole graph.
func TestTwoClientsLoseNothing(t *testing.T) {
	dir := folder(t)
	const each = 25
	var wait sync.WaitGroup
	refused := make([]int, 2)
	for who := range 2 {
		s := connect(t, dir, nil, "--write")
		wait.Go(func() {
			for i := range each {
				for {
					r := call(t, s, "edit", fmt.Sprintf(`{"model":"right.json","changes":[{"op":"add","component":"n%d-%d","type":"relu","from":"x"}]}`, who, i))
					if !r.failed {
						break
					}
					if code := r.body["code"]; code != "model-changed" && code != "edit-under-way" {
						t.Errorf("%s", r.text)
						return
					}
					refused[who]++
				}
				if r := call(t, s, "describe", `{"model":"right.json"}`); r.failed {
					t.Errorf("a reader finds %s", r.text)
				}
			}
		})
	}
	wait.Wait()
	data, err := os.ReadFile(filepath.Join(dir, "right.json"))
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.Decode(data, "model", graph.ServiceLimits)
	if err != nil {
		t.Fatal(err)
	}
	if want := 5 + 2*each; len(g.Components) != want {
		t.Errorf("%d components, want %d", len(g.Components), want)
	}
	t.Logf("refused and tried again: %v", refused)
}

func TestALockThatWasLeftIsNamed(t *testing.T) {
	dir := folder(t)
	lock := filepath.Join(dir, ".right.json.edit")
	if err := os.WriteFile(lock, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s := connect(t, dir, nil, "--write")
	r := call(t, s, "edit", `{"model":"right.json","changes":[{"op":"remove","component":"r","join":true}]}`)
	if !r.failed || r.body["code"] != "edit-under-way" || !strings.Contains(r.text, ".right.json.edit") {
		t.Errorf("%s", r.text)
	}
	if _, err := os.Stat(lock); err != nil {
		t.Error("the lock of another was removed")
	}
}

// TestAModelThatChangesWhileItIsRead is written over, in place and in two steps, while it is read: an answer is of one version or of the
// other, or an error that says so.
func TestAModelThatChangesWhileItIsRead(t *testing.T) {
	dir := folder(t)
	path := filepath.Join(dir, "moving.json")
	if err := os.WriteFile(path, []byte(right), 0o644); err != nil {
		t.Fatal(err)
	}
	s := connect(t, dir, nil)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		pause := time.NewTicker(time.Millisecond)
		defer pause.Stop()
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-pause.C:
			}
			text := []string{wrong, right}[i%2]
			f, err := os.Create(path)
			if err != nil {
				return
			}
			_, _ = f.WriteString(text[:len(text)/2])
			_, _ = f.WriteString(text[len(text)/2:])
			_ = f.Close()
		}
	}()
	counts := map[string]int{}
	for range 300 {
		r := call(t, s, "check", `{"model":"moving.json"}`)
		key := fmt.Sprint(r.body["verdict"], r.body["code"])
		counts[key]++
		if code, _ := r.body["code"].(string); r.failed && code != "model-changed" && code != "invalid-json" && code != "malformed-file" {
			t.Fatalf("%s", r.text)
		}
	}
	close(stop)
	<-done
	for key := range counts {
		if key != "block<nil>" && key != "ask<nil>" && !strings.HasPrefix(key, "<nil>") {
			t.Errorf("an answer of neither version: %v", counts)
		}
	}
	t.Logf("%v", counts)
}

// TestAnAgentRepairsWrongNumbersWithNothingButTheServer takes the broken graphs of truth whose fault is a wrong number to a passing check:
// check, send the edit of the first finding that blocks back to edit, and again.
func TestAnAgentRepairsWrongNumbersWithNothingButTheServer(t *testing.T) {
	meant := map[string]string{}
	rows(t, "graphs-meant.jsonl.gz", func(id, _ string, g json.RawMessage) { meant[id] = structure(t, g) })
	dir := t.TempDir()
	s := connect(t, dir, nil, "--write")
	all, repaired := 0, 0
	rows(t, "graphs.jsonl.gz", func(id, variant string, g json.RawMessage) {
		if variant != "features" && variant != "channels" && variant != "norm" && variant != "embed" {
			return
		}
		all++
		if err := os.WriteFile(filepath.Join(dir, "m.json"), g, 0o644); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			edit := firstEdit(call(t, s, "check", `{"model":"m.json"}`))
			if edit == "" {
				break
			}
			call(t, s, "edit", `{"model":"m.json","changes":`+edit+`}`)
		}
		now, err := os.ReadFile(filepath.Join(dir, "m.json"))
		if err != nil {
			t.Fatal(err)
		}
		if r := call(t, s, "check", `{"model":"m.json"}`); r.body["verdict"] != "block" && structure(t, now) == meant[id] {
			repaired++
		} else {
			t.Logf("%s (%s) is not repaired to what was meant: %v", id, variant, r.body["verdict"])
		}
	})
	t.Logf("%d of %d", repaired, all)
	if all < 50 || repaired*100 < all*95 {
		t.Errorf("%d of %d are repaired", repaired, all)
	}
}

func firstEdit(r reply) string {
	list, _ := r.body["findings"].([]any)
	for _, f := range list {
		f := f.(map[string]any)
		if f["severity"] == "block" && f["edit"] != nil {
			text, _ := json.Marshal(f["edit"])
			return string(text)
		}
	}
	return ""
}

func rows(t *testing.T, file string, f func(id, variant string, g json.RawMessage)) {
	t.Helper()
	fd, err := os.Open(filepath.Join("../../truth", file))
	if err != nil {
		t.Fatal(err)
	}
	defer fd.Close()
	z, err := gzip.NewReader(fd)
	if err != nil {
		t.Fatal(err)
	}
	s := bufio.NewScanner(z)
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		var r struct {
			ID, Variant string
			Graph       json.RawMessage
		}
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		f(r.ID, r.Variant, r.Graph)
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
}

func structure(t *testing.T, text []byte) string {
	t.Helper()
	g, err := graph.Decode(text, "model", graph.ServiceLimits)
	if err != nil {
		t.Fatal(err)
	}
	g.Normalize(catalog.Vocabulary)
	return infer.Walk(g).Fingerprint()
}
