package pgtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Archiving returns a server of the test's own that copies its log into a folder as each part of it is full, as one does whose
// operator wants to go back to any moment. settings are more of PostgreSQL's own, such as max_wal_size=4GB.
func Archiving(tb testing.TB, settings ...string) *Server {
	tb.Helper()
	s, err := start(append([]string{"wal_level=replica", "max_wal_senders=4", "archive_mode=on", "archive_command=cp %p ../archive/%f"}, settings...)...)
	if err != nil {
		missing(tb, err)
	}
	tb.Cleanup(s.remove)
	s.folder(tb, s.archive())
	return s
}

func (s *Server) archive() string { return filepath.Join(s.dir, "archive") }

// folder makes one that the server can write.
func (s *Server) folder(tb testing.TB, path string) {
	tb.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		tb.Fatal(err)
	}
	if c := s.attr.Credential; c != nil {
		if err := os.Chown(path, int(c.Uid), int(c.Gid)); err != nil {
			tb.Fatal(err)
		}
	}
}

// BaseBackup copies the whole server with pg_basebackup while it runs.
func (s *Server) BaseBackup(tb testing.TB) {
	tb.Helper()
	cmd := exec.Command(filepath.Join(s.bin, "pg_basebackup"), "-D", filepath.Join(s.dir, "base"), "-h", s.dir, "-U", "test", "-c", "fast", "-X", "stream")
	cmd.Dir, cmd.SysProcAttr = s.dir, &syscall.SysProcAttr{Credential: s.attr.Credential}
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("pg_basebackup: %v\n%s", err, out)
	}
}

// SwitchLog has the part of the log that is being written archived, and waits until it is.
func (s *Server) SwitchLog(tb testing.TB) {
	tb.Helper()
	if err := s.admin("SELECT pg_switch_wal()"); err != nil {
		tb.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		waiting, err := filepath.Glob(filepath.Join(s.data(), "pg_wal", "archive_status", "*.ready"))
		if err == nil && len(waiting) == 0 {
			return
		}
		if time.Now().After(deadline) {
			tb.Fatalf("not archived: %v %v", waiting, err)
		}
	}
}

// RecoverTo starts the server anew from its base backup and its archived log, as it was at a moment. What was there is moved aside.
func (s *Server) RecoverTo(tb testing.TB, moment time.Time) {
	tb.Helper()
	s.Kill()
	if err := os.RemoveAll(s.data()); err != nil {
		tb.Fatal(err)
	}
	if err := os.Rename(filepath.Join(s.dir, "base"), s.data()); err != nil {
		tb.Fatal(err)
	}
	signal := filepath.Join(s.data(), "recovery.signal")
	if err := os.WriteFile(signal, nil, 0o600); err != nil {
		tb.Fatal(err)
	}
	if c := s.attr.Credential; c != nil {
		if err := os.Chown(signal, int(c.Uid), int(c.Gid)); err != nil {
			tb.Fatal(err)
		}
	}
	s.settings = append(s.settings, "restore_command=cp ../archive/%f %p", "recovery_target_action=promote",
		"recovery_target_time="+moment.UTC().Format("2006-01-02 15:04:05.000000+00"))
	if err := s.Start(); err != nil {
		tb.Fatal(err)
	}
}

// Recovered says whether the server has been brought to the moment and writes again.
func (s *Server) Recovered(tb testing.TB) {
	tb.Helper()
	for deadline := time.Now().Add(10 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		err := s.admin("CREATE TEMPORARY TABLE writes (one int)")
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			tb.Fatalf("%v\n%s", err, s.log)
		}
	}
}
