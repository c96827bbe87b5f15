//go:build linux

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"
)

// upgrade replaces the program of one replica after the other by the present one, which migrates the database while the others still run what
// was before. It happens once in a run, first of all: no program goes back to an older schema.
var upgrade = &fault{
	name: "upgrade from the former schema",
	all:  true,
	needs: func(s *soak) error {
		if s.former == "" {
			return errors.New("no former version was built: make soak does, from the git history")
		}
		return nil
	},
	run: func(ctx context.Context, s *soak) (time.Time, error) {
		from := time.Now()
		s.load.answeredBy(present, formerVersion)
		for _, r := range s.replicas {
			if err := r.restart(ctx, s.program); err != nil {
				return from, err
			}
		}
		pause(ctx, time.Second) // answers of the former one may be under way
		s.load.answeredBy(present)
		return from, nil
	},
}

// formerProgram is the program that make soak built from an older commit, with that commit's recorded answers beside it; empty: there is none.
func formerProgram(folder string) string {
	file := filepath.Join(folder, "verifier-hosted")
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	return file
}
