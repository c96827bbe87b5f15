package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/hostedapi/pages"
	"github.com/modelverifier/verifier/internal/store"
)

func migrate(ctx context.Context, p *program, _ []string) error {
	s, err := p.ready(ctx)
	if err != nil {
		return err
	}
	is, _, err := s.Schema(ctx)
	if err == nil {
		fmt.Fprintf(p.stdout, "the database has schema %d\n", is)
	}
	return errors.Join(err, s.Close())
}

// backup writes an archive. A file appears under its name when it is whole and on the disk.
func backup(ctx context.Context, p *program, args []string) (err error) {
	s, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if args[0] == "-" {
		_, err = s.Backup(ctx, p.stdout, clock())
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(args[0]), ".backup-*") // only its owner may read it
	if err != nil {
		return err
	}
	n, err := s.Backup(ctx, f, clock())
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), args[0])
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	fmt.Fprintf(p.stdout, "%d rows are in %s\n", n, args[0])
	return nil
}

// restore fills an empty database.
func restore(ctx context.Context, p *program, args []string) (err error) {
	from := p.stdin
	if args[0] != "-" {
		f, err := os.Open(args[0])
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		from = io.Reader(f)
	}
	s, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	n, err := s.Restore(ctx, from)
	if err == nil {
		fmt.Fprintf(p.stdout, "%d rows were restored\n", n)
	}
	return err
}

// link prints an address that was made for the operator.
func (p *program) link(ctx context.Context, make func(*account.Service) (string, error), address func(base, link string) string) (err error) {
	s, err := p.ready(ctx)
	if err != nil {
		return err
	}
	defer func(s *store.Store) { err = errors.Join(err, s.Close()) }(s)
	link, err := make(&account.Service{Store: s.Accounts(), Clock: clock})
	if err != nil {
		return err
	}
	base := p.hosted.PublicURL
	if base == "" {
		base = "http://" + p.addr
	}
	fmt.Fprintf(p.stdout, "This link works once:\n\n  %s\n\n", address(base, link))
	return nil
}

func createAdmin(ctx context.Context, p *program, _ []string) error {
	return p.link(ctx, func(s *account.Service) (string, error) { return s.AdminLink(ctx) }, pages.StartURL)
}

func resetPassword(ctx context.Context, p *program, args []string) error {
	return p.link(ctx, func(s *account.Service) (string, error) {
		link, err := s.ResetLink(ctx, args[0])
		if errors.Is(err, account.ErrNotFound) {
			err = errors.New("nobody has this e-mail address")
		}
		return link, err
	}, pages.ResetURL)
}
