package hostedapi

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the page
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

// sharedPath begins the addresses of shared plans; that of a picture ends in .svg.
const (
	sharedPath = "/p/"
	picture    = ".svg"
	typeHTML   = "text/html; charset=utf-8"
	typeSVG    = "image/svg+xml"
)

//go:embed templates/shared.html
var sharedPage string

var sharedTemplate = template.Must(template.New("shared").Parse(sharedPage))

// sharedData is what the page shows.
type sharedData struct {
	ID, Day, Name, Summary, Text string
	Verdict, Class               string
	Picture                      bool
}

const noPlan = "There is no plan at this address: it was removed, or the address is not complete."

// shared shows a plan to whoever knows its address, made again from what was asked. No answer may be kept by a cache: its owner
// can remove it.
func (s *Server) shared(c *httpapi.Call) httpapi.Reply {
	id, drawn := strings.CutSuffix(strings.TrimPrefix(c.Request().URL.Path, sharedPath), picture)
	p, err := s.shares.Get(c.Request().Context(), id)
	if errors.Is(err, share.ErrNotFound) {
		return httpapi.Document(http.StatusNotFound, "text/plain; charset=utf-8", []byte(noPlan+"\n"))
	}
	if err != nil {
		return s.failed(c, err)
	}
	c.Header().Set("X-Robots-Tag", "noindex")
	return c.Work(func(*action.Room) httpapi.Reply {
		request, err := plan.Decode(p.Request, graph.ServiceLimits)
		if err != nil { // of an older version, which took what this one does not
			return httpapi.Refusal(err)
		}
		if drawn {
			return draw(c, request.Model)
		}
		return show(c, p, request)
	})
}

// show writes the page.
func show(c *httpapi.Call, p share.Plan, request *plan.Request) httpapi.Reply {
	model := request.Model.Clone()
	result := plan.Run(request)
	run := result.Plan.Run
	data := sharedData{ID: p.ID, Day: p.CreatedAt.UTC().Format("2006-01-02"), Name: result.Plan.Model.Name, Summary: result.Plan.Summary, Text: result.Text,
		Verdict: "runs", Class: "info"}
	switch {
	case !run.Legal:
		data.Verdict, data.Class = "refused", "block"
	case len(run.Withheld) > 0:
		data.Verdict, data.Class = "withheld", "warn"
	case len(run.Warnings) > 0:
		data.Verdict, data.Class = "runs, with warnings", "warn"
	}
	if data.Name == "" {
		data.Name = "A shared plan"
	}
	_, err := scene.Of(action.Examine(model).Walked)
	data.Picture = err == nil
	var page bytes.Buffer
	if err := sharedTemplate.Execute(&page, data); err != nil {
		return httpapi.Refusal(err)
	}
	c.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	return httpapi.Document(http.StatusOK, typeHTML, page.Bytes())
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
