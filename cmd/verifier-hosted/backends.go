package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/jobs"
	"github.com/modelverifier/verifier/internal/jobs/kubernetes"
	localworker "github.com/modelverifier/verifier/internal/jobs/local"
	"github.com/modelverifier/verifier/internal/jobs/slurm"
)

// backendConfig is what the options say about where jobs run, beside the workers that ask by themselves.
type backendConfig struct {
	local        localworker.Mode
	python, data string // of the local worker
	slurm        *slurm.Config
	kubernetes   *kubernetes.Config
}

// maxBackendFile is how much of a file is read that describes a cluster.
const maxBackendFile = 1 << 20

// read makes it of the values, or says which option is wrong.
func (c *backendConfig) read(value func(string) string) (option string, err error) {
	if c.local, err = localworker.ParseMode(value("local-worker")); err != nil {
		return "local-worker", err
	}
	c.python, c.data = value("python"), value("worker-data")
	if c.slurm, err = described(value("slurm"), slurm.Parse); err != nil {
		return "slurm", err
	}
	if c.kubernetes, err = described(value("kubernetes"), kubernetes.Parse); err != nil {
		return "kubernetes", err
	}
	return "", nil
}

// described reads a file that describes a cluster; nil where none is named.
func described[C any](file string, parse func([]byte) (C, error)) (*C, error) {
	if file == "" {
		return nil, nil
	}
	text, err := fence.Read(file, maxBackendFile)
	if err != nil {
		return nil, err
	}
	c, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &c, nil
}

// backends gives a service what the options name. It returns what runs beside the service until its context ends, and what is to be
// closed behind that.
func (p *program) backends(s *jobs.Service, listens net.Addr) (run func(context.Context), closing func() error, err error) {
	closing = func() error { return nil }
	if c := p.backend.slurm; c != nil {
		b, err := slurm.New(*c)
		if err != nil {
			return nil, nil, usageError{fmt.Errorf("--slurm: %w", err)}
		}
		closing = b.Close
		s.Backends = append(s.Backends, b)
	}
	if c := p.backend.kubernetes; c != nil {
		b, err := kubernetes.New(*c)
		if err != nil {
			return nil, nil, errors.Join(usageError{fmt.Errorf("--kubernetes: %w", err)}, closing())
		}
		s.Backends = append(s.Backends, b)
	}
	if p.backend.local == localworker.Off {
		return func(context.Context) {}, closing, nil
	}
	o := localworker.Options{Mode: p.backend.local, Python: p.backend.python, Data: p.backend.data, Server: local(listens), Name: workerName(listens), Log: p.log}
	if p.data != "" {
		o.Folder = filepath.Join(p.data, "local")
	}
	b := localworker.New(o, s)
	s.Backends = append(s.Backends, b)
	return b.Run, closing, nil
}

// workerName is that of the local worker: replicas share a database, but no machine and port.
func workerName(listens net.Addr) string {
	host, err := os.Hostname()
	if err != nil {
		host = "here"
	}
	_, port, _ := net.SplitHostPort(listens.String())
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' {
			return r
		}
		return '-'
	}, host)
	return "local-" + name[:min(len(name), 40)] + "-" + port
}

// accompanied serves with something beside it. When the context ends, that ends first: a local worker then gives its job back to a
// service that still answers.
func accompanied(ctx context.Context, beside func(context.Context), serve func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		beside(ctx)
		<-ctx.Done()
		stop()
		close(ended)
	}()
	err := serve(serving)
	cancel()
	<-ended
	return err
}
