package commenttest

import (
	"net/http"
	"strconv"
)

// bot is the user that GitLab makes for a project's token.
const bot = "project_42_bot"

func (s *Server) known(w http.ResponseWriter, r *http.Request) bool {
	if r.Header.Get("PRIVATE-TOKEN") != GitLab {
		answer(w, http.StatusUnauthorized, map[string]string{"message": "401 Unauthorized"})
		return false
	}
	return true
}

func (s *Server) gitlabUser(w http.ResponseWriter, r *http.Request) {
	if s.known(w, r) {
		answer(w, http.StatusOK, map[string]any{"id": 5, "username": bot, "bot": true})
	}
}

func gitlabBody(c *Comment) map[string]any {
	id := 9
	if c.Author == bot {
		id = 5
	}
	out := map[string]any{"id": c.ID, "body": c.Body, "system": false, "author": map[string]any{"id": id, "username": c.Author}}
	if c.Line > 0 {
		out["type"], out["position"] = "DiffNote", map[string]any{"new_path": c.Path, "new_line": c.Line}
	}
	return out
}

func (s *Server) gitlabList(w http.ResponseWriter, r *http.Request) {
	if !s.known(w, r) {
		return
	}
	some, next := page(r, s.Comments())
	out := []any{}
	for i := range some {
		out = append(out, gitlabBody(&some[i]))
	}
	w.Header().Set("X-Next-Page", "")
	if next > 0 {
		w.Header().Set("X-Next-Page", strconv.Itoa(next))
	}
	answer(w, http.StatusOK, out)
}

func (s *Server) gitlabCreate(w http.ResponseWriter, r *http.Request) {
	if !s.known(w, r) {
		return
	}
	text, ok := body(w, r, 1_000_000)
	if !ok {
		return
	}
	c := Comment{Body: text, Author: bot, Bot: true}
	c.ID = s.Add(c)
	s.afterCreate()
	answer(w, http.StatusCreated, gitlabBody(&c))
}

func (s *Server) gitlabChange(w http.ResponseWriter, r *http.Request) {
	if s.known(w, r) {
		s.change(w, r, 1_000_000, func(c *Comment) any { return gitlabBody(c) })
	}
}
