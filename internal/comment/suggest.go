package comment

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/report"
)

// Suggestion is whole lines of a file and what should stand in their place: a change that was proved, and that a reviewer commits with
// one click where the lines belong to the pull request's changes.
type Suggestion struct {
	Path  string `json:"path"` // from the root of the repository
	First int    `json:"first"`
	Last  int    `json:"last"`
	New   string `json:"new"`
	Why   string `json:"why"`
}

// Lines keeps comments on lines of one pull request. Both services are one.
type Lines interface {
	// remarks returns those that the token's owner wrote.
	remarks(ctx context.Context) ([]posted, error)
	remark(ctx context.Context, body string, s Suggestion) error
	erase(ctx context.Context, id int64) error
	// fence is what a block of a suggestion begins with, behind its backticks.
	fence(s Suggestion) string
}

// errElsewhere is that a service takes no comment on a line, because the pull request does not touch it.
var errElsewhere = errors.New("takes no comment there")

// mostSuggestions bounds what a reviewer is shown at once.
const mostSuggestions = 20

// Suggestions are those of all findings that nobody waived, each place once.
func (r *Record) Suggestions() (all []Suggestion) {
	for i := range r.Models {
		for k := range r.Models[i].Findings {
			f := &r.Models[i].Findings[k]
			for _, s := range f.Suggestions {
				taken := slices.ContainsFunc(all, func(t Suggestion) bool { return t.Path == s.Path && s.First <= t.Last && t.First <= s.Last })
				if !f.Waived && !taken && len(all) < mostSuggestions {
					all = append(all, s)
				}
			}
		}
	}
	return all
}

// suggestionTag finds suggestions of ours again; it is another than that of the comment.
func suggestionTag(tag string) string {
	return strings.Replace(tag, "model-verifier comment", "model-verifier suggestion", 1)
}

// Text is a suggestion as a comment on its lines. No text of a file ends its block.
func (s Suggestion) Text(tag, fence string) string {
	ticks := "```"
	for strings.Contains(s.New, ticks) {
		ticks += "`"
	}
	text := s.New
	if text != "" {
		text += "\n"
	}
	return fmt.Sprintf("%s\n%s\n\n%s%s\n%s%s\n", suggestionTag(tag), report.Plain(s.Why), ticks, fence, text, ticks)
}

// Suggested is what became of suggestions.
type Suggested struct {
	New, Kept, Elsewhere int // elsewhere: on lines that the pull request does not touch
}

// Suggest writes suggestions on the lines that they change. One that is there already stays, and one that no longer holds is taken back.
func Suggest(ctx context.Context, s Service, tag string, all []Suggestion) (out Suggested, err error) {
	lines, ok := s.(Lines)
	if !ok {
		return out, nil
	}
	own, err := lines.remarks(ctx)
	if err != nil {
		return out, err
	}
	own = slices.DeleteFunc(own, func(p posted) bool { return !strings.HasPrefix(p.body, suggestionTag(tag)) })
	for _, one := range all {
		body := one.Text(tag, lines.fence(one))
		if i := slices.IndexFunc(own, func(p posted) bool { return same(p, body, one) }); i >= 0 {
			own, out.Kept = slices.Delete(own, i, i+1), out.Kept+1
			continue
		}
		switch err := lines.remark(ctx, body, one); {
		case errors.Is(err, errElsewhere):
			out.Elsewhere++
		case err != nil:
			return out, err
		default:
			out.New++
		}
	}
	for _, old := range own {
		if err := lines.erase(ctx, old.id); err != nil && !errors.Is(err, errGone) {
			return out, err
		}
	}
	return out, nil
}

// same says whether a comment is a suggestion: its text, on its lines.
func same(p posted, body string, s Suggestion) bool {
	return strings.TrimSpace(strings.ReplaceAll(p.body, "\r\n", "\n")) == strings.TrimSpace(body) && p.path == s.Path && p.line == s.Last
}

// GitHub: https://docs.github.com/rest/pulls/comments

func (g *github) fence(Suggestion) string { return "suggestion" }

func (g *github) remarks(ctx context.Context) ([]posted, error) {
	if err := g.who(ctx); err != nil {
		return nil, err
	}
	var own []posted
	for page := 1; page <= mostPages; page++ {
		var some []struct {
			githubComment
			Path string `json:"path"`
			Line int    `json:"line"` // null where the line is no longer there
		}
		header, err := g.do(ctx, http.MethodGet, fmt.Sprintf("/repos/%s/pulls/%d/comments?per_page=%d&page=%d", g.repository, g.number, perPage, page), nil, &some)
		if err != nil {
			return nil, err
		}
		for i := range some {
			if c := &some[i]; g.wrote(&c.githubComment) {
				own = append(own, posted{id: c.ID, body: c.Body, path: c.Path, line: c.Line})
			}
		}
		if !strings.Contains(header.Get("Link"), `rel="next"`) {
			return own, nil
		}
	}
	return own, nil
}

func (g *github) remark(ctx context.Context, body string, s Suggestion) error {
	if g.head == "" {
		var pull struct {
			Head struct {
				SHA string `json:"sha"`
			} `json:"head"`
		}
		if _, err := g.do(ctx, http.MethodGet, fmt.Sprintf("/repos/%s/pulls/%d", g.repository, g.number), nil, &pull); err != nil {
			return err
		}
		g.head = pull.Head.SHA
	}
	in := map[string]any{"body": body, "commit_id": g.head, "path": s.Path, "line": s.Last, "side": "RIGHT"}
	if s.First < s.Last {
		in["start_line"], in["start_side"] = s.First, "RIGHT"
	}
	_, err := g.do(ctx, http.MethodPost, fmt.Sprintf("/repos/%s/pulls/%d/comments", g.repository, g.number), in, nil)
	return err
}

func (g *github) erase(ctx context.Context, id int64) error {
	_, err := g.do(ctx, http.MethodDelete, fmt.Sprintf("/repos/%s/pulls/comments/%d", g.repository, id), nil, nil)
	return err
}

// GitLab: https://docs.gitlab.com/api/discussions/#create-a-thread-in-the-merge-request-diff. A note stands on the last line, and the
// block says how many lines above it are replaced.

func (g *gitlab) fence(s Suggestion) string { return fmt.Sprintf("suggestion:-%d+0", s.Last-s.First) }

func (g *gitlab) remarks(ctx context.Context) ([]posted, error) { return g.list(ctx) }

func (g *gitlab) erase(ctx context.Context, id int64) error { return g.remove(ctx, id) }

func (g *gitlab) remark(ctx context.Context, body string, s Suggestion) error {
	request := strings.TrimSuffix(g.path, "/notes")
	if g.refs == nil {
		var m struct {
			Refs map[string]string `json:"diff_refs"`
		}
		if _, err := g.do(ctx, http.MethodGet, request, nil, &m); err != nil {
			return err
		}
		g.refs = m.Refs
	}
	position := map[string]any{"position_type": "text", "base_sha": g.refs["base_sha"], "start_sha": g.refs["start_sha"], "head_sha": g.refs["head_sha"],
		"old_path": s.Path, "new_path": s.Path, "new_line": s.Last}
	_, err := g.do(ctx, http.MethodPost, request+"/discussions", map[string]any{"body": body, "position": position}, nil)
	return err
}
