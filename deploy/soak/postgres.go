//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// postgres is a server of the pair: the primary, or the standby that receives what the primary writes before that is acknowledged.
type postgres struct {
	*host
	bin     string
	as      *syscall.Credential // the server refuses to run as root
	data    string              // on a disk that can be slow
	tables  string              // on one that can be full: a disk on which PostgreSQL cannot write its log stops PostgreSQL itself
	process *process
}

const (
	postgresPort = "5432"
	database     = "verifier"
	superuser    = "postgres"
)

// newPostgres gives a host the disks of a database server.
func newPostgres(h *host) (*postgres, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		path, err := exec.LookPath("initdb")
		if err != nil {
			return nil, errors.New("initdb is not installed (Debian: apt-get install postgresql)")
		}
		found = []string{path}
	}
	p := &postgres{host: h, bin: filepath.Dir(found[len(found)-1])}
	who, err := user.Lookup("postgres")
	if err != nil {
		if who, err = user.Lookup("nobody"); err != nil {
			return nil, err
		}
	}
	uid, _ := strconv.ParseUint(who.Uid, 10, 32)
	gid, _ := strconv.ParseUint(who.Gid, 10, 32)
	p.as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	disk, err := h.loop("disk", 1024)
	if err != nil {
		return nil, err
	}
	p.data = filepath.Join(disk, "data")
	if p.tables, err = h.memory("tables", 192); err != nil {
		return nil, err
	}
	return p, h.on(func() error {
		return errors.Join(os.Chown(h.dir, int(uid), int(gid)), os.Chown(disk, int(uid), int(gid)), os.Chown(p.tables, int(uid), int(gid)))
	})
}

// tool runs one of PostgreSQL's programs.
func (p *postgres) tool(name string, args ...string) (string, error) {
	return p.command(&syscall.SysProcAttr{Credential: p.as}, filepath.Join(p.bin, name), args...)
}

// sql runs a statement as the operator, and returns its only value.
func (p *postgres) sql(db, statement string) (string, error) {
	out, err := p.commandIn([]string{"PGCONNECT_TIMEOUT=2"}, &syscall.SysProcAttr{Credential: p.as}, "psql", "-h", p.dir, "-U", superuser, "-d", db, "-XAtqc", statement)
	return strings.TrimSpace(out), err
}

// settings are those of both servers. The standby asks for what it missed from what the primary still has.
var settings = []string{"listen_addresses=*", "wal_level=replica", "max_wal_senders=8", "wal_keep_size=128MB", "max_wal_size=256MB", "hot_standby=on", "wal_log_hints=on",
	"wal_sender_timeout=5s", "wal_receiver_timeout=5s", "wal_receiver_status_interval=1s", "wal_retrieve_retry_interval=500ms", "max_connections=120", "shared_buffers=64MB",
	"tcp_keepalives_idle=5", "tcp_keepalives_interval=1", "tcp_keepalives_count=3", "tcp_user_timeout=5s"}

// found makes an empty cluster with the service's database, whose tables lie on a disk of their own.
func (p *postgres) found(net string) error {
	if _, err := p.tool("initdb", "-D", p.data, "-U", superuser, "-A", "trust", "-E", "UTF8", "--locale=C"); err != nil {
		return err
	}
	err := p.on(func() error {
		f, err := os.OpenFile(filepath.Join(p.data, "pg_hba.conf"), os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		// Nobody else is on this network. On a real one each host has a password and TLS: docs/operations.md.
		_, err = fmt.Fprintf(f, "host all all %s trust\nhost replication all %s trust\n", net, net)
		return errors.Join(err, f.Close())
	})
	if err = errors.Join(err, p.serve()); err != nil {
		return err
	}
	for _, statement := range []string{"CREATE TABLESPACE tables LOCATION '" + p.tables + "'", "CREATE ROLE verifier LOGIN", "CREATE DATABASE " + database + " OWNER verifier TABLESPACE tables"} {
		if _, err := p.sql("postgres", statement); err != nil {
			return err
		}
	}
	return nil
}

// serve starts the server and waits until it answers.
func (p *postgres) serve() (err error) {
	args := []string{"-D", p.data, "-k", p.dir, "-p", postgresPort}
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	if p.process, err = p.start(p.as, nil, filepath.Join(p.bin, "postgres"), args...); err != nil {
		return err
	}
	return wait(time.Minute, "PostgreSQL on "+p.name, func() error {
		if !p.process.running() {
			return final{fmt.Errorf("postgres ended: %s", p.process.said())}
		}
		_, err := p.sql("postgres", "SELECT 1")
		return err
	})
}

// follow makes the server a copy of another one, and its standby. What it had is gone.
func (p *postgres) follow(primary *postgres) error {
	if err := p.on(func() error { return errors.Join(clearFolder(p.data), clearFolder(p.tables)) }); err != nil {
		return err
	}
	_, err := p.tool("pg_basebackup", "-h", primary.ip, "-p", postgresPort, "-U", superuser, "-D", p.data, "-R", "-X", "stream", "-c", "fast",
		"-T", primary.tables+"="+p.tables)
	if err != nil {
		return err
	}
	if err := p.alone(); err != nil {
		return err
	}
	if err := p.serve(); err != nil {
		return err
	}
	err = wait(time.Minute, "the standby "+p.name, func() error {
		state, err := primary.sql("postgres", "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'")
		if err == nil && state != "1" {
			err = fmt.Errorf("%s standbys stream", state)
		}
		return err
	})
	if err != nil {
		return err
	}
	return primary.synchronous("*")
}

// alone writes into the settings of a stopped server that its commits wait for nobody: should it be promoted, it is the only one.
func (p *postgres) alone() error {
	return p.on(func() error {
		f, err := os.OpenFile(filepath.Join(p.data, "postgresql.auto.conf"), os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(f, "synchronous_standby_names = ''")
		return errors.Join(err, f.Close())
	})
}

// synchronous says whose acknowledgement commits wait for: nobody's (empty) while there is one server alone.
func (p *postgres) synchronous(whom string) error {
	_, err := p.sql("postgres", "ALTER SYSTEM SET synchronous_standby_names = '"+whom+"'")
	if err == nil {
		_, err = p.sql("postgres", "SELECT pg_reload_conf()")
	}
	return err
}

// promote makes a standby the primary.
func (p *postgres) promote() error {
	_, err := p.tool("pg_ctl", "promote", "-D", p.data, "-w", "-t", "30")
	return err
}

// kill ends the server as a power cut does.
func (p *postgres) kill() {
	_ = p.process.stop(syscall.SIGKILL, time.Second)
	// Its children notice that it has gone; their shared memory is in the way of the next start until they have.
	time.Sleep(200 * time.Millisecond)
}

// clearFolder removes what is in a folder.
func clearFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil
	}
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return err
}

// final is an error that waiting does not mend.
type final struct{ error }

// wait tries something until it works.
func wait(most time.Duration, what string, f func() error) error {
	for end := time.Now().Add(most); ; time.Sleep(50 * time.Millisecond) {
		err := f()
		if err == nil {
			return nil
		}
		if errors.As(err, &final{}) || time.Now().After(end) {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
}
