package comment

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// gitlab speaks GitLab's API for notes on merge requests. https://docs.gitlab.com/api/notes
type gitlab struct {
	*client
	path string            // of the notes
	user int64             // the token's owner, 0 before it was asked for
	refs map[string]string // of the merge request's diff, nil before they were asked for
}

// GitLab is the merge request of a project, which is its number or its path. The address is that of the API, as CI_API_V4_URL has it.
func GitLab(address, token, project string, number int64, agent string) (Service, error) {
	if project == "" {
		return nil, errors.New("the project is not known")
	}
	if number < 1 {
		return nil, errors.New("the number of the merge request is not known")
	}
	c, err := newClient(address, token, http.Header{"Private-Token": {token}, "Accept": {"application/json"}, "User-Agent": {agent}})
	if err != nil {
		return nil, err
	}
	return &gitlab{client: c, path: fmt.Sprintf("/projects/%s/merge_requests/%d/notes", url.PathEscape(project), number)}, nil
}

type gitlabNote struct {
	ID     int64  `json:"id"`
	Body   string `json:"body"`
	System bool   `json:"system"`
	Author struct {
		ID int64 `json:"id"`
	} `json:"author"`
	Position struct { // of one on a line
		Path string `json:"new_path"`
		Line int    `json:"new_line"`
	} `json:"position"`
}

func (g *gitlab) list(ctx context.Context) ([]posted, error) {
	if g.user == 0 {
		var user struct {
			ID int64 `json:"id"`
		}
		if _, err := g.do(ctx, http.MethodGet, "/user", nil, &user); err != nil {
			return nil, err
		}
		g.user = user.ID
	}
	var own []posted
	page := "1"
	for range mostPages {
		var some []gitlabNote
		header, err := g.do(ctx, http.MethodGet, fmt.Sprintf("%s?order_by=created_at&sort=asc&per_page=%d&page=%s", g.path, perPage, url.QueryEscape(page)), nil, &some)
		if err != nil {
			return nil, err
		}
		for _, n := range some {
			if !n.System && n.Author.ID == g.user {
				own = append(own, posted{n.ID, n.Body, n.Position.Path, n.Position.Line})
			}
		}
		if page = header.Get("X-Next-Page"); page == "" {
			return own, nil
		}
	}
	return nil, fmt.Errorf("the merge request has more than %d notes", mostPages*perPage)
}

func (g *gitlab) create(ctx context.Context, body string) (posted, error) {
	var n gitlabNote
	_, err := g.do(ctx, http.MethodPost, g.path, map[string]string{"body": body}, &n)
	return posted{id: n.ID, body: n.Body}, err
}

func (g *gitlab) update(ctx context.Context, id int64, body string) error {
	_, err := g.do(ctx, http.MethodPut, fmt.Sprintf("%s/%d", g.path, id), map[string]string{"body": body}, nil)
	return err
}

func (g *gitlab) remove(ctx context.Context, id int64) error {
	_, err := g.do(ctx, http.MethodDelete, fmt.Sprintf("%s/%d", g.path, id), nil, nil)
	return err
}
