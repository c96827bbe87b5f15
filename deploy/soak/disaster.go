//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// disaster loses both database servers with their disks, and brings the service back from a backup, by the script that operators have.
func (s *soak) disaster(ctx context.Context, script string) error {
	archive := filepath.Join(s.base, "archive")
	began := time.Now()
	if _, err := s.replicas[0].operate("backup", archive); err != nil {
		return err
	}
	info, err := os.Stat(archive)
	if err != nil {
		return err
	}
	s.print("disaster: a backup of %d KB took %v\n", info.Size()>>10, time.Since(began).Round(10*time.Millisecond))
	for _, r := range s.replicas {
		_ = r.process.stop(syscall.SIGKILL, time.Second)
	}
	for _, p := range []*postgres{s.primary, s.standby} {
		p.kill()
		if err := p.on(func() error { return errors.Join(clearFolder(p.data), clearFolder(p.tables)) }); err != nil {
			return err
		}
	}
	lost := time.Now()
	if err := s.primary.found(network + "0/24"); err != nil {
		return err
	}
	r := s.replicas[0]
	env := append(r.environment(), "VERIFIER_DATABASE_URL="+s.dsn(), "VERIFIER_HOSTED="+r.program, "VERIFIER_DATA="+filepath.Join(r.dir, "data"))
	said, err := r.commandIn(env, nil, "sh", script, archive)
	if err != nil {
		return err
	}
	for _, r := range s.replicas {
		if err := r.serve(); err != nil {
			return err
		}
	}
	if err := s.load.warm(ctx); err != nil {
		return err
	}
	s.print("disaster: both servers and their disks lost; the service answers %v later (%s)\n", time.Since(lost).Round(10*time.Millisecond), restored(said))
	if err := s.standby.follow(s.primary); err != nil {
		return fmt.Errorf("a new standby: %w", err)
	}
	return nil
}

// restored is the line of the script that counts rows.
func restored(said string) string {
	for line := range strings.Lines(said) {
		if strings.Contains(line, "rows") {
			return strings.TrimSpace(line)
		}
	}
	return "it does not say how many rows"
}
