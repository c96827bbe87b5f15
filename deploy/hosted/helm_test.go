//go:build helm

package hosted_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
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
