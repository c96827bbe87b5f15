package main

import (
	"bytes"
	"context"
	"database/sql"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// starts runs the program until it refuses to go on, and returns its exit code and what it said.
func starts(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out, fault bytes.Buffer
	code := run(t.Context(), args, func(string) string { return "" }, nil, &out, &fault)
	return code, out.String() + fault.String()
}

// TestATakenPortSaysWhatChangesIt has another listener at the address.
func TestATakenPortSaysWhatChangesIt(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	addr, data := taken.Addr().String(), filepath.Join(t.TempDir(), "data")
	code, said := starts(t, "--addr", addr, "--data", data)
	next := "RUN_ADDR=127.0.0.1:" + strconv.Itoa(taken.Addr().(*net.TCPAddr).Port+1)
	for _, want := range []string{"cannot listen on " + addr, "in use by another program", "--addr", "VERIFIER_ADDR", next} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is missing in %q", want, said)
		}
	}
	if code != exitUsage {
		t.Errorf("exit %d: a taken port is no fault of ours", code)
	}
	if _, err := os.Stat(data); err == nil {
		t.Error("a refused start made the data folder")
	}
}

func TestAnAddressThatCannotBeHadIsWrongUsage(t *testing.T) {
	for addr, want := range map[string]string{
		"8080":              "cannot listen on 8080: missing port in address, it must be HOST:PORT",
		"127.0.0.1:1234567": "invalid port",
		"192.0.2.1:80":      "this machine does not have that address", // reserved for documentation
	} {
		if code, said := starts(t, "--addr", addr, "--data", t.TempDir()); code != exitUsage || !strings.Contains(said, want) || !strings.Contains(said, "RUN_ADDR=HOST:PORT") {
			t.Errorf("%s: exit %d: %s", addr, code, said)
		}
	}
}

// TestADataFolderThatCannotBeUsedIsNamed has a file in its place, a folder in the database's place, and a file that is no database.
func TestADataFolderThatCannotBeUsedIsNamed(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "folder/verifier.db"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "letter"), 0o700); err != nil {
		t.Fatal(err)
	}
	write("file", "")
	write("letter/verifier.db", strings.Repeat("this is not a database ", 100))
	for name, want := range map[string]string{"file": "not a directory", "folder": "is a directory", "letter": "not a database"} {
		data := filepath.Join(dir, name)
		for _, command := range []string{"serve", "migrate"} {
			code, said := starts(t, "--addr", "127.0.0.1:0", "--data", data, command)
			if code != exitUsage || !strings.Contains(said, "the data folder "+data+" cannot be used") || !strings.Contains(said, want) || !strings.Contains(said, "--data or VERIFIER_DATA") {
				t.Errorf("%s %s: exit %d: %s", command, name, code, said)
			}
		}
	}
}

// TestADataFolderInUseIsNamed has another program hold the database's lock for longer than SQLite waits.
func TestADataFolderInUseIsNamed(t *testing.T) {
	data := t.TempDir()
	if code, said := starts(t, "--data", data, "migrate"); code != 0 {
		t.Fatal(code, said)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(data, "verifier.db")+"?_pragma=locking_mode(EXCLUSIVE)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	held, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if _, err := held.ExecContext(context.Background(), "BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	code, said := starts(t, "--addr", "127.0.0.1:0", "--data", data)
	if code != exitUsage || !strings.Contains(said, "the data folder "+data+" cannot be used") || !strings.Contains(said, "locked") {
		t.Errorf("exit %d: %s", code, said)
	}
}
