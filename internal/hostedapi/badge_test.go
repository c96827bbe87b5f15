package hostedapi_test

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/ruleset"
)

const (
	refusedModel = `{"name":"<script>","components":[{"id":"x","type":"input","params":{"shape":[8]}},{"id":"a","type":"linear","params":{"inFeatures":4,"outFeatures":4}},{"id":"o","type":"output"}],"connections":[{"from":"x","to":"a"},{"from":"a","to":"o"}]}`
	unknownModel = `{"components":[{"id":"x","type":"input","params":{"shape":[8]}},{"id":"a","type":"noSuchThing"},{"id":"o","type":"output"}],"connections":[{"from":"x","to":"a"},{"from":"a","to":"o"}]}`
)

// TestASharedPlanHasABadge holds picture, JSON and the line for a README to what the plan says.
func TestASharedPlanHasABadge(t *testing.T) {
	s := start(t, accounttest.SQLite(t))
	for _, c := range []struct{ model, verdict string }{{model("m", 3), "runs"}, {refusedModel, "refused"}, {unknownModel, ""}} {
		made := good(t, s.call(t, "POST", "/api/v1/plan", "", `{"share":true,"model":`+c.model+`}`))
		at := "/p/" + made.json(t, "share.id").(string)
		b := good(t, s.call(t, "GET", at+"/badge.json", "", ""))
		verdict := b.json(t, "verdict").(string)
		if c.verdict != "" && verdict != c.verdict || b.json(t, "fingerprint") != made.json(t, "plan.model.fingerprint") || b.json(t, "ruleSet") != ruleset.ID() ||
			b.json(t, "date") != s.clock.Now().UTC().Format("2006-01-02") || b.json(t, "markdown") != "[![Model Verifier: "+verdict+"]("+s.url+at+"/badge.svg)]("+s.url+at+")" {
			t.Errorf("%s", b.body)
		}
		picture := good(t, s.call(t, "GET", at+"/badge.svg", "", ""))
		if picture.header.Get("Content-Type") != "image/svg+xml" || picture.header.Get("Cache-Control") != "no-store" || picture.header.Get("X-Robots-Tag") != "noindex" {
			t.Errorf("%v", picture.header)
		}
		for _, want := range []string{verdict, b.json(t, "fingerprint").(string), ruleset.ID(), b.json(t, "date").(string)} {
			if !strings.Contains(picture.body, want) {
				t.Errorf("%q is not in %s", want, picture.body)
			}
		}
		if err := xml.Unmarshal([]byte(picture.body), new(any)); err != nil || strings.Contains(picture.body, "script") {
			t.Errorf("%v: %s", err, picture.body)
		}
		page := good(t, s.call(t, "GET", at, "", ""))
		if !strings.Contains(page.body, at+"/badge.svg") || !strings.Contains(page.body, "[![Model Verifier: "+verdict+"]") {
			t.Errorf("the page has no badge: %s", page.body)
		}
	}
}

// TestABadgeOfNoPlanIsAPictureThatSaysSo holds for readers of a README whose plan was removed.
func TestABadgeOfNoPlanIsAPictureThatSaysSo(t *testing.T) {
	s := start(t, accounttest.SQLite(t))
	got := s.call(t, "GET", "/p/aaaaaaaaaaaaaaaaaaaaaaaaaa/badge.svg", "", "")
	if got.status != 404 || got.header.Get("Content-Type") != "image/svg+xml" || !strings.Contains(got.body, "no such plan") {
		t.Errorf("%d %v %s", got.status, got.header, got.body)
	}
	if got := s.call(t, "GET", "/p/aaaaaaaaaaaaaaaaaaaaaaaaaa/badge.json", "", ""); got.status != 404 || got.json(t, "code") != "not-found" {
		t.Errorf("%d %s", got.status, got.body)
	}
}
