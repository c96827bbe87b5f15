// Package hosted_test holds what operators deploy to what the tools of Compose and Helm themselves say about it.
package hosted_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	strict "sigs.k8s.io/yaml"

	"github.com/modelverifier/verifier/internal/nodetest"
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

// render runs helm template.
func render(t *testing.T, values ...string) (string, error) {
	t.Helper()
	args := []string{"template", "verifier", "helm"}
	for _, v := range values {
		args = append(args, "--set", v)
	}
	cmd := exec.Command(nodetest.Tool(t, "helm"), args...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// objects decodes what was rendered into Kubernetes' own types; a field that they do not have is an error.
func objects(t *testing.T, text string) map[string]any {
	t.Helper()
	out := map[string]any{}
	for d := yaml.NewDecoder(strings.NewReader(text)); ; {
		var doc map[string]any
		if err := d.Decode(&doc); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		kind, _ := doc["kind"].(string)
		object := map[string]any{"Deployment": &apps.Deployment{}, "Service": &core.Service{}, "ServiceAccount": &core.ServiceAccount{},
			"PodDisruptionBudget": &policy.PodDisruptionBudget{}, "Ingress": &networking.Ingress{}, "HorizontalPodAutoscaler": &autoscaling.HorizontalPodAutoscaler{}}[kind]
		if object == nil {
			t.Fatalf("a %q is rendered", kind)
		}
		one, err := yaml.Marshal(doc)
		if err == nil {
			err = strict.UnmarshalStrict(one, object)
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", kind, err, one)
		}
		out[kind] = object
	}
}

var least = []string{"publicURL=https://verifier.example.org", "weightsURL=s3://weights?region=eu-central-1"}

func TestHelmRendersWhatKubernetesTakes(t *testing.T) {
	out, err := render(t, least...)
	if err != nil {
		t.Fatal(out)
	}
	all := objects(t, out)
	d, ok := all["Deployment"].(*apps.Deployment)
	if !ok || *d.Spec.Replicas != 3 || d.Spec.Strategy.RollingUpdate.MaxUnavailable.IntValue() != 0 {
		t.Fatalf("%+v", d)
	}
	pod := d.Spec.Template.Spec
	c := pod.Containers[0]
	if c.ReadinessProbe.HTTPGet.Path != "/readyz" || c.ReadinessProbe.HTTPGet.Port.StrVal != "inside" || *pod.TerminationGracePeriodSeconds != 48 || !*c.SecurityContext.ReadOnlyRootFilesystem {
		t.Errorf("%+v", c)
	}
	if !slices.ContainsFunc(c.Env, func(e core.EnvVar) bool {
		return e.Name == "VERIFIER_DATABASE_URL_FILE" && e.Value == "/run/secrets/database/url"
	}) {
		t.Errorf("%+v", c.Env)
	}
	for _, m := range c.VolumeMounts {
		if !slices.ContainsFunc(pod.Volumes, func(v core.Volume) bool { return v.Name == m.Name }) {
			t.Errorf("%s is mounted from nowhere", m.Name)
		}
	}
	more := append(slices.Clone(least), "ingress.enabled=true", "ingress.host=verifier.example.org", "ingress.tlsSecret=tls", "ingress.className=nginx", "autoscaling.enabled=true",
		"oidc.issuer=https://id.example.org", "oidc.client=verifier", "oidc.secret=verifier-oidc", "databaseCASecret=ca", "trustedProxies=10.0.0.0/8", "env.VERIFIER_KEY_RATE=6000", "s3Secret=")
	if out, err = render(t, more...); err != nil {
		t.Fatal(out)
	}
	all = objects(t, out)
	if len(all) != 6 || all["Deployment"].(*apps.Deployment).Spec.Replicas != nil {
		t.Errorf("%d kinds of objects", len(all))
	}
}

func TestHelmRefusesWhatCannotWork(t *testing.T) {
	for says, values := range map[string][]string{
		"publicURL":    {"weightsURL=s3://weights"},
		"weightsURL":   {least[0], "weightsURL=file:///weights"},
		"oidc.client":  append(slices.Clone(least), "oidc.issuer=https://x"),
		"ingress.host": append(slices.Clone(least), "ingress.enabled=true"),
		"replicas":     append(slices.Clone(least), "replicas=0"),
	} {
		if out, err := render(t, values...); err == nil || !strings.Contains(out, says) {
			t.Errorf("%v: %v %s", values, err, out)
		}
	}
	cmd := exec.Command(nodetest.Tool(t, "helm"), "lint", "--strict", "helm", "--set", strings.Join(least, ","))
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
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
