package hostedapi

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"html/template"
	"net/http"
	"strings"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/exporter/scene"
	"github.com/modelverifier/verifier/internal/exporter/svg"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/httpapi"
	"github.com/modelverifier/verifier/internal/share"
)

// sharedPath begins the addresses of shared plans; that of a picture ends in .svg, that of the answer for programs in .json,
// and that of the badge, or of what it says, in /badge.svg and /badge.json.
const (
	sharedPath = "/p/"
	typeHTML   = "text/html; charset=utf-8"
	typeSVG    = "image/svg+xml"
)

//go:embed templates/*.html
var sharedPages embed.FS

var sharedTemplates = template.Must(template.ParseFS(sharedPages, "templates/*.html"))

// form is in what a shared plan is asked for: the end of its address.
type form string

// The forms of a shared plan.
const (
	formPage    form = ".html"
	formJSON    form = ".json"
	formPicture form = ".svg"

	formBadge     form = "/badge.svg"
	formBadgeJSON form = "/badge.json"
)

// asked takes the path of a shared plan apart. Without an ending it is the page, or JSON for a program that says so.
func asked(r *http.Request) (id string, f form) {
	rest := strings.TrimPrefix(r.URL.Path, sharedPath)
	for _, f := range []form{formBadge, formBadgeJSON, formPage, formJSON, formPicture} {
		if id, ok := strings.CutSuffix(rest, string(f)); ok {
			return id, f
		}
	}
	accepted := strings.Join(r.Header.Values("Accept"), ",")
	if strings.Contains(accepted, "application/json") && !strings.Contains(accepted, "text/html") {
		return rest, formJSON
	}
	return rest, formPage
}

// sharedData is what the page shows.
type sharedData struct {
	ID, Day, Name, Summary, Text string
	Verdict, Class               string
	Picture                      bool
	Badge                        *badge
	Rows, Figures                []row
}

// apology is what stands in the place of a plan that cannot be shown.
type apology struct{ Title, Message, Advice string }

// noPlan answers for a removed plan as for one that never was: the store keeps nothing of a removed plan, and so cannot tell them apart. That is
// what who removes a plan is promised.
var noPlan = apology{"There is no plan at this address", "It was removed by who shared it, or the address is not complete.",
	"Ask who gave you the address, or share the plan again: verifier keeps nothing of a plan that was removed."}

// sorry answers for a plan that cannot be shown: a page for people, an error for programs.
func sorry(c *httpapi.Call, f form, status int, code string, why apology) httpapi.Reply {
	if f == formBadge {
		return pictureReply(c, status, noBadge())
	}
	if f != formPage {
		return httpapi.Fault(status, code, "%s: %s", why.Title, lowerFirst(why.Message))
	}
	return pageOf(c, status, "missing.html", why)
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// pageOf fills a template. A page may load our stylesheet and pictures, and nothing else.
func pageOf(c *httpapi.Call, status int, name string, data any) httpapi.Reply {
	var page bytes.Buffer
	if err := sharedTemplates.ExecuteTemplate(&page, name, data); err != nil {
		return httpapi.Refusal(err)
	}
	c.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	return httpapi.Document(status, typeHTML, page.Bytes())
}

// shared shows a plan to whoever knows its address, made again from what was asked. No answer may be kept by a cache: its owner
// can remove it.
func (s *Server) shared(c *httpapi.Call) httpapi.Reply {
	c.Header().Set("X-Robots-Tag", "noindex")
	id, as := asked(c.Request())
	p, err := s.shares.Get(c.Request().Context(), id)
	if errors.Is(err, share.ErrNotFound) {
		return sorry(c, as, http.StatusNotFound, "not-found", noPlan)
	}
	if err != nil {
		return s.failed(c, err)
	}
	return c.Work(func(room *action.Room) httpapi.Reply {
		request, err := plan.DecodeIn(room, p.Request, graph.ServiceLimits)
		if err != nil {
			return outdated(c, as, err)
		}
		switch as {
		case formPicture:
			return draw(c, request.Model)
		case formJSON:
			return httpapi.OK(plan.Run(request))
		case formBadge, formBadgeJSON:
			return s.badgeReply(c, as, &p, plan.New(request))
		}
		return s.showPlan(c, p, request)
	})
}

// outdated answers for a plan of an older version, which took what this one does not.
func outdated(c *httpapi.Call, as form, err error) httpapi.Reply {
	if action.Status(err) == http.StatusInternalServerError || as != formPage {
		return httpapi.Refusal(err)
	}
	return sorry(c, as, action.Status(err), action.Explain(err).Code, apology{"This plan can no longer be read",
		"It was shared with an older version, which took what this one refuses: " + action.Explain(err).Error, "Share the plan again with the version that runs here."})
}

// showPlan writes the page.
func (s *Server) showPlan(c *httpapi.Call, p share.Plan, request *plan.Request) httpapi.Reply {
	picture := false
	request.Examined = func(study *action.Study) {
		_, err := scene.Of(study.Walked)
		picture = err == nil
	}
	result := plan.Run(request)
	b := s.badgeOf(&p, result.Plan)
	data := sharedData{ID: p.ID, Day: b.Shared, Name: result.Plan.Model.Name, Summary: result.Plan.Summary, Text: result.Text, Badge: b, Rows: rowsOf(result.Text),
		Figures: figuresOf(result.Plan)}
	data.Verdict, data.Class = verdictOf(&result.Plan.Run)
	if data.Name == "" {
		data.Name = "A shared plan"
	}
	data.Picture = picture
	return pageOf(c, http.StatusOK, "shared.html", data)
}

// draw writes the picture. Opened by itself it may have its own style, and nothing else.
func draw(c *httpapi.Call, model *graph.Graph) httpapi.Reply {
	s, err := scene.Of(action.Examine(model).Walked)
	if err != nil {
		return httpapi.Document(http.StatusNotFound, "text/plain; charset=utf-8", []byte("The graph is too large to be drawn.\n"))
	}
	out := []byte(svg.Draw(s))
	policy := "default-src 'none'; frame-ancestors 'none'"
	if _, rest, ok := bytes.Cut(out, []byte("<style>")); ok {
		style, _, _ := bytes.Cut(rest, []byte("</style>"))
		sum := sha256.Sum256(style)
		policy += "; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	c.Header().Set("Content-Security-Policy", policy)
	return httpapi.Document(http.StatusOK, typeSVG, out)
}

// unshare removes a plan: with a key of the organisation that owns it or, where none does, with the secret that was given with
// it. To anybody else there is no such plan.
func (s *Server) unshare(c *httpapi.Call) httpapi.Reply {
	id := strings.TrimPrefix(c.Request().URL.Path, prefix+"plans/")
	word, given := bearer(c.Request())
	var err error
	if given && !strings.HasPrefix(word, account.KeyPrefix) {
		err = s.shares.RemoveWith(c.Request().Context(), id, word)
	} else {
		caller, refused := s.enter(c)
		if refused != nil {
			return *refused
		}
		err = s.shares.Remove(c.Request().Context(), caller.Org, id)
	}
	if errors.Is(err, share.ErrNotFound) {
		return httpapi.Fault(http.StatusNotFound, "not-found", "No such plan under this key.")
	}
	if err != nil {
		return s.failed(c, err)
	}
	return httpapi.OK(&removed{id})
}

// removed is the body of DELETE /plans/<id>.
type removed struct {
	Removed string `json:"removed"`
}
