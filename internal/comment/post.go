package comment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Service keeps the comments of one pull request.
type Service interface {
	// list returns those that the token's owner wrote.
	list(ctx context.Context) ([]posted, error)
	create(ctx context.Context, body string) (posted, error)
	update(ctx context.Context, id int64, body string) error
	remove(ctx context.Context, id int64) error
}

// posted is a comment that is there.
type posted struct {
	id   int64
	body string
	path string // of one on a line
	line int    // the last that it is about
}

// Done is what became of the comment.
type Done string

// What can become of it.
const (
	Silent  Done = "silent" // there was none, and there is nothing to say
	Created Done = "created"
	Updated Done = "updated"
	Kept    Done = "unchanged"
)

// rounds is how often a comment that vanishes while it is updated is looked for again.
const rounds = 3

// Post creates the comment, or brings it up to date. What is not worth a comment creates none, but one that says something else
// is corrected. Where another run has posted at the same time, the older comment stays, with what was posted last.
func Post(ctx context.Context, s Service, tag, body string, worth bool) (Done, error) {
	for n := 1; ; n++ {
		done, err := post(ctx, s, tag, body, worth)
		if errors.Is(err, errGone) && n < rounds {
			continue // someone deleted it just now
		}
		return done, err
	}
}

func post(ctx context.Context, s Service, tag, body string, worth bool) (Done, error) {
	own, err := tagged(ctx, s, tag)
	if err != nil {
		return "", err
	}
	if len(own) > 0 {
		return keep(ctx, s, own, body)
	}
	if !worth {
		return Silent, nil
	}
	mine, err := s.create(ctx, body)
	if err != nil {
		return "", err
	}
	own, err = tagged(ctx, s, tag)
	if err != nil {
		return Created, fmt.Errorf("the comment was written, but not looked at again: %w", err)
	}
	if len(own) < 2 || own[0].id == mine.id {
		return Created, nil // whoever came second takes care of its own
	}
	last := slices.IndexFunc(own, func(p posted) bool { return p.id == mine.id })
	return keep(ctx, s, own[:1+max(last, 0)], body) // of those that came later their own runs take care
}

// keep updates the oldest comment and removes the others.
func keep(ctx context.Context, s Service, own []posted, body string) (Done, error) {
	done := Kept
	if strings.TrimSpace(strings.ReplaceAll(own[0].body, "\r\n", "\n")) != strings.TrimSpace(body) {
		done = Updated
		if err := s.update(ctx, own[0].id, body); err != nil {
			return "", err
		}
	}
	for _, p := range own[1:] {
		if err := s.remove(ctx, p.id); err != nil && !errors.Is(err, errGone) {
			return done, err
		}
	}
	return done, nil
}

// tagged are the comments that begin with the tag, the oldest first. One that quotes it does not begin with it.
func tagged(ctx context.Context, s Service, tag string) ([]posted, error) {
	all, err := s.list(ctx)
	if err != nil {
		return nil, err
	}
	own := slices.DeleteFunc(all, func(p posted) bool { return !strings.HasPrefix(p.body, tag) })
	slices.SortFunc(own, func(a, b posted) int { return int(min(max(a.id-b.id, -1), 1)) })
	return own, nil
}
