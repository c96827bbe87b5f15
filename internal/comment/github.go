package comment

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// github speaks GitHub's REST API for comments on issues, which those on pull requests are.
// https://docs.github.com/rest/issues/comments
type github struct {
	*client
	repository string // owner/name
	number     int64
	login      string // of the token's owner, "" where it is an app's, which cannot ask for its own
	asked      bool
	head       string // of the pull request, "" before it was asked for
}

var repositoryName = regexp.MustCompile(`^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$`)

// GitHub is the pull request of a repository. The address is that of the API, as GITHUB_API_URL has it.
func GitHub(address, token, repository string, number int64, agent string) (Service, error) {
	if !repositoryName.MatchString(repository) || strings.Contains(repository, "..") {
		return nil, errors.New("the repository is not owner/name")
	}
	if number < 1 {
		return nil, errors.New("the number of the pull request is not known")
	}
	c, err := newClient(address, token, http.Header{"Authorization": {"Bearer " + token}, "Accept": {"application/vnd.github+json"},
		"X-Github-Api-Version": {"2022-11-28"}, "User-Agent": {agent}})
	if err != nil {
		return nil, err
	}
	return &github{client: c, repository: repository, number: number}, nil
}

type githubComment struct {
	ID   int64  `json:"id"`
	Body string `json:"body"`
	User *struct {
		Login string `json:"login"`
		Type  string `json:"type"`
	} `json:"user"`
}

func (g *github) list(ctx context.Context) ([]posted, error) {
	if err := g.who(ctx); err != nil {
		return nil, err
	}
	var own []posted
	for page := 1; page <= mostPages; page++ {
		var some []githubComment
		header, err := g.do(ctx, http.MethodGet, fmt.Sprintf("/repos/%s/issues/%d/comments?per_page=%d&page=%d", g.repository, g.number, perPage, page), nil, &some)
		if err != nil {
			return nil, err
		}
		for _, c := range some {
			if g.wrote(&c) {
				own = append(own, posted{id: c.ID, body: c.Body})
			}
		}
		if !strings.Contains(header.Get("Link"), `rel="next"`) {
			return own, nil
		}
	}
	return nil, fmt.Errorf("the pull request has more than %d comments", mostPages*perPage)
}

// who asks whose token it is. A job's own token is an app's: it may not ask, and its comments are a bot's.
func (g *github) who(ctx context.Context) error {
	if g.asked {
		return nil
	}
	var user struct {
		Login string `json:"login"`
	}
	_, err := g.do(ctx, http.MethodGet, "/user", nil, &user)
	if err != nil && !errors.Is(err, ErrForbidden) && !errors.Is(err, errGone) {
		return err
	}
	g.asked, g.login = true, user.Login
	return nil
}

// wrote reports whether a comment is the token's owner's. Anyone can write the tag; what a person wrote is never touched for a bot.
func (g *github) wrote(c *githubComment) bool {
	switch {
	case c.User == nil: // a ghost's
		return false
	case g.login != "":
		return strings.EqualFold(c.User.Login, g.login)
	}
	return c.User.Type == "Bot"
}

func (g *github) create(ctx context.Context, body string) (posted, error) {
	var c githubComment
	_, err := g.do(ctx, http.MethodPost, fmt.Sprintf("/repos/%s/issues/%d/comments", g.repository, g.number), map[string]string{"body": body}, &c)
	return posted{id: c.ID, body: c.Body}, err
}

func (g *github) update(ctx context.Context, id int64, body string) error {
	_, err := g.do(ctx, http.MethodPatch, fmt.Sprintf("/repos/%s/issues/comments/%d", g.repository, id), map[string]string{"body": body}, nil)
	return err
}

func (g *github) remove(ctx context.Context, id int64) error {
	_, err := g.do(ctx, http.MethodDelete, fmt.Sprintf("/repos/%s/issues/comments/%d", g.repository, id), nil, nil)
	return err
}
