package commenttest

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// remark is what both services are sent for a comment on lines.
type remark struct {
	Body      *string `json:"body"`
	Commit    string  `json:"commit_id"`
	Path      string  `json:"path"`
	Line      int     `json:"line"`
	Side      string  `json:"side"`
	StartLine int     `json:"start_line"`
	StartSide string  `json:"start_side"`
	Position  struct {
		Type    string `json:"position_type"`
		Base    string `json:"base_sha"`
		Start   string `json:"start_sha"`
		Head    string `json:"head_sha"`
		OldPath string `json:"old_path"`
		NewPath string `json:"new_path"`
		NewLine int    `json:"new_line"`
	} `json:"position"`
}

func read(w http.ResponseWriter, r *http.Request) (in remark, ok bool) {
	if json.NewDecoder(r.Body).Decode(&in) != nil || in.Body == nil {
		answer(w, http.StatusBadRequest, map[string]string{"message": "Problems parsing JSON"})
		return in, false
	}
	return in, true
}

func touched(path string, lines ...int) bool {
	for _, n := range lines {
		if path != Touched || n < 1 || n > TouchedLines {
			return false
		}
	}
	return true
}

func (s *Server) githubPull(w http.ResponseWriter, r *http.Request) {
	if s.allowed(w, r, false) {
		answer(w, http.StatusOK, map[string]any{"number": Number, "head": map[string]string{"sha": Head}})
	}
}

func (s *Server) githubRemarks(w http.ResponseWriter, r *http.Request) {
	if !s.allowed(w, r, false) {
		return
	}
	out := []any{}
	for _, c := range s.Comments() {
		if c.Line > 0 {
			one := githubBody(&c)
			one["path"], one["line"] = c.Path, c.Line
			out = append(out, one)
		}
	}
	answer(w, http.StatusOK, out)
}

func (s *Server) githubRemark(w http.ResponseWriter, r *http.Request) {
	if !s.allowed(w, r, true) {
		return
	}
	in, ok := read(w, r)
	if !ok {
		return
	}
	first := in.Line
	if in.StartLine > 0 {
		first = in.StartLine
	}
	if in.Commit != Head || in.Side != "RIGHT" || first > in.Line || in.StartLine > 0 && (in.StartSide != "RIGHT" || in.StartLine == in.Line) || !touched(in.Path, first, in.Line) {
		answer(w, http.StatusUnprocessableEntity, map[string]string{"message": "Validation Failed"})
		return
	}
	c := Comment{Body: *in.Body, Author: apps, Bot: true, Path: in.Path, First: first, Line: in.Line}
	c.ID = s.Add(c)
	answer(w, http.StatusCreated, githubBody(&c))
}

func (s *Server) gitlabRequest(w http.ResponseWriter, r *http.Request) {
	if s.known(w, r) {
		answer(w, http.StatusOK, map[string]any{"iid": Number, "diff_refs": map[string]string{"base_sha": "base", "start_sha": "start", "head_sha": Head}})
	}
}

func (s *Server) gitlabRemark(w http.ResponseWriter, r *http.Request) {
	if !s.known(w, r) {
		return
	}
	in, ok := read(w, r)
	if !ok {
		return
	}
	p := in.Position
	if p.Type != "text" || p.Base != "base" || p.Start != "start" || p.Head != Head || p.OldPath != p.NewPath || !touched(p.NewPath, p.NewLine) {
		answer(w, http.StatusBadRequest, map[string]string{"message": fmt.Sprintf("400 Bad request - Note %+v is invalid", p)})
		return
	}
	c := Comment{Body: *in.Body, Author: bot, Bot: true, Path: p.NewPath, First: p.NewLine, Line: p.NewLine}
	c.ID = s.Add(c)
	answer(w, http.StatusCreated, map[string]any{"id": "d1", "notes": []any{gitlabBody(&c)}})
}
