//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"
)

// mistake is a wrong configuration, and what the program must say about it.
type mistake struct {
	args []string
	says []string
}

// mistakes are made in turn. Options that come later replace those of the replica.
func (s *soak) mistakes() []mistake {
	return []mistake{
		{[]string{"--database-url", "mysql://x"}, []string{"sqlite: or postgres:", `"mysql"`}},
		{[]string{"--database-url", "postgres://verifier@" + network + numbers["db1"] + ":" + postgresPort + "," + network + numbers["db2"] + ":" + postgresPort + "/nosuch?target_session_attrs=read-write"},
			[]string{`"nosuch" does not exist`}},
		{[]string{"--weights-url", "ftp://x"}, []string{"--weights-url"}},
		{[]string{"--worker-lease", "soon"}, []string{"--worker-lease", `"soon"`}},
		{[]string{"--public-url", "www.example.org"}, []string{"www.example.org", "a scheme and a host"}},
		{[]string{"--trusted-proxies", "10.77.0.300"}, []string{"--trusted-proxies", "10.77.0.300"}},
		{[]string{"--addr", network + "99:8080"}, []string{"cannot listen on " + network + "99:8080"}},
	}
}

var _ = define(fault{
	name: "a replica with a wrong configuration",
	all:  true,
	run: func(ctx context.Context, s *soak) (time.Time, error) {
		from, r := time.Now(), s.replicas[s.load.draw(len(s.replicas))]
		if err := r.process.stop(syscall.SIGTERM, stopWithin); err != nil {
			return from, err
		}
		all := s.mistakes()
		m := all[s.load.draw(len(all))]
		wrong, err := r.start(nil, r.environment(), r.program, slices.Concat(r.args, m.args)...)
		if err != nil {
			return from, err
		}
		select {
		case <-wrong.ended:
		case <-time.After(20 * time.Second):
			_ = wrong.stop(syscall.SIGKILL, time.Second)
			return from, fmt.Errorf("with %v it starts: %s", m.args, wrong.said())
		}
		if wrong.err == nil {
			err = fmt.Errorf("with %v it ends without an error", m.args)
		}
		for _, word := range m.says {
			if !strings.Contains(wrong.said(), word) {
				err = errors.Join(err, fmt.Errorf("with %v it does not say %s: %s", m.args, word, wrong.said()))
			}
		}
		if err != nil {
			return from, err
		}
		err = r.serve()
		pause(ctx, time.Second)
		return from, err
	},
})
