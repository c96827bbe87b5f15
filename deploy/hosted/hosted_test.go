// Package hosted_test holds what operators deploy to what the tools of Compose and Helm themselves say about it.
package hosted_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// compose runs Compose's own reader on the file, in a folder that has the secrets.
func compose(t *testing.T, env ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("go", "run", "./compose", filepath.Join("..", "deploy", "hosted", "compose.yaml"))
	cmd.Dir, cmd.Env = filepath.Join("..", "..", "tools"), append(os.Environ(), env...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return said.String(), err
	}
	return out.String(), nil
}

func TestComposeReadsTheFile(t *testing.T) {
	if testing.Short() {
		t.Skip("builds Compose's reader")
	}
	out, err := compose(t, "VERIFIER_WEIGHTS_URL=s3://weights?region=eu-central-1")
	if err != nil {
		t.Fatal(out)
	}
	var doc struct {
		Services map[string]struct {
			Image       string
			Environment map[string]string
			Secrets     []struct{ Source string }
			ReadOnly    bool `yaml:"read_only"`
			Ports       []struct {
				HostIP string `yaml:"host_ip"`
			}
			Deploy struct{ Replicas int }
		}
	}
	if err := yaml.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	v := doc.Services["verifier"]
	if v.Deploy.Replicas != 3 || !v.ReadOnly || v.Environment["VERIFIER_DATABASE_URL_FILE"] != "/run/secrets/database-url" || len(v.Secrets) != 2 {
		t.Errorf("the replicas are %+v", v)
	}
	for name, s := range doc.Services {
		for variable, value := range s.Environment {
			if strings.Contains(strings.ToLower(variable), "password") && !strings.HasPrefix(value, "/run/secrets/") {
				t.Errorf("%s has a secret in %s", name, variable)
			}
		}
		for _, p := range s.Ports {
			if p.HostIP != "127.0.0.1" {
				t.Errorf("%s listens on %q", name, p.HostIP)
			}
		}
	}
	if said, err := compose(t); err == nil || !strings.Contains(said, "VERIFIER_WEIGHTS_URL") {
		t.Errorf("without an address for weights: %v %s", err, said)
	}
}

// TestTheBalancersConfigurationIsRead by HAProxy itself.
func TestTheBalancersConfigurationIsRead(t *testing.T) {
	program := "/usr/sbin/haproxy"
	if _, err := os.Stat(program); err != nil {
		if program, err = exec.LookPath("haproxy"); err != nil {
			t.Skip("haproxy is not installed: make test installs it where that is allowed")
		}
	}
	if out, err := exec.Command(program, "-c", "-f", "haproxy.cfg").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
