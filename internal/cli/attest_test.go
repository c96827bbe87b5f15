package cli

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/modelverifier/verifier/internal/attest"
)

func TestSecretsAreNotRecorded(t *testing.T) {
	for _, c := range [][2]string{
		{"--api-key|abc", "--api-key|REDACTED"},
		{"--api-key=abc", "--api-key=REDACTED"},
		{"--admin-api-key|abc", "--admin-api-key|REDACTED"},
		{"--hf-token|abc", "--hf-token|REDACTED"},
		{"--ngrok-authtoken|abc", "--ngrok-authtoken|REDACTED"},
		{"--ssl-keyfile-password|abc", "--ssl-keyfile-password|REDACTED"},
		{"-e|HF_TOKEN=abc", "-e|HF_TOKEN=REDACTED"},
		{"HUGGING_FACE_HUB_TOKEN=abc", "HUGGING_FACE_HUB_TOKEN=REDACTED"},
		{"AWS_SECRET_ACCESS_KEY=abc", "AWS_SECRET_ACCESS_KEY=REDACTED"},
		{"AWS_ACCESS_KEY_ID=abc", "AWS_ACCESS_KEY_ID=abc"},
		{"docker run -e HF_TOKEN=abc img --api-key 'a b' --port 1", "docker run -e HF_TOKEN=REDACTED img --api-key REDACTED --port 1"},
		{`sh -c "HF_TOKEN='abc' x"`, `sh -c "HF_TOKEN='REDACTED' x"`},
		{`sh -c "x --api-key='a b' y"`, `sh -c "x --api-key='REDACTED' y"`},
		{"||", ""},
		{"--served|hf_abcdefghijklmnopqrstu", "--served|REDACTED"},
		{"--x|sk-abcdefghijklmnopqrstu", "--x|REDACTED"},
		{"--header|Authorization: Bearer abcdefghijkl", "--header|Authorization: Bearer REDACTED"},
		{"https://me:abc@example.com/x", "https://me:REDACTED@example.com/x"},
		{"--token=$HF_TOKEN", "--token=$HF_TOKEN"},
		{"--max-model-len|4096|--tokenizer|abc|--max-prompt-adapter-token|5", ""},
		{"--max-num-batched-tokens=8192|--tokenizer-mode|auto|--image-token-id|7", ""},
		{"--ssl-keyfile|key.pem|--api-key-file|keys|--routing-key|abc", ""},
		{"--api-key|--port|1", ""},
		{"--api-key|a|b|--port|1", "--api-key|REDACTED|REDACTED|--port|1"},
		{"--api-key|-tp|2", ""},
		{"--api-key|123456789", "--api-key|REDACTED"},
		{"--password|1234", "--password|REDACTED"},
		{"vllm serve m --api-key \"a\" b -tp 2", "vllm serve m --api-key REDACTED REDACTED -tp 2"},
		{"export HF_TOKEN=abc; vllm serve m", "export HF_TOKEN=REDACTED; vllm serve m"},
		{"HF_TOKEN=abc&& vllm serve m|x", "HF_TOKEN=REDACTED&& vllm serve m|x"},
		{"--header|Authorization: Bearer x", "--header|Authorization: Bearer REDACTED"},
		{"--header|X-Api-Key: a b|X-Other: c", "--header|X-Api-Key: REDACTED|X-Other: c"},
		{`serve --header "Authorization: Bearer x" --port 1`, `serve --header "Authorization: Bearer REDACTED" --port 1`},
		{"-H|Cookie: session=abc", "-H|Cookie: REDACTED"},
		{`{"hf_token": "abc", "n": 1}`, `{"hf_token": "REDACTED", "n": 1}`},
		{`--x={"a":{"apiKey":"k"}}`, `--x={"a":{"apiKey":"REDACTED"}}`},
		{`--x|{"api_keys": ["k", "l"], "max_tokens": 5}`, `--x|{"api_keys": ["REDACTED", "REDACTED"], "max_tokens": 5}`},
		{`--x|{"password": 1234}`, `--x|{"password": "REDACTED"}`},
		{`serve --x '{"hf_token": "abc"}' --port 1`, `serve --x '{"hf_token": "REDACTED"}' --port 1`},
		{`serve --x "{\"hf_token\": \"abc\"}" --port 1`, `serve --x "{\"hf_token\": \"REDACTED\"}" --port 1`},
		{"https://x.example/?token=abc&b=1", "https://x.example/?token=REDACTED&b=1"},
		{"https://x.example/m?a=1&key=zz#f", "https://x.example/m?a=1&key=REDACTED#f"},
		{"s3://b/m?X-Amz-Signature=abc", "s3://b/m?X-Amz-Signature=REDACTED"},
		{`{"tokenizer": "abc", "max_new_tokens": 5, "pad_token": "<pad>"}`, ""},
		{"https://x.example/?tokens=5&page=2", ""},
		{"org/sk-model|risk-based-model-of-many-words", ""},
	} {
		want := c[1]
		if want == "" {
			want = c[0]
		}
		got, found := redact(strings.Split(c[0], "|"))
		if strings.Join(got, "|") != want || found != (want != c[0]) {
			t.Errorf("%s gives %q (%t), want %s", c[0], got, found, want)
		}
		if again, found := redact(got); found || !slices.Equal(again, got) {
			t.Errorf("%q is redacted again, to %q", got, again)
		}
	}
}

func TestRecordFlagsAreTakenOutOfTheCommandLine(t *testing.T) {
	for _, c := range [][2]string{
		{"check|m|--attest|out", "check|+|m"},
		{"check|--attest=out|m", "check|+|m"},
		{"--json|check|--attest|out|m|--fail-on|warn", "--json|check|+|m|--fail-on|warn"},
		{"check|m|--data|--attest|--attest|out", "check|+|m|--data|--attest"},
		{"check|-qv|m|--allow-symlinks|--ignore-paths|a|--ignore-paths=b", "check|+|-qv|m"},
		{"serve-check|m|--attest|out|--|vllm|--attest|x", "serve-check|+|m|--|vllm|--attest|x"},
		{"check|--|m", "check|+|--|m"},
		{"check|m|--attest", "check|+|m"},
		{"check|m|--source|s.py|--policy|none|--attest-time|t|--attest-url|u|--attest-key|k|--attest-format|dsse|--attest-predicate|p", "check|+|m|--source|s.py|--policy|none"},
	} {
		args := strings.Split(c[0], "|")
		cmd, _, err := Root().Find(args)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(without(cmd, args, recordFlags, []string{"+"}), "|"); got != c[1] {
			t.Errorf("%s gives %s, want %s", c[0], got, c[1])
		}
	}
}

// repeated are the flags that a rerun gives again. A flag must be in one of the lists: one that writes a file must not be run from a
// record that someone else wrote.
var repeated = append([]string{"policy", "request", "site-packages", "require-complete", "severity", "now", "data", "base", "source", "suggest", "top", "command-file", "from", basePolicyFlag}, fillable...)

func TestEveryFlagIsRepeatedOrNot(t *testing.T) {
	for _, name := range []string{"check", "layout", "serve-check", "policy-apply"} {
		cmd, _, err := Root().Find([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		visit := func(f *pflag.Flag) {
			n := 0
			for _, list := range [][]string{recordFlags, unrepeated, repeated} {
				if slices.Contains(list, f.Name) {
					n++
				}
			}
			if n != 1 && f.Name != "help" {
				t.Errorf("--%s of %s is in %d of the lists recordFlags, unrepeated and repeated", f.Name, name, n)
			}
		}
		cmd.Flags().VisitAll(visit)
		cmd.InheritedFlags().VisitAll(visit)
	}
}

func attested(c *cobra.Command) bool { return c.Flags().Lookup("attest") != nil }

func TestExactlyTheCommandsOfTheSpecificationAreAttested(t *testing.T) {
	var got []string
	for _, c := range Root().Commands() {
		if attested(c) {
			got = append(got, c.Name())
		}
	}
	if want := []string{"check", "layout", "policy-apply", "serve-check"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

const tinyGraph = "x: input shape=[8]\nl: linear outFeatures=4\no: output\nx -> l -> o\n"

// A model that changes after it was judged leaves no record. The command waits to print its report until then.
func TestAModelThatChangesDuringTheRunLeavesNoRecord(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, dir string){
		"nothing": func(*testing.T, string) {},
		"graph":   func(t *testing.T, dir string) { put(t, filepath.Join(dir, "m", "graph.json"), "{}") },
		"more":    func(t *testing.T, dir string) { put(t, filepath.Join(dir, "m", "more"), "x") },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			put(t, "m/graph.json", `{"components":[{"id":"x","type":"input","params":{"shape":[8]}},{"id":"o","type":"output"}],"connections":[{"from":"x","to":"o"}]}`)
			done, judged, changed := make(chan int, 1), make(chan bool), make(chan bool)
			var stderr bytes.Buffer
			go func() {
				done <- Main([]string{"check", "m", "--attest", "r.json"}, strings.NewReader(""), &waiting{judged: judged, changed: changed}, &stderr)
			}()
			<-judged
			change(t, dir)
			close(changed)
			code := <-done
			_, err := os.Stat("r.json")
			if name == "nothing" {
				if code != exitClean || err != nil {
					t.Errorf("exit %d, %v, %s", code, err, &stderr)
				}
				return
			}
			if code != exitUsage || err == nil || !strings.Contains(stderr.String(), "changed while it was being read") {
				t.Errorf("exit %d, record %v, %s", code, err, &stderr)
			}
		})
	}
}

// waiting says when the report is written, which is behind the verdict and before the record, and lets it go on later.
type waiting struct {
	judged, changed chan bool
	once            sync.Once
}

func (w *waiting) Write(p []byte) (int, error) {
	w.once.Do(func() { close(w.judged); <-w.changed })
	return len(p), nil
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestTheRecordIsWrittenWholeAndReadable(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "m.graph", tinyGraph)
	put(t, "r.json", "old")
	var out, errs bytes.Buffer
	if code := Main([]string{"check", "m.graph", "--attest", "r.json"}, strings.NewReader(""), &out, &errs); code != exitClean {
		t.Fatal(errs.String())
	}
	info, err := os.Stat("r.json")
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v %v", info, err)
	}
	entries, err := fs.ReadDir(os.DirFS("."), ".")
	if err != nil || len(entries) != 2 {
		t.Errorf("%v is left behind, %v", entries, err)
	}
	data, err := os.ReadFile("r.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := attest.Parse(data); err != nil {
		t.Error(err)
	}
}

func TestManyFilesAreNoted(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "m/graph.json", `{"components":[{"id":"x","type":"input","params":{"shape":[8]}},{"id":"o","type":"output"}],"connections":[{"from":"x","to":"o"}]}`)
	for i := range 1023 {
		put(t, filepath.Join("m", "d", strings.Repeat("a", i/100+1)+string(rune('a'+i%26))+strings.Repeat("b", i%100)), "")
	}
	put(t, "m/one-more", "")
	var out, errs bytes.Buffer
	if code := Main([]string{"check", "m", "--attest", "r.json"}, strings.NewReader(""), &out, &errs); code != exitClean || !strings.Contains(errs.String(), "cosign and gh refuse records of more than 1023") {
		t.Errorf("exit %d, %s", code, &errs)
	}
}

// Weights that contradict the description are a finding of check, and of its record.
func TestStoredWeightsThatContradictTheConfigAreAFinding(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "m/config.json", `{"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_layer": 1, "n_head": 2, "n_embd": 8, "vocab_size": 16, "n_positions": 8}`)
	header := `{"transformer.wte.weight":{"dtype":"F32","shape":[17,8],"data_offsets":[0,544]}}`
	size := make([]byte, 8)
	binary.LittleEndian.PutUint64(size, uint64(len(header)))
	put(t, "m/model.safetensors", string(size)+header+strings.Repeat("\x00", 544))
	var out, errs bytes.Buffer
	if code := Main([]string{"check", "m", "--attest", "r.json"}, strings.NewReader(""), &out, &errs); code != exitClean {
		t.Fatal(code, errs.String())
	}
	if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), "of the weights that are stored, 1 is of another shape (transformer.wte.weight: derived [16,8], stored [17,8])") {
		t.Errorf("check says %s", out.String())
	}
	record, err := os.ReadFile("r.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"result": "WARNED"`, `"check/stored-weights"`, `"title": "The stored weights are not those of the description"`} {
		if !bytes.Contains(record, []byte(part)) {
			t.Errorf("the record lacks %s", part)
		}
	}
}
