package comment

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/comment/commenttest"
)

// services are the two, on one server, with how long each waited.
func services(t *testing.T, s *commenttest.Server) map[string]Service {
	t.Helper()
	hub, err := GitHub(s.URL, commenttest.Job, commenttest.Repository, commenttest.Number, "verifier/test")
	if err != nil {
		t.Fatal(err)
	}
	lab, err := GitLab(s.URL+"/api/v4/", commenttest.GitLab, commenttest.Project, commenttest.Number, "verifier/test")
	if err != nil {
		t.Fatal(err)
	}
	return map[string]Service{"github": hub, "gitlab": lab}
}

// each runs a test on a fresh server of each kind. Waiting is written down and not done.
func each(t *testing.T, test func(t *testing.T, s *commenttest.Server, v Service, author string, waited *[]time.Duration)) {
	for _, name := range []string{"github", "gitlab"} {
		t.Run(name, func(t *testing.T) {
			s := commenttest.Serve(t)
			v := services(t, s)[name]
			var waited []time.Duration
			wait := func(_ context.Context, d time.Duration) error { waited = append(waited, d); return nil }
			author := "github-actions[bot]"
			switch v := v.(type) {
			case *github:
				v.wait = wait
			case *gitlab:
				v.wait, author = wait, "project_42_bot"
			}
			test(t, s, v, author, &waited)
		})
	}
}

var tag = Tag("")

func post1(t *testing.T, v Service, body string, worth bool, want Done) {
	t.Helper()
	if done, err := Post(t.Context(), v, tag, tag+"\n"+body, worth); err != nil || done != want {
		t.Fatalf("%s, %v; want %s", done, err, want)
	}
}

func bodies(s *commenttest.Server) (out []string) {
	for _, c := range s.Comments() {
		out = append(out, strings.TrimPrefix(c.Body, tag+"\n"))
	}
	return out
}

func TestOneCommentIsCreatedUpdatedAndLeftAlone(t *testing.T) {
	each(t, func(t *testing.T, s *commenttest.Server, v Service, _ string, _ *[]time.Duration) {
		post1(t, v, "nothing", false, Silent)
		if len(s.Comments()) != 0 {
			t.Fatal("it is not silent")
		}
		post1(t, v, "one", true, Created)
		post1(t, v, "two", true, Updated)
		post1(t, v, "two", true, Kept)
		post1(t, v, "corrected", false, Updated)
		if got := bodies(s); len(got) != 1 || got[0] != "corrected" {
			t.Errorf("%q", got)
		}
	})
}

func TestCommentsOfOthersAreNotTouched(t *testing.T) {
	each(t, func(t *testing.T, s *commenttest.Server, v Service, author string, _ *[]time.Duration) {
		s.Add(commenttest.Comment{Body: tag + "\nI wrote the tag myself", Author: "mallory"})
		s.Add(commenttest.Comment{Body: "> " + tag + "\nquoted", Author: author, Bot: true})
		s.Add(commenttest.Comment{Body: Tag("other") + "\nanother workflow", Author: author, Bot: true})
		post1(t, v, "mine", true, Created)
		post1(t, v, "mine now", true, Updated)
		got := bodies(s)
		if len(got) != 4 || got[0] != "I wrote the tag myself" || got[3] != "mine now" {
			t.Errorf("%q", got)
		}
	})
}

func TestAPersonsTokenFindsItsOwnComment(t *testing.T) {
	s := commenttest.Serve(t)
	v, err := GitHub(s.URL, commenttest.Person, commenttest.Repository, commenttest.Number, "verifier/test")
	if err != nil {
		t.Fatal(err)
	}
	s.Add(commenttest.Comment{Body: tag + "\na bot's", Author: "github-actions[bot]", Bot: true})
	post1(t, v, "one", true, Created)
	post1(t, v, "two", true, Updated)
	if got := bodies(s); len(got) != 2 || got[1] != "two" {
		t.Errorf("%q", got)
	}
}

func TestTheCommentIsFoundOnTheLastPage(t *testing.T) {
	each(t, func(t *testing.T, s *commenttest.Server, v Service, author string, _ *[]time.Duration) {
		for i := range 250 {
			s.Add(commenttest.Comment{Body: fmt.Sprint("talk ", i), Author: "octo"})
		}
		s.Add(commenttest.Comment{Body: tag + "\nold", Author: author, Bot: true})
		post1(t, v, "new", true, Updated)
		if got := bodies(s); got[250] != "new" {
			t.Errorf("%q", got[250])
		}
	})
}

func TestOfTwoRunsOneCommentStays(t *testing.T) {
	each(t, func(t *testing.T, s *commenttest.Server, v Service, author string, _ *[]time.Duration) {
		// The other run was first: its comment is older, and stays with what was posted last.
		s.OnCreate(func(s *commenttest.Server) {
			s.Add(commenttest.Comment{ID: 50, Body: tag + "\ntheirs", Author: author, Bot: true})
		})
		post1(t, v, "mine", true, Updated)
		if c := s.Comments(); len(c) != 1 || c[0].ID != 50 || c[0].Body != tag+"\nmine" {
			t.Errorf("%+v", c)
		}
	})
	each(t, func(t *testing.T, s *commenttest.Server, v Service, author string, _ *[]time.Duration) {
		// The other run was second: it takes care of its own, and the next run of what it left behind.
		s.OnCreate(func(s *commenttest.Server) {
			s.Add(commenttest.Comment{Body: tag + "\ntheirs", Author: author, Bot: true})
		})
		post1(t, v, "mine", true, Created)
		if c := s.Comments(); len(c) != 2 {
			t.Errorf("%+v", c)
		}
		post1(t, v, "mine", true, Kept)
		if got := bodies(s); len(got) != 1 || got[0] != "mine" {
			t.Errorf("%q", got)
		}
	})
}

func TestOfManyRunsAtOnceOneCommentStays(t *testing.T) {
	each(t, func(t *testing.T, s *commenttest.Server, v Service, _ string, _ *[]time.Duration) {
		var runs sync.WaitGroup
		for i := range 8 {
			one := services(t, s)[strings.TrimPrefix(fmt.Sprintf("%T", v), "*comment.")]
			runs.Go(func() {
				if _, err := Post(t.Context(), one, tag, fmt.Sprint(tag, "\nrun ", i), true); err != nil {
					t.Error(err)
				}
			})
		}
		runs.Wait()
		if got := bodies(s); len(got) != 1 {
			t.Errorf("%q", got)
		}
	})
}

func TestACommentThatVanishesIsWrittenAgain(t *testing.T) {
	each(t, func(t *testing.T, s *commenttest.Server, v Service, author string, _ *[]time.Duration) {
		s.Add(commenttest.Comment{Body: tag + "\nold", Author: author, Bot: true})
		s.Fail(commenttest.Fault{}, commenttest.Fault{}, commenttest.Fault{Status: 404, Body: `{"message":"Not Found"}`}) // who, list, update
		post1(t, v, "new", true, Updated)
		if got := bodies(s); len(got) != 1 || got[0] != "new" {
			t.Errorf("%q", got)
		}
	})
}

func TestABusyServiceIsAskedAgain(t *testing.T) {
	each(t, func(t *testing.T, s *commenttest.Server, v Service, _ string, waited *[]time.Duration) {
		s.Fail(commenttest.Fault{Status: 429, Header: map[string]string{"Retry-After": "3"}}, commenttest.Fault{Status: 502},
			commenttest.Fault{Status: 403, Header: map[string]string{"X-RateLimit-Remaining": "0", "Retry-After": "2"}})
		post1(t, v, "one", true, Created)
		if got := fmt.Sprint(*waited); got != "[3s 2s 2s]" {
			t.Errorf("waited %s", got)
		}
	})
	each(t, func(t *testing.T, s *commenttest.Server, v Service, _ string, waited *[]time.Duration) {
		for range 9 {
			s.Fail(commenttest.Fault{Status: 503})
		}
		if _, err := Post(t.Context(), v, tag, tag, true); err == nil || !strings.Contains(err.Error(), "503") || len(*waited) != attempts-1 {
			t.Errorf("%v after %v", err, *waited)
		}
	})
	each(t, func(t *testing.T, s *commenttest.Server, v Service, _ string, waited *[]time.Duration) {
		s.Fail(commenttest.Fault{Status: 429, Header: map[string]string{"Retry-After": "3600"}})
		if _, err := Post(t.Context(), v, tag, tag, true); err == nil || !strings.Contains(err.Error(), "1h0m0s of patience") || len(*waited) != 0 {
			t.Errorf("%v after %v", err, *waited)
		}
	})
}

func TestAForkMayNotWrite(t *testing.T) {
	s := commenttest.Serve(t)
	v, err := GitHub(s.URL, commenttest.Fork, commenttest.Repository, commenttest.Number, "verifier/test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Post(t.Context(), v, tag, tag, true); !errors.Is(err, ErrForbidden) || !strings.Contains(err.Error(), "Resource not accessible by integration") {
		t.Error(err)
	}
}

func TestNoErrorHasTheToken(t *testing.T) {
	const secret = "hunter2-very-secret"
	s := commenttest.Serve(t)
	elsewhere := commenttest.Serve(t)
	v, err := GitHub(s.URL, secret, commenttest.Repository, commenttest.Number, "verifier/test")
	if err != nil {
		t.Fatal(err)
	}
	faults := []commenttest.Fault{
		{}, // bad credentials, which this server repeats
		{Status: 422, Body: `{"message":"` + secret + `"}`},
		{Status: 302, Header: map[string]string{"Location": elsewhere.URL + "/user"}},
		{Status: 200, Body: secret},
		{Status: 400, Body: `{"error":["` + secret + `"]}`},
	}
	for _, f := range faults {
		s.Fail(f)
		if _, err := Post(t.Context(), v, tag, tag, true); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%+v: %v", f, err)
		}
	}
	if len(elsewhere.Log()) > 0 {
		t.Errorf("the token went to another host: %v", elsewhere.Log())
	}
	for _, bad := range []string{secret + "\n", "a b", "a\r\nX: y", "é"} {
		if _, err := GitHub(s.URL, bad, commenttest.Repository, 1, ""); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	gone, err := GitHub("http://127.0.0.1:1", secret, commenttest.Repository, 1, "x")
	if err != nil {
		t.Fatal(err)
	}
	gone.(*github).wait = func(context.Context, time.Duration) error { return nil }
	if _, err := Post(t.Context(), gone, tag, tag, true); err == nil || strings.Contains(err.Error(), secret) {
		t.Error(err)
	}
}

func TestWhereACommentGoesIsChecked(t *testing.T) {
	for _, repository := range []string{"", "acme", "acme/nets/x", "acme/../x", "acme/nets?x", "../.."} {
		if _, err := GitHub("https://api.github.com", "t", repository, 1, ""); err == nil {
			t.Errorf("%q is a repository", repository)
		}
	}
	for _, address := range []string{"", "api.github.com", "ftp://a", "https://user:pw@a", "https://"} {
		if _, err := GitLab(address, "t", "1", 1, ""); err == nil {
			t.Errorf("%q is an address", address)
		}
	}
	if _, err := GitHub("https://api.github.com", "t", "a/b", 0, ""); err == nil {
		t.Error("there is no pull request 0")
	}
}
