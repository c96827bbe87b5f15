// Package commenttest serves the comments of one pull request as GitHub and GitLab document their APIs, for tests: with tokens, pages,
// limits of length, owners of comments, and whatever failures a test plants.
//
// It must not know the client that it serves.
package commenttest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// The one pull request, and the tokens that may write to it.
const (
	Repository = "acme/nets"
	Project    = "42"
	Number     = 7
	Job        = "ghs_0123456789abcdefJOB"    // of an app: may not ask who it is
	Person     = "ghp_0123456789abcdefPERSON" // of the user octo
	Fork       = "ghs_0123456789abcdefFORK"   // may read only
	GitLab     = "glpat-0123456789abcdef"     // of user 5
)

// Comment is one that is there.
type Comment struct {
	ID     int64
	Body   string
	Author string // login
	Bot    bool
	Path   string // of one on a line
	First  int    // of several lines
	Line   int    // 0: it is on none
}

// Touched is the one file that the pull request changes, and TouchedLines the last of its lines that are in the diff.
const (
	Touched      = "parts/net.py"
	TouchedLines = 40
	Head         = "0123456789abcdef0123456789abcdef01234567"
)

// Fault is an answer in place of the next one.
type Fault struct {
	Status int
	Header map[string]string
	Body   string
}

// Server has the comments.
type Server struct {
	URL string // of the API: that of GitHub, that of GitLab below /api/v4

	mu       sync.Mutex
	next     int64
	comments []Comment
	faults   []Fault
	log      []string
	created  func(*Server)
}

// Serve starts one, which ends with the test.
func Serve(t testing.TB) *Server {
	s := &Server{next: 100}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /user", s.githubUser)
	mux.HandleFunc("GET /repos/acme/nets/issues/7/comments", s.githubList)
	mux.HandleFunc("POST /repos/acme/nets/issues/7/comments", s.githubCreate)
	mux.HandleFunc("PATCH /repos/acme/nets/issues/comments/{id}", s.githubChange)
	mux.HandleFunc("DELETE /repos/acme/nets/issues/comments/{id}", s.githubChange)
	mux.HandleFunc("GET /repos/acme/nets/pulls/7", s.githubPull)
	mux.HandleFunc("GET /repos/acme/nets/pulls/7/comments", s.githubRemarks)
	mux.HandleFunc("POST /repos/acme/nets/pulls/7/comments", s.githubRemark)
	mux.HandleFunc("DELETE /repos/acme/nets/pulls/comments/{id}", s.githubChange)
	mux.HandleFunc("GET /api/v4/projects/42/merge_requests/7", s.gitlabRequest)
	mux.HandleFunc("POST /api/v4/projects/42/merge_requests/7/discussions", s.gitlabRemark)
	mux.HandleFunc("GET /api/v4/user", s.gitlabUser)
	mux.HandleFunc("GET /api/v4/projects/42/merge_requests/7/notes", s.gitlabList)
	mux.HandleFunc("POST /api/v4/projects/42/merge_requests/7/notes", s.gitlabCreate)
	mux.HandleFunc("PUT /api/v4/projects/42/merge_requests/7/notes/{id}", s.gitlabChange)
	mux.HandleFunc("DELETE /api/v4/projects/42/merge_requests/7/notes/{id}", s.gitlabChange)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusNotFound, map[string]string{"message": "Not Found"})
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f, ok := s.fault(r); ok {
			for k, v := range f.Header {
				w.Header().Set(k, v)
			}
			w.WriteHeader(f.Status)
			_, _ = io.WriteString(w, f.Body)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// fault notes a request and takes the next planted failure.
func (s *Server) fault(r *http.Request) (f Fault, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, r.Method+" "+r.URL.Path)
	if len(s.faults) > 0 {
		f, s.faults, ok = s.faults[0], s.faults[1:], true
	}
	return f, ok && f.Status != 0
}

// Fail plants failures for the next requests; one without a status lets a request pass.
func (s *Server) Fail(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, faults...)
}

// OnCreate is called once, behind the next comment that is created: another run that is as fast.
func (s *Server) OnCreate(f func(*Server)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.created = f
}

// Add puts a comment there.
func (s *Server) Add(c Comment) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.add(c)
}

func (s *Server) add(c Comment) int64 {
	if c.ID == 0 {
		s.next++
		c.ID = s.next
	}
	s.comments = append(s.comments, c)
	return c.ID
}

// Comments are those that are there.
func (s *Server) Comments() []Comment {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.comments)
}

// Log is every request's method and path.
func (s *Server) Log() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // whoever hung up does not read it
}

// page is the part of a list that a request asks for, and the number of the next page, 0 where there is none.
func page[T any](r *http.Request, all []T) ([]T, int) {
	size, number := 30, 1
	if n, err := strconv.Atoi(r.URL.Query().Get("per_page")); err == nil {
		size = min(max(n, 1), 100)
	}
	if n, err := strconv.Atoi(r.URL.Query().Get("page")); err == nil {
		number = max(n, 1)
	}
	from := min((number-1)*size, len(all))
	to := min(from+size, len(all))
	if to < len(all) {
		return all[from:to], number + 1
	}
	return all[from:to], 0
}

// body reads a comment that is sent, and refuses one that is too long.
func body(w http.ResponseWriter, r *http.Request, most int) (string, bool) {
	var in struct {
		Body *string `json:"body"`
	}
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") || json.NewDecoder(r.Body).Decode(&in) != nil || in.Body == nil {
		answer(w, http.StatusBadRequest, map[string]string{"message": "Problems parsing JSON"})
		return "", false
	}
	if len([]rune(*in.Body)) > most {
		answer(w, http.StatusUnprocessableEntity, map[string]string{"message": fmt.Sprintf("Body is too long (maximum is %d characters)", most)})
		return "", false
	}
	return *in.Body, true
}

// afterCreate lets the other run happen.
func (s *Server) afterCreate() {
	s.mu.Lock()
	f := s.created
	s.created = nil
	s.mu.Unlock()
	if f != nil {
		f(s)
	}
}
