package main

import (
	"bytes"
	"database/sql"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"github.com/modelverifier/verifier/internal/blob/s3test"
	"github.com/modelverifier/verifier/internal/store/pgtest"
)

// visit runs the doctor and returns its exit code and its lines.
func visit(t *testing.T, env map[string]string, args ...string) (int, string) {
	t.Helper()
	var out, fault bytes.Buffer
	code := run(t.Context(), append(args, "doctor"), func(name string) string { return env[name] }, nil, &out, &fault)
	return code, out.String() + fault.String()
}

func TestTheDoctorFindsNothingWrongBeforeTheFirstStart(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	code, said := visit(t, nil, "--addr", "127.0.0.1:0", "--data", data)
	if code != 0 || strings.Contains(said, "FAIL") {
		t.Errorf("%d\n%s", code, said)
	}
	for _, e := range examinations {
		if !strings.Contains(said, e.name) {
			t.Errorf("%s is missing in\n%s", e.name, said)
		}
	}
	if _, err := os.Stat(data); !os.IsNotExist(err) {
		t.Errorf("the doctor made the folder: %v", err)
	}
}

func TestTheDoctorNamesWhatIsWrong(t *testing.T) {
	data := t.TempDir()
	if err := os.Chmod(data, 0o700); err != nil {
		t.Fatal(err)
	}
	with := func(args ...string) []string {
		return append([]string{"--addr", "127.0.0.1:0", "--data", data}, args...)
	}
	var out, fault bytes.Buffer
	if code := run(t.Context(), with("migrate"), func(string) string { return "" }, nil, &out, &fault); code != 0 {
		t.Fatal(fault.String())
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	open := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(open, []byte("keymark"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		env  map[string]string
		args []string
		code int
		says []string
	}{
		{nil, nil, 0, []string{"ok    database       sqlite 3.", "is the one that this program needs", "open to its owner alone"}},
		{nil, []string{"--addr", taken.Addr().String()}, exitFault, []string{"FAIL  address", "in use by another program", "choose another address"}},
		{nil, []string{"--public-url", "example.org"}, exitFault, []string{"FAIL  configuration", "such as https://www.example.org"}},
		{nil, []string{"--provider-format", "chat", "--provider-model", "m", "--provider-key-file", open}, exitFault, []string{"FAIL  permissions", "chmod 600 " + open}},
		{nil, []string{"--database-url", "postgres://127.0.0.1:1/none"}, exitFault, []string{"FAIL  database", "--database-url"}},
		{nil, []string{"--weights-url", "s3://nobucket?region=eu-central-1&endpoint=http://127.0.0.1:1"}, exitFault, []string{"FAIL  weights", "AWS_ACCESS_KEY_ID"}},
		{nil, []string{"--oidc-issuer", "http://127.0.0.1:1", "--oidc-client", "c", "--oidc-secret", "keymark"}, exitFault, []string{"FAIL  sign-in", "--oidc-issuer"}},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, nil, exitFault, []string{"FAIL  traces", "http/protobuf"}},
		{map[string]string{envWorkerToken: "mvw_keymark"}, nil, exitFault, []string{"FAIL  workers", "worker-add"}},
	} {
		code, said := visit(t, c.env, with(c.args...)...)
		for _, want := range c.says {
			if !strings.Contains(said, want) {
				t.Errorf("%v: %q is missing in\n%s", c.args, want, said)
			}
		}
		if code != c.code || strings.Contains(said, "keymark") {
			t.Errorf("%v: %d\n%s", c.args, code, said)
		}
	}
	if err := os.Chmod(filepath.Join(data, "verifier.db"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, said := visit(t, nil, with()...); code != exitFault || !strings.Contains(said, "chmod 600") {
		t.Errorf("%d\n%s", code, said)
	}
}

// TestTheDoctorLooksAtPostgresAndS3 has real ones: an old, a present and a newer schema, and a bucket.
func TestTheDoctorLooksAtPostgresAndS3(t *testing.T) {
	address := pgtest.New(t)
	objects := s3test.Start(t, t.TempDir())
	args := []string{"--addr", "127.0.0.1:0", "--database-url", address, "--weights-url", objects.Address()}
	if code, said := visit(t, nil, args...); code == 0 || !strings.Contains(said, "may be lost with its machine") || !strings.Contains(said, "serve migrates it") {
		t.Errorf("a server without fsync and a schema: %d\n%s", code, said) // the one that tests share does not wait for the disk
	}
	durable := pgtest.Start(t).Database(t)
	args[3] = durable
	var out, fault bytes.Buffer
	if code := run(t.Context(), append(args[:len(args):len(args)], "migrate"), func(string) string { return "" }, nil, &out, &fault); code != 0 {
		t.Fatal(fault.String())
	}
	code, said := visit(t, nil, args...)
	for _, want := range []string{"ok    database       postgres ", "is the one that this program needs", "took, gave back and removed an object", "ok    clock          the clock of the database"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is missing in\n%s", want, said)
		}
	}
	if code != 0 {
		t.Errorf("%d\n%s", code, said)
	}
	db, err := sql.Open("pgx", durable)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)"); err != nil {
		t.Fatal(err)
	}
	if code, said := visit(t, nil, args...); code != exitFault || !strings.Contains(said, "start the newer version") {
		t.Errorf("%d\n%s", code, said)
	}
	objects.Kill()
	if code, said := visit(t, nil, args...); code != exitFault || !strings.Contains(said, "FAIL  weights") {
		t.Errorf("%d\n%s", code, said)
	}
}
