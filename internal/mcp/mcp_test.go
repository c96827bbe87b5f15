package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/cli"
)

// serving, in the environment of this test's own binary, makes it the program itself.
const serving = "VERIFIER_MCP_TEST"

func TestMain(m *testing.M) {
	if os.Getenv(serving) != "" {
		os.Exit(cli.Run())
	}
	os.Exit(m.Run())
}

const (
	wrong = `{"name":"net","components":[{"id":"x","type":"input","params":{"shape":[8]},"position":{"x":1}},{"id":"a","type":"linear","params":{"in_features":8,"outFeatures":16}},{"id":"r","type":"relu"},{"id":"b","type":"linear","params":{"in_features":15,"outFeatures":4}},{"id":"o","type":"output"}],"connections":[{"from":"x","to":"a"},{"from":"a","to":"r"},{"from":"r","to":"b"},{"from":"b","to":"o"}]}`
	gpt2  = `{"model_type":"gpt2","architectures":["GPT2LMHeadModel"],"n_layer":2,"n_embd":96,"n_head":6,"vocab_size":1000,"n_positions":128}`
)

// hears is a model whose sounds crash it, and which runs with text alone.
const hears = `{"model_type":"glmasr","text_config":{"model_type":"llama","vocab_size":500,"hidden_size":32,"intermediate_size":64,"num_hidden_layers":1,"num_attention_heads":4,"num_key_value_heads":2},` +
	`"audio_config":{"model_type":"glmasr_encoder","hidden_size":32,"intermediate_size":128,"num_hidden_layers":2,"num_attention_heads":4,"num_key_value_heads":3,"max_position_embeddings":64,"num_mel_bins":16}}`

// source is the code of the same network as net.py, as a JSON string.
const source = `"import torch.nn as nn\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.a, self.b = nn.Linear(8, 16), nn.Linear(16, 4)\n\n` +
	`    def forward(self, x):\n        return self.b(self.a(x).relu())\n"`

var right = strings.Replace(wrong, `"in_features":15`, `"in_features":16`, 1)

// folder is a root with models in it.
func folder(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"wrong.json": wrong, "right.json": right, "llm/config.json": gpt2, "hears/config.json": hears, "net.py": "import torch.nn as nn\n\ndef build():\n    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))\n",
		"net.graph": "x: input shape=[8]\na: linear inFeatures=8 outFeatures=4\no: output\nx -> a -> o\n", "noted.graph": "x: input shape=[8] // a note\no: output\nx -> o\n",
		"data/train.csv": "a,b,c,d,e,f,g,h,label\n1,2,3,4,5,6,7,8,0\n1,2,3,4,5,6,7,8,1\n", "broken.json": `{"components":[`, "empty.json": "",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func program(t testing.TB, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, append([]string{"mcp", "--root", dir}, args...)...)
	cmd.Env = append(os.Environ(), serving+"=1")
	cmd.Stderr = os.Stderr
	return cmd
}

// connect starts the program and initialises it with the SDK's client.
func connect(t testing.TB, dir string, options *sdk.ClientOptions, args ...string) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, options)
	s, err := client.Connect(context.Background(), &sdk.CommandTransport{Command: program(t, dir, args...)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return s
}

type reply struct {
	text   string
	body   map[string]any
	failed bool
	meta   sdk.Meta
}

func call(t testing.TB, s *sdk.ClientSession, tool, args string) reply {
	t.Helper()
	r, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	if err != nil {
		t.Fatalf("%s %.200s: %v", tool, args, err)
	}
	body, _ := r.StructuredContent.(map[string]any)
	return reply{r.Content[0].(*sdk.TextContent).Text, body, r.IsError, r.Meta}
}

// mostTokens bounds what a client must read before it can call anything, in the usual four bytes a token: the whole listing with its output
// schemas. edit, which is there with --write alone, comes on top.
const mostTokens, mostWithEdit = 2200, 2600

func TestTheListingIsSmall(t *testing.T) {
	for flag, most := range map[string]int{"": mostTokens, "--write": mostWithEdit} {
		r, err := connect(t, folder(t), nil, strings.Fields(flag)...).ListTools(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("the listing%s has %d bytes, %d tokens", flag, len(text), len(text)/4)
		if len(text)/4 >= most {
			t.Errorf("the listing%s has %d tokens, not under %d", flag, len(text)/4, most)
		}
	}
}

func TestTheListingIsComplete(t *testing.T) {
	s := connect(t, folder(t), nil, "--write")
	r, err := s.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range r.Tools {
		names = append(names, tool.Name)
		if tool.Title == "" || tool.Description == "" || tool.OutputSchema == nil || tool.Annotations == nil || *tool.Annotations.OpenWorldHint {
			t.Errorf("%s is not complete: %+v", tool.Name, tool)
		}
		if reads := tool.Name != "edit"; tool.Annotations.ReadOnlyHint != reads {
			t.Errorf("%s has annotations %+v", tool.Name, tool.Annotations)
		}
		fields := tool.OutputSchema.(map[string]any)["properties"].(map[string]any)
		if len(fields) == 0 {
			t.Errorf("%s names no field of its answer", tool.Name)
		}
	}
	if want := []string{"catalog", "check", "describe", "edit", "export", "fit", "fix", "import", "lint", "plan", "rank"}; !slices.Equal(names, want) {
		t.Errorf("tools %v, want %v", names, want)
	}
}

// TestTheListsOfTheCatalogueAreShort holds catalog without arguments, text and body together, and resources/list to 6,000 characters.
func TestTheListsOfTheCatalogueAreShort(t *testing.T) {
	const most = 6000
	s := connect(t, folder(t), nil, "wrong.json")
	result, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: "catalog"})
	if err != nil {
		t.Fatal(err)
	}
	resources, err := s.ListResources(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, list := range map[string]any{"catalog": result, "resources/list": resources} {
		text, err := json.Marshal(list)
		if err != nil || len(text) >= most {
			t.Errorf("%s has %d characters, not under %d (%v)", name, len(text), most, err)
		}
		t.Logf("%s has %d characters", name, len(text))
	}
	text := result.Content[0].(*sdk.TextContent).Text
	for _, typ := range catalog.Types() {
		if !strings.Contains(text, " "+typ.ID) {
			t.Errorf("catalog does not list %s", typ.ID)
		}
	}
}

func TestNothingWritesUnlessItWasAllowed(t *testing.T) {
	s := connect(t, folder(t), nil)
	r, err := s.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range r.Tools {
		if tool.Name == "edit" {
			t.Error("edit is served without --write")
		}
	}
	if _, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: "edit", Arguments: json.RawMessage(`{"model":"wrong.json","changes":[]}`)}); err == nil {
		t.Error("edit is called without --write")
	}
}

// outputs are the output schemas by tool.
func outputs(t *testing.T, tools []*sdk.Tool) map[string]*jsonschema.Schema {
	t.Helper()
	schemas := map[string]*jsonschema.Schema{}
	for _, tool := range tools {
		c := jsonschema.NewCompiler()
		if err := c.AddResource("s.json", tool.OutputSchema); err != nil {
			t.Fatal(err)
		}
		schemas[tool.Name] = c.MustCompile("s.json")
	}
	return schemas
}

// TestEveryToolAnswers calls every tool, with references of every kind and with inline graphs, and holds the answers to the output schemas.
func TestEveryToolAnswers(t *testing.T) {
	dir := folder(t)
	s := connect(t, dir, nil, "--write", "wrong.json")
	tools, err := s.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	schemas, called := outputs(t, tools.Tools), map[string]bool{}
	for _, c := range []struct{ tool, args, text string }{
		{"check", `{}`, "block: "}, {"check", `{"model":"right.json"}`, "ask: "}, {"check", `{"model":` + wrong + `}`, `edit: [{"component":"b","param":"inFeatures","value":16}]`},
		{"check", `{"model":"llm"}`, "The model runs"}, {"check", `{"model":"llm/config.json"}`, "The model runs"}, {"check", `{"model":"net.graph"}`, "The model runs"}, {"check", fmt.Sprintf(`{"model":%q}`, filepath.Join(dir, "right.json")), "The model runs"},
		{"check", `{"model":"hears"}`, "block: "}, {"check", `{"model":"hears","textOnly":true}`, "The model runs"}, {"lint", `{"model":"hears","textOnly":true}`, "pass: 0 block"},
		{"lint", `{"model":"wrong.json"}`, "fail: 1 block"}, {"plan", `{"model":"right.json","base":"wrong.json"}`, "repaired"}, {"plan", `{"model":"llm","training":{"gpu":"T4"}}`, "parameters"},
		{"rank", `{"candidates":[{"model":"wrong.json"},{"model":"right.json"}]}`, "1 of 2 candidates run"},
		{"fit", `{"model":"right.json","data":{"features":9}}`, "data: block"}, {"fit", `{"model":"right.json","data":"data"}`, "data: "}, {"fit", `{"model":"llm","layout":{"tp":5}}`, "layout: block"},
		{"fit", `{"model":"llm","serve":{"command":"vllm serve x --tensor-parallel-size 5","gpu":"H100"}}`, "serve: block"},
		{"describe", `{}`, "does not run"}, {"describe", `{"model":"right.json","component":"b"}`, "reads r [16]"}, {"describe", `{"model":"right.json","from":"x","to":"b"}`, "- a linear [16]"},
		{"describe", `{"model":"right.json","block":"a"}`, "a: 1 components"}, {"describe", `{"model":"llm","top":3}`, "heaviest"},
		{"fix", `{"model":"net.py:build","inputs":["8"]}`, "Nothing blocks."}, {"fix", `{"model":"wrong.json"}`, ""},
		{"import", `{"model":"llm"}`, "GPT2LMHeadModel"}, {"import", `{"model":"net.py:build","inputs":["8"]}`, "212 parameters"}, {"import", `{"model":` + right + `,"graph":false}`, "212 parameters"},
		{"export", `{"model":"right.json","to":"torch"}`, "nn.Linear"}, {"export", `{"model":"right.json","to":"mermaid"}`, "flowchart"}, {"export", `{"to":"svg"}`, "<svg"}, {"export", `{"to":"notation"}`, "x: input"}, {"export", `{"to":"graph"}`, "components"},
		{"check", `{"model":"resnet18"}`, "The model runs"}, {"check", `{"model":{"source":` + source + `},"inputs":["1,8"]}`, "The model runs"},
		{"check", `{"model":{"source":` + source + `,"class":"Net"},"inputs":["1,7"]}`, "block: "}, {"import", `{"model":{"source":` + source + `},"inputs":["1,8"]}`, "212 parameters"},
		{"rank", `{"candidates":[{"id":"code","model":{"source":` + source + `}},{"model":"right.json"}]}`, "candidates run"}, {"export", `{"model":{"source":` + source + `},"to":"notation"}`, "code=Linear"},
		{"plan", `{"model":{"source":` + source + `},"inputs":["1,8"],"base":"right.json"}`, "212"},
		{"describe", `{"model":"resnet18","search":"conv","top":2}`, "conv: 20 components"}, {"describe", `{"model":"resnet18","group":"type"}`, "- conv2d: 20 components, 11,166,912 parameters"},
		{"describe", `{"model":"llm","group":"block","top":50}`, "components"}, {"describe", `{"model":"right.json","search":"nowhere"}`, "nowhere: 0 components"},
		{"catalog", `{}`, "linear, "}, {"catalog", `{"group":"rules"}`, "linear-in-mismatch"}, {"catalog", `{"group":"models","search":"llama"}`, "llama"}, {"catalog", `{"type":"Conv2d"}`, "conv2d"}, {"catalog", `{"rule":"cycle"}`, "cycle (block)"}, {"catalog", `{"search":"attention"}`, "multiHeadAttention"},
		{"edit", `{"model":` + wrong + `,"changes":[{"component":"b","param":"inFeatures","value":16}]}`, "changed, nothing written"},
		{"edit", `{"changes":[{"op":"change","component":"b","params":{"in_features":16}}]}`, "written to wrong.json"},
	} {
		r := call(t, s, c.tool, c.args)
		called[c.tool] = true
		if r.failed || !strings.Contains(r.text, c.text) {
			t.Errorf("%s %.120s: %s, want %s", c.tool, c.args, r.text, c.text)
		}
		if err := schemas[c.tool].Validate(r.body); err != nil || len(r.body) == 0 {
			t.Errorf("%s %.120s: the answer is not as its schema says: %v", c.tool, c.args, err)
		}
		declared := map[string]bool{}
		for _, tool := range tools.Tools {
			if tool.Name == c.tool {
				for name := range tool.OutputSchema.(map[string]any)["properties"].(map[string]any) {
					declared[name] = true
				}
			}
		}
		for name := range r.body {
			if !declared[name] {
				t.Errorf("%s answers with %s, which its schema does not name", c.tool, name)
			}
		}
	}
	for name := range schemas {
		if !called[name] {
			t.Errorf("%s was not called", name)
		}
	}
}

// keysIn are the keys that a description names: what stands in brackets behind one are the words that it takes.
func keysIn(description string) []string {
	bare := regexp.MustCompile(` [({][^)}]*[)}]`).ReplaceAllString(description, "")
	return strings.Split(bare, ", ")
}

// TestOptionObjectsTakeTheKeysOfTheirSchema asks for a key that no object has: the answer names those that the schema declares.
func TestOptionObjectsTakeTheKeysOfTheirSchema(t *testing.T) {
	s := connect(t, folder(t), nil)
	tools, err := s.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	objects := 0
	for _, tool := range tools.Tools {
		for name, property := range tool.InputSchema.(map[string]any)["properties"].(map[string]any) {
			said, _ := property.(map[string]any)["description"].(string)
			declared, ok := map[string][]string{
				"policy": keysIn(said), "data": keysIn(strings.Trim(strings.TrimPrefix(said, "folder in the root, or "), "{}")), "layout": keysIn(said),
				"serve": keysIn(said), "training": keysIn(said), "inference": keysIn(said),
			}[name]
			if !ok || said == "" {
				continue
			}
			objects++
			model := `"model":"right.json"`
			if tool.Name == "rank" {
				model = `"candidates":[{"model":"right.json"}]`
			}
			required := ""
			if name == "serve" {
				required = `"command":"vllm serve x",`
			}
			r := call(t, s, tool.Name, fmt.Sprintf(`{%s,%q:{%s"surely_not":1}}`, model, name, required))
			allowed, _ := r.body["allowed"].([]any)
			if !r.failed || r.body["code"] != "unknown-key" || r.body["path"] != name+".surely_not" || len(allowed) != len(declared) {
				t.Errorf("%s %s: %v", tool.Name, name, r.body)
			}
			for _, key := range allowed {
				if !slices.Contains(declared, key.(string)) {
					t.Errorf("%s: the schema of %s lacks %s", tool.Name, name, key)
				}
			}
		}
	}
	if objects != 6 { // policy, data, layout, serve, training and inference
		t.Errorf("%d objects of options", objects)
	}
}

// TestErrorsSayWhatToDo holds that a call which cannot be served gets a code and a next step, and leaves the server as it was.
func TestErrorsSayWhatToDo(t *testing.T) {
	s := connect(t, folder(t), nil, "--write")
	tools, err := s.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	schemas := outputs(t, tools.Tools)
	deep := strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200)
	many := `{"components":[` + strings.TrimSuffix(strings.Repeat(`{"type":"relu"},`, 2001), ",") + `]}`
	for _, c := range []struct{ tool, args, code, next string }{
		{"check", `{}`, "missing-field", "Give a path inside the root"}, {"check", `{"model":5}`, "wrong-type", "Change the value"}, {"check", `{"model":"absent.json"}`, "model-not-found", "inside the root"},
		{"check", `{"model":""}`, "model-not-found", "Give a path"}, {"check", `{"model":"broken.json"}`, "invalid-json", ""}, {"check", `{"model":"empty.json"}`, "malformed-file", "Correct the file"},
		{"check", `{"model":{"components":[],"config":` + deep + `}}`, "too-deep", ""}, {"check", `{"model":` + many + `}`, "too-many-components", "command line"},
		{"lint", `{"model":{"components":5}}`, "wrong-type", ""}, {"plan", `{"model":"right.json","attention":"fast"}`, "unknown-value", "one of the words"}, {"rank", `{"candidates":[]}`, "", ""},
		{"fit", `{"model":"right.json"}`, "missing-field", "at least one"}, {"fit", `{"model":"right.json","data":"right.json"}`, "model-not-found", "folder"}, {"fit", `{"model":"llm","serve":{}}`, "missing-field", ""},
		{"describe", `{"model":"right.json","component":"zz"}`, "unknown-name", "ids"}, {"describe", `{"model":"right.json","from":"b","to":"x"}`, "malformed-value", "other direction"}, {"describe", `{"model":"right.json","from":"b"}`, "missing-field", "together"},
		{"import", `{"model":"net.py:absent"}`, "", ""}, {"import", `{"model":"net.py","args":{"a":1}}`, "wrong-type", "strings"}, {"export", `{"model":"wrong.json","to":"torch"}`, "model-refused", "Repair the model"},
		{"export", `{"model":"right.json","to":"keras"}`, "unknown-value", ""}, {"export", `{"model":"right.json"}`, "missing-field", "torch"}, {"catalog", `{"type":"convd2"}`, "unknown-name", "Did you mean"}, {"catalog", `{"group":"layers"}`, "unknown-name", "convolution"},
		{"check", `{"model":{"source":"import torch\ndef f(:\n"}}`, "", ""}, {"check", `{"model":{"source":"x = 1"}}`, "", ""}, {"describe", `{"model":"right.json","group":"colour"}`, "unknown-value", ""}, {"catalog", `{"rule":"cycel"}`, "unknown-name", "Did you mean cycle"},
		{"edit", `{"model":"right.json"}`, "wrong-type", ""}, {"edit", `{"model":"right.json","changes":[{"op":"burn"}]}`, "unknown-value", ""}, {"edit", `{"model":"right.json","changes":[{"op":"remove","component":"zz"}]}`, "malformed-value", ""},
		{"edit", `{"model":"right.json","changes":[{"op":"add","component":"a","type":"relu"}]}`, "malformed-value", ""}, {"edit", `{"model":"llm","changes":[{"op":"remove","component":"a"}]}`, "cannot-be-edited", "import it"},
		{"edit", `{"model":"noted.graph","changes":[{"op":"add","component":"n","type":"input","params":{"shape":[8]}},{"op":"connect","from":"n","to":"o","at":0}]}`, "cannot-be-edited", "comments"}, {"edit", `{"model":"right.json","digest":"00","changes":[{"op":"remove","component":"o"}]}`, "model-changed", "Read it again"},
	} {
		r := call(t, s, c.tool, c.args)
		code, _ := r.body["code"].(string)
		if err := schemas[c.tool].Validate(r.body); err != nil { // clients hold errors to the schema, too
			t.Errorf("%s %.150s: %v", c.tool, c.args, err)
		}
		if !r.failed || c.code != "" && code != c.code || !strings.Contains(r.text, c.next) || strings.Count(r.text, "\n") == 0 {
			t.Errorf("%s %.150s: failed %v, code %q: %s; want %s with %q", c.tool, c.args, r.failed, code, r.text, c.code, c.next)
		}
	}
	if r := call(t, s, "check", `{"model":"right.json"}`); r.failed {
		t.Errorf("the server does not serve any more: %s", r.text)
	}
}
