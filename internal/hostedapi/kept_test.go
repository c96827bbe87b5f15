package hostedapi_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/share"
	"github.com/modelverifier/verifier/internal/store/pgtest"
)

func TestHistoryIsKeptOnceAndShownInPlans(t *testing.T) {
	both(t, func(t *testing.T, database string) {
		s := start(t, database)
		o := s.tenant(t, "Alpha")
		first := s.call(t, "POST", "/api/v1/plan", o.key, request("", 3))
		fingerprint := first.json(t, "plan.model.fingerprint").(string)
		if first.json(t, "plan.history") != nil || strings.Contains(first.body, "last run") {
			t.Errorf("there is no history yet: %s", first.body)
		}
		outcome := `{"fingerprint":"` + fingerprint + `","metric":"val_acc","value":0.91234,"epochs":3,"wallSec":61.5,"estCostUsd":0.25,"source":"test","at":"2026-01-02T03:04:05Z"}`
		for i, want := range []string{"written", "already"} {
			if got := s.call(t, "POST", "/api/v1/history", o.key, outcome); got.status != 200 || strings.TrimSpace(got.body) != `{"ledger":"`+want+`"}` {
				t.Errorf("time %d: %d %s", i, got.status, got.body)
			}
		}
		for day := range 25 {
			at := time.Date(2026, 2, 1+day, 0, 0, 0, 0, time.UTC).Format(time.RFC3339)
			body := `{"fingerprint":"` + fingerprint + `","metric":"val_acc","value":` + string(rune('0'+day%10)) + `,"epochs":2,"estCostUsd":12.5,"at":"` + at + `"}`
			if got := s.call(t, "POST", "/api/v1/history", o.key, body); got.status != 200 {
				t.Fatal(got.body)
			}
		}
		var h struct {
			Fingerprint string
			Rows        []struct {
				At, Metric, Source string
				Value              float64
				Epochs             int
			}
		}
		got := s.call(t, "GET", "/api/v1/history?fingerprint="+fingerprint, o.key, "")
		if err := json.Unmarshal([]byte(got.body), &h); err != nil {
			t.Fatal(err)
		}
		if h.Fingerprint != fingerprint || len(h.Rows) != 20 || h.Rows[0].At != "2026-02-25T00:00:00Z" || h.Rows[0].Source != "api" || h.Rows[19].At != "2026-02-06T00:00:00Z" {
			t.Errorf("%s", got.body)
		}
		plan := s.call(t, "POST", "/api/v1/plan", o.key, request("other names", 3))
		if rows, _ := plan.json(t, "plan.history.rows").([]any); len(rows) != 20 {
			t.Errorf("%d rows in the plan", len(rows))
		}
		for _, rendering := range []string{"text", "markdown"} {
			if text := plan.json(t, rendering).(string); !strings.Contains(text, "val_acc 4 after 2 epochs for $12.50 on 2026-02-25") {
				t.Errorf("%s: %s", rendering, text)
			}
		}
		if keyless := s.call(t, "POST", "/api/v1/plan", "", request("", 3)); keyless.json(t, "plan.history") != nil {
			t.Error("history without a key")
		}
	})
}

func TestEveryCallUnderAKeyIsOneRowOfTheCorpus(t *testing.T) {
	both(t, func(t *testing.T, database string) {
		s := start(t, database)
		o := s.tenant(t, "Alpha")
		ranked := `{"candidates":[{"model":` + model("", 5) + `},{"model":` + model("", 6) + `}]` // tied: the row is that of the first
		for _, c := range []struct{ path, body string }{{"check", request("", 3)}, {"lint", request("", 4)}, {"rank", ranked + "}"},
			{"rank", strings.ReplaceAll(ranked, model("", 5), model("", 10)) + `,"tieBreak":"params"}`}, {"plan", `{"model":` + model("", 7) + `,"base":` + model("", 8) + `}`},
			{"fix", `{"model":` + model("", 11) + `,"findings":[],"files":[]}`}} {
			if got := s.call(t, "POST", "/api/v1/"+c.path, o.key, c.body); got.status != 200 {
				t.Fatalf("%s: %d %s", c.path, got.status, got.body)
			}
		}
		s.call(t, "POST", "/api/v1/plan", "", request("", 9)) // without a key: none
		s.call(t, "POST", "/api/v1/check", o.key, "{}")       // refused: none
		s.stop()
		again := start(t, database)
		got := again.call(t, "GET", "/api/v1/report", "", "")
		if got.json(t, "rows") != 6.0 || got.json(t, "structures") != 6.0 {
			t.Errorf("%s", got.body)
		}
	})
}

// contents is everything that a database holds, as bytes on the disk or as a dump.
func contents(t *testing.T, database string) []byte {
	t.Helper()
	path, ok := strings.CutPrefix(database, "sqlite:")
	if !ok {
		return pgtest.Dump(t, database)
	}
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var all []byte
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, data...)
	}
	return all
}

// TestNothingIsKeptOfAPlanUnlessItIsShared looks for marks in the database, with and without a key, and at the page of one that is.
func TestNothingIsKeptOfAPlanUnlessItIsShared(t *testing.T) {
	both(t, func(t *testing.T, database string) {
		s := start(t, database)
		o := s.tenant(t, "Alpha")
		for _, key := range []string{"", o.key} {
			for _, share := range []string{``, `,"share":false`} {
				if got := s.call(t, "POST", "/api/v1/plan", key, `{"model":`+model("secretmark", 3)+share+`}`); got.status != 200 || got.json(t, "share") != nil {
					t.Fatalf("%d %s", got.status, got.body)
				}
			}
		}
		s.call(t, "POST", "/api/v1/check", o.key, request("secretmark", 3))
		keyed := s.call(t, "POST", "/api/v1/plan", o.key, `{"model":`+model("openmark", 3)+`,"base":`+model("basemark", 4)+`,"extra":"extramark","share":true}`)
		loose := s.call(t, "POST", "/api/v1/plan", "", `{"model":`+model("loosemark", 3)+`,"share":true}`)
		id, url := keyed.json(t, "share.id").(string), keyed.json(t, "share.url").(string)
		if url != s.url+"/p/"+id || keyed.json(t, "share.removal") != nil {
			t.Errorf("%v", keyed.json(t, "share"))
		}
		other, removal := loose.json(t, "share.id").(string), loose.json(t, "share.removal").(string)

		page := s.call(t, "GET", "/p/"+id, "", "")
		text := strings.ReplaceAll(page.body, "&#34;", `"`)
		if page.status != 200 || !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") || !strings.Contains(text, "27 parameters") || !strings.Contains(text, `/p/`+id+`.svg`) ||
			!strings.Contains(text, "structure   ") || strings.Contains(text, "<script") || page.header.Get("Cache-Control") != "no-store" || page.header.Get("X-Robots-Tag") != "noindex" {
			t.Errorf("page: %d %v %s", page.status, page.header, page.body)
		}
		drawn := s.call(t, "GET", "/p/"+id+".svg", "", "")
		if drawn.status != 200 || drawn.header.Get("Content-Type") != "image/svg+xml" || !strings.Contains(drawn.body, "<svg") {
			t.Errorf("picture: %d %v", drawn.status, drawn.header)
		}
		kept := contents(t, database)
		for mark, want := range map[string]bool{"secretmark": false, "openmark": true, "loosemark": true, "basemark": false, "extramark": false, removal: false, o.key: false} {
			if holds := bytes.Contains(kept, []byte(mark)) || bytes.Contains(kept, []byte(hex.EncodeToString([]byte(mark)))); holds != want {
				t.Errorf("%.12s in the database: %v", mark, !want)
			}
		}
		if got := s.call(t, "DELETE", "/api/v1/plans/"+other, o.key, ""); got.status != 404 {
			t.Errorf("somebody's plan under a key: %d", got.status)
		}
		if got := s.call(t, "DELETE", "/api/v1/plans/"+id, removal, ""); got.status != 404 {
			t.Errorf("with the secret of another plan: %d", got.status)
		}
		for at, with := range map[string]string{id: o.key, other: removal} {
			if got := s.call(t, "DELETE", "/api/v1/plans/"+at, with, ""); got.status != 200 || got.json(t, "removed") != at {
				t.Errorf("removing: %d %s", got.status, got.body)
			}
			for path, mime := range map[string]string{"": "text/html", ".html": "text/html", ".svg": "application/json", ".json": "application/json"} {
				got := s.call(t, "GET", "/p/"+at+path, "", "")
				if got.status != 404 || !strings.HasPrefix(got.header.Get("Content-Type"), mime) || !strings.Contains(got.body, "There is no plan at this address") {
					t.Errorf("removed%s: %d %s %s", path, got.status, got.header.Get("Content-Type"), got.body)
				}
			}
		}
	})
}

// TestASharedPlanIsReadByPrograms asks for the JSON of a plan, by its address and by what is accepted.
func TestASharedPlanIsReadByPrograms(t *testing.T) {
	s := start(t, accounttest.SQLite(t))
	made := s.call(t, "POST", "/api/v1/plan", "", `{"share":true,"seq_len":64,"model":`+model("", 3)+`}`)
	at := "/p/" + made.json(t, "share.id").(string)
	for _, got := range []answer{
		s.call(t, "GET", at+".json", "", ""), s.call(t, "GET", at, "", "", "Accept", "application/json"), s.call(t, "GET", at+".json", "", "", "Accept", "text/html"),
	} {
		if got.status != 200 || got.header.Get("Content-Type") != "application/json" || got.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%d %v", got.status, got.header)
		}
		for _, member := range []string{"plan", "text", "markdown"} {
			if diff := cmp.Diff(made.json(t, member), got.json(t, member)); diff != "" {
				t.Errorf("%s is not that of the plan that was shared:\n%s", member, diff)
			}
		}
	}
	for _, accepts := range []string{"", "*/*", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"} {
		for _, end := range []string{"", ".html"} {
			got := s.call(t, "GET", at+end, "", "", "Accept", accepts)
			if got.status != 200 || !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") || !strings.Contains(got.body, `href="`+at+`.json"`) {
				t.Errorf("%q%s: %d %v", accepts, end, got.status, got.header)
			}
		}
	}
}

// TestAPlanOfAnOlderVersionIsAPage keeps a request that this version does not take.
func TestAPlanOfAnOlderVersionIsAPage(t *testing.T) {
	s := start(t, accounttest.SQLite(t))
	p, _, err := share.Shares{Store: s.store.Plans()}.Create(t.Context(), "", []byte(`{"model":`+model("", 3)+`,"attention":"<b>old</b>"}`), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	page, program := s.call(t, "GET", "/p/"+p.ID, "", ""), s.call(t, "GET", "/p/"+p.ID+".json", "", "")
	if page.status != 422 || !strings.Contains(page.body, "can no longer be read") || strings.Contains(page.body, "<b>") || !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") {
		t.Errorf("%d %s", page.status, page.body)
	}
	if program.status != 422 || program.json(t, "path") != "attention" {
		t.Errorf("%d %s", program.status, program.body)
	}
}

// TestARefusedPlanIsSharedToo shows the verdict of one that does not run.
func TestARefusedPlanIsSharedToo(t *testing.T) {
	s := start(t, accounttest.SQLite(t))
	broken := `{"share":true,"model":{"name":"<script>x</script>","components":[{"id":"a","type":"input","params":{"shape":[8]}},{"id":"b","type":"linear","params":{"inFeatures":9,"outFeatures":3}},{"id":"c","type":"output"}],"connections":[{"from":"a","to":"b"},{"from":"b","to":"c"}]}}`
	got := s.call(t, "POST", "/api/v1/plan", "", broken)
	page := s.call(t, "GET", "/p/"+got.json(t, "share.id").(string), "", "")
	if page.status != 200 || !strings.Contains(page.body, `class="tag block">refused`) || strings.Contains(page.body, "<script") {
		t.Errorf("%d %s", page.status, page.body)
	}
}

// TestLogsHoldNothingOfTheCaller puts marks wherever a caller can, and passwords and keys, and looks for them.
func TestLogsHoldNothingOfTheCaller(t *testing.T) {
	both(t, func(t *testing.T, database string) {
		s := start(t, database)
		o := s.tenant(t, "Alpha")
		for _, key := range []string{"", o.key, wrongKey} {
			for _, path := range []string{"check", "lint", "rank", "plan", "history", "train", "fix", "secretmark"} {
				s.call(t, "POST", "/api/v1/"+path+"?q=secretmark", key, request("secretmark", 3), "X-Forwarded-For", "203.0.113.99", "User-Agent", "secretmark")
				s.call(t, "GET", "/api/v1/"+path+"?fingerprint=secretmark", key, "")
			}
		}
		s.call(t, "POST", "/account/sign-in", "", "", "Content-Type", "application/x-www-form-urlencoded", "Origin", s.url)
		s.call(t, "POST", "/account/sign-in?email=secretmark&password="+password, "", "email=secretmark%40example.org&password=passwordmark")
		s.call(t, "DELETE", "/api/v1/plans/secretmark", "removalmark", "")
		s.call(t, "GET", "/p/secretmark", "", "")
		s.call(t, "GET", "/account/start?link=secretmark", "", "", "Cookie", "session="+o.session)
		s.stop()
		log := s.log.String()
		if strings.Count(log, "\n") < 40 {
			t.Fatalf("the log is too short: %s", log)
		}
		for _, mark := range []string{"secretmark", "passwordmark", "removalmark", password, o.key, o.key[3:], wrongKey, o.session, "203.0.113.99", "127.0.0.1", "owner@alpha", o.org} {
			if strings.Contains(log, mark) {
				t.Errorf("%.12s is in the log", mark)
			}
		}
	})
}
