package commenttest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

const apps = "github-actions[bot]"

// allowed checks a token, and that the request says which version of the API it means.
func (s *Server) allowed(w http.ResponseWriter, r *http.Request, write bool) bool {
	token := r.Header.Get("Authorization")
	switch {
	case r.Header.Get("Accept") != "application/vnd.github+json" || r.Header.Get("X-GitHub-Api-Version") == "" || r.Header.Get("User-Agent") == "":
		answer(w, http.StatusBadRequest, map[string]string{"message": "headers are missing"})
	case token != "Bearer "+Job && token != "Bearer "+Person && token != "Bearer "+Fork:
		answer(w, http.StatusUnauthorized, map[string]string{"message": "Bad credentials " + token})
	case write && token == "Bearer "+Fork:
		answer(w, http.StatusForbidden, map[string]string{"message": "Resource not accessible by integration"})
	default:
		return true
	}
	return false
}

func (s *Server) githubUser(w http.ResponseWriter, r *http.Request) {
	if !s.allowed(w, r, false) {
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+Person {
		answer(w, http.StatusForbidden, map[string]string{"message": "Resource not accessible by integration"})
		return
	}
	answer(w, http.StatusOK, map[string]any{"login": "octo", "id": 1, "type": "User"})
}

func githubBody(c *Comment) map[string]any {
	kind := "User"
	if c.Bot {
		kind = "Bot"
	}
	return map[string]any{"id": c.ID, "body": c.Body, "user": map[string]any{"login": c.Author, "type": kind}}
}

func (s *Server) githubList(w http.ResponseWriter, r *http.Request) {
	if !s.allowed(w, r, false) {
		return
	}
	some, next := page(r, slices.DeleteFunc(s.Comments(), func(c Comment) bool { return c.Line > 0 })) // those on lines have a list of their own
	out := []any{}
	for i := range some {
		out = append(out, githubBody(&some[i]))
	}
	if next > 0 {
		w.Header().Set("Link", fmt.Sprintf(`<%s%s?page=%d>; rel="next"`, s.URL, r.URL.Path, next))
	}
	answer(w, http.StatusOK, out)
}

func (s *Server) githubCreate(w http.ResponseWriter, r *http.Request) {
	if !s.allowed(w, r, true) {
		return
	}
	text, ok := body(w, r, 65_536)
	if !ok {
		return
	}
	c := Comment{Body: text, Author: apps, Bot: true}
	if r.Header.Get("Authorization") == "Bearer "+Person {
		c.Author, c.Bot = "octo", false
	}
	c.ID = s.Add(c)
	s.afterCreate()
	answer(w, http.StatusCreated, githubBody(&c))
}

func (s *Server) githubChange(w http.ResponseWriter, r *http.Request) {
	if !s.allowed(w, r, true) {
		return
	}
	s.change(w, r, 65_536, func(c *Comment) any { return githubBody(c) })
}

// change updates or deletes a comment.
func (s *Server) change(w http.ResponseWriter, r *http.Request, most int, show func(*Comment) any) {
	text := ""
	if r.Method != http.MethodDelete {
		var ok bool
		if text, ok = body(w, r, most); !ok {
			return
		}
	}
	id, _ := strconv.ParseInt(r.PathValue("id"), 10, 64)
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.comments, func(c Comment) bool { return c.ID == id })
	switch {
	case i < 0:
		answer(w, http.StatusNotFound, map[string]string{"message": "Not Found"})
	case r.Method == http.MethodDelete:
		s.comments = slices.Delete(s.comments, i, i+1)
		w.WriteHeader(http.StatusNoContent)
	default:
		s.comments[i].Body = text
		answer(w, http.StatusOK, show(&s.comments[i]))
	}
}
