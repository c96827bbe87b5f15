package llm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/llm"
	"github.com/modelverifier/verifier/internal/llm/llmtest"
)

var update = flag.Bool("update", false, "write the requests into the transcripts")

var question = llm.Question{System: "Answer briefly.", User: "ask me this"}

// asked asks a provider that answers from a transcript, and returns how long it was waited between attempts.
func asked(t *testing.T, format, transcript string, change func(*llm.Config)) (llm.Answer, []time.Duration, error) {
	t.Helper()
	p := llmtest.New(t, *update)
	p.Load("testdata/" + transcript + "." + format + ".json")
	var waits []time.Duration
	c := p.Config(format)
	c.Wait = func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }
	if change != nil {
		change(&c)
	}
	client, err := llm.New(c)
	if err != nil {
		t.Fatal(err)
	}
	a, err := client.Ask(t.Context(), question)
	p.Done()
	return a, waits, err
}

func TestAProviderIsAsked(t *testing.T) {
	const ms = time.Millisecond
	good := llm.Answer{Text: "Hello.", Model: "test-model-0101"}
	for transcript, c := range map[string]struct {
		want   llm.Answer
		says   string
		waits  []time.Duration
		change func(*llm.Config)
	}{
		"answer":                       {want: good},
		"rate-limited-then-answer":     {want: good, waits: []time.Duration{7 * time.Second}},
		"overloaded-twice-then-answer": {want: good, waits: []time.Duration{500 * ms, 1000 * ms}},
		"overloaded-for-good":          {says: "it answered with status 5?? (overloaded_error)", waits: []time.Duration{500 * ms, 1000 * ms}},
		"rate-limited-for-an-hour":     {says: "it answered with status 429 (rate_limit_error)"},
		"wrong-key":                    {says: "it answered with status 401 (*_error)"},
		"bad-request":                  {says: "it answered with status 400 (invalid_request_error)"},
		"error-in-prose":               {says: "it answered with status 500", waits: []time.Duration{500 * ms, 1000 * ms}},
		"refusal":                      {says: "its answer is a refusal of the model"},
		"cut":                          {want: llm.Answer{Text: "Hel", Model: "test-model-0101", Cut: true}},
		"not-json":                     {says: "its answer is no *"},
		"another-format":               {says: "its answer is no *"},
		"ten-megabytes":                {says: "its answer is larger than 1048576 bytes, and was cut off"},
		"moved":                        {says: "it answered with status 307"},
		"never":                        {says: "it did not answer in time", change: func(c *llm.Config) { c.Timeout = 100 * ms }},
	} {
		for _, format := range llm.Formats() {
			t.Run(transcript+"/"+format, func(t *testing.T) {
				a, waits, err := asked(t, format, transcript, c.change)
				if c.says == "" && (err != nil || a != c.want) {
					t.Errorf("%+v, %v, want %+v", a, err, c.want)
				}
				if c.says != "" && (err == nil || !like("provider unavailable: "+c.says, err.Error())) {
					t.Errorf("%v, want %s", err, c.says)
				}
				if fmt.Sprint(waits) != fmt.Sprint(c.waits) {
					t.Errorf("waited %v, want %v", waits, c.waits)
				}
				if err != nil && (strings.Contains(err.Error(), llmtest.Key) || strings.Contains(err.Error(), question.User)) {
					t.Errorf("the error repeats what was sent: %v", err)
				}
			})
		}
	}
}

// like compares a text with one in which ? stands for a character and * for some.
func like(pattern, text string) bool {
	if pattern == "" {
		return text == ""
	}
	switch {
	case pattern[0] == '*':
		return like(pattern[1:], text) || text != "" && like(pattern, text[1:])
	case text == "":
		return false
	case pattern[0] == '?' || pattern[0] == text[0]:
		return like(pattern[1:], text[1:])
	}
	return false
}

func TestWhatAProviderAsksToWaitForIsPassedOn(t *testing.T) {
	_, _, err := asked(t, "messages", "rate-limited-for-an-hour", nil)
	if e := (*llm.Error)(nil); !errors.As(err, &e) || e.RetryAfter != time.Hour || e.Status != 429 || e.Kind != "rate_limit_error" {
		t.Errorf("%+v", err)
	}
}

func TestAProviderThatIsNotThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	tries := 0
	c, err := llm.New(llm.Config{Format: "chat", URL: "http://" + l.Addr().String() + "/v1", Model: "m", Wait: func(context.Context, time.Duration) error { tries++; return nil }})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Ask(t.Context(), question)
	if err == nil || err.Error() != "provider unavailable: it could not be reached, or broke off" || tries != 2 {
		t.Errorf("%d tries, %v", tries, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Ask(gone, question); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that went away: %v", err)
	}
}

func TestAKeyIsInNothingThatIsPrinted(t *testing.T) {
	c := llm.Config{Format: "chat", Model: "m", Key: llm.NewKey(" " + llmtest.Key + "\n")}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("config", "config", c, "key", c.Key)
	slog.New(slog.NewTextHandler(&log, nil)).Info("config", "config", c, "key", c.Key)
	data, err := json.Marshal(c.Key)
	all := fmt.Sprintf("%v %+v %#v %s %q %s %s", c, c, c, c.Key, c.Key, data, &log)
	if err != nil || strings.Contains(all, llmtest.Key) || !strings.Contains(all, "[key]") {
		t.Errorf("%v %s", err, all)
	}
	client, err := llm.New(c)
	if all := fmt.Sprintf("%v %+v %#v", client, client, client); err != nil || strings.Contains(all, llmtest.Key) {
		t.Errorf("%v %s", err, all)
	}
}

func TestWrongSettingsAreNamed(t *testing.T) {
	for want, c := range map[string]llm.Config{
		`the format of the provider is "gpt" but must be one of chat, messages`: {Format: "gpt", Model: "m"},
		"no model of the provider is named":                                     {Format: "chat"},
		"the address of the provider must be http or https":                     {Format: "chat", Model: "m", URL: "file:///etc/passwd"},
		"a host and a path alone, such as https://api.anthropic.com":            {Format: "messages", Model: "m", URL: "https://user:secret@host/"},
		"the key of the provider has spaces":                                    {Format: "chat", Model: "m", Key: llm.NewKey("a b")},
	} {
		_, err := llm.New(c)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "a b") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestATranscriptFailsOnAnotherRequest has the recording differ from what is sent.
func TestATranscriptFailsOnAnotherRequest(t *testing.T) {
	if *update {
		t.Skip("writes the request instead")
	}
	seen := &failures{TB: t}
	p := llmtest.New(seen, false)
	p.Load("testdata/answer.chat.json")
	c, err := llm.New(p.Config("chat"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Ask(t.Context(), llm.Question{System: question.System, User: "something else"}); err == nil || seen.n == 0 {
		t.Errorf("%d failures, %v", seen.n, err)
	}
	n := seen.n
	p.Load("testdata/answer.chat.json")
	p.Done()
	if seen.n != n+1 {
		t.Error("a request that did not come was not noticed")
	}
}

// failures counts what would fail a test.
type failures struct {
	testing.TB
	n int
}

func (f *failures) Errorf(string, ...any) { f.n++ }
