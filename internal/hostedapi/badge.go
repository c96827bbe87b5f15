package hostedapi

import (
	"bytes"
	"fmt"
	"html/template"
	"net/http"

	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/exporter/scene/place"
	"github.com/modelverifier/verifier/internal/httpapi"
	"github.com/modelverifier/verifier/internal/ruleset"
	"github.com/modelverifier/verifier/internal/share"
)

// badge is what a shared plan can be cited by. The verdict is that of the rule set that runs now, on the day of
// asking.
type badge struct {
	Verdict     string `json:"verdict"`     // runs, runs with warnings, withheld or refused
	Fingerprint string `json:"fingerprint"` // of the structure
	RuleSet     string `json:"ruleSet"`     // that the verdict was made with
	Date        string `json:"date"`        // when it was made
	Shared      string `json:"shared"`      // when the plan was shared
	Plan        string `json:"plan"`        // its page
	Image       string `json:"image"`
	Markdown    string `json:"markdown"` // a line for a README
	HTML        string `json:"html"`
}

// verdictOf is a plan's verdict in a word, and the class of its mark on a page.
func verdictOf(run *plan.Legality) (word, class string) {
	switch {
	case !run.Legal:
		return "refused", "block"
	case len(run.Withheld) > 0:
		return "withheld", "warn"
	case len(run.Warnings) > 0:
		return "runs, with warnings", "warn"
	}
	return "runs", "good"
}

const dayFormat = "2006-01-02"

// badgeOf makes the badge of a plan.
func (s *Server) badgeOf(p *share.Plan, r *plan.Record) *badge {
	word, _ := verdictOf(&r.Run)
	page := s.config.PublicURL + sharedPath + p.ID
	b := &badge{Verdict: word, Fingerprint: r.Model.Fingerprint, RuleSet: ruleset.ID(),
		Date: s.config.Clock().UTC().Format(dayFormat), Shared: p.CreatedAt.UTC().Format(dayFormat), Plan: page, Image: page + string(formBadge)}
	b.Markdown = fmt.Sprintf("[![Model Verifier: %s](%s)](%s)", b.Verdict, b.Image, b.Plan)
	b.HTML = fmt.Sprintf(`<a href="%s"><img src="%s" alt="Model Verifier: %s" height="20"></a>`,
		template.HTMLEscapeString(b.Plan), template.HTMLEscapeString(b.Image), b.Verdict)
	return b
}

// The colours of verdicts, each with a contrast of more than 4.5 to 1 against white.
var badgeColours = map[string]string{
	"runs": "#14623a", "runs, with warnings": "#7a4f00", "withheld": "#7a4f00", "refused": "#a8201a",
}

// shortRuleSet is as much of a rule set's id as a picture shows.
const shortRuleSet = 12

// picture draws the badge: the name, the verdict, and in small print what it rests on. Sign and word say the verdict,
// not colour alone.
func (b *badge) picture() []byte {
	sign := map[string]string{"runs": "✓", "refused": "✕"}[b.Verdict]
	if sign == "" {
		sign = "!"
	}
	small := fmt.Sprintf("%s · rules %.*s · %s", b.Fingerprint, shortRuleSet, b.RuleSet, b.Date)
	whole := fmt.Sprintf("Model Verifier: %s. Structure %s, rule set %s, %s.", b.Verdict, b.Fingerprint, b.RuleSet, b.Date)
	return drawBadge(sign+" "+b.Verdict, small, badgeColours[b.Verdict], whole)
}

// noBadge is the picture for an address without a plan.
func noBadge() []byte {
	return drawBadge("no such plan", "", "#55606b", "Model Verifier: there is no plan at this address.")
}

// Sizes of a badge in pixels.
const (
	badgePad  = 8
	badgeName = "verifier"
)

// drawBadge writes three fields beside each other.
func drawBadge(verdict, small, colour, title string) []byte {
	var b bytes.Buffer
	name, middle := place.TextWidth(badgeName, 11)+2*badgePad, place.TextWidth(verdict, 11)+2*badgePad
	end := 0
	if small != "" {
		end = place.TextWidth(small, 10) + 2*badgePad
	}
	all := name + middle + end
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="20" role="img" aria-labelledby="t">`, all)
	fmt.Fprintf(&b, `<title id="t">%s</title>`, title)
	fmt.Fprintf(&b, `<rect width="%d" height="20" rx="3" fill="#2b333b"/>`, all)
	fmt.Fprintf(&b, `<rect x="%d" width="%d" height="20" fill="%s"/>`, name, middle, colour)
	if end == 0 {
		fmt.Fprintf(&b, `<rect x="%d" width="3" height="20" fill="%s"/>`, all-6, colour)
	}
	b.WriteString(`<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" text-rendering="geometricPrecision">`)
	text := func(x, size, length int, s string) {
		fmt.Fprintf(&b, `<text x="%d" y="14" font-size="%d" textLength="%d" `, x, size, length)
		fmt.Fprintf(&b, `lengthAdjust="spacingAndGlyphs">%s</text>`, s)
	}
	text(badgePad, 11, name-2*badgePad, badgeName)
	text(name+badgePad, 11, middle-2*badgePad, verdict)
	if end > 0 {
		text(name+middle+badgePad, 10, end-2*badgePad, small)
	}
	b.WriteString(`</g></svg>`)
	return b.Bytes()
}

// pictureReply is a picture without a style of its own.
func pictureReply(c *httpapi.Call, status int, picture []byte) httpapi.Reply {
	c.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	return httpapi.Document(status, typeSVG, picture)
}

// badgeReply is the badge in the form that is asked for.
func (s *Server) badgeReply(c *httpapi.Call, as form, p *share.Plan, r *plan.Record) httpapi.Reply {
	b := s.badgeOf(p, r)
	if as == formBadge {
		return pictureReply(c, http.StatusOK, b.picture())
	}
	return httpapi.OK(b)
}
