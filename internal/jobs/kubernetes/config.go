package kubernetes

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/training"
)

// Config is what an operator says of a cluster, in a YAML file (docs/clusters.md).
type Config struct {
	Kubeconfig string `yaml:"kubeconfig"` // file with the address and the credentials; empty: those of the pod in which the service runs
	Namespace  string `yaml:"namespace"`
	Image      string `yaml:"image"`     // of the worker
	Claim      string `yaml:"dataClaim"` // persistent volume claim with the datasets; empty: they are in the image

	CPU        bool              `yaml:"cpu"`      // takes jobs without a card
	Cards      map[string]string `yaml:"cards"`    // our name of a card to the value of the label; empty: those that nodes have
	Label      string            `yaml:"label"`    // of nodes, which says their card
	Resource   string            `yaml:"resource"` // that a card is
	Datasets   []string          `yaml:"datasets"` // that are there; empty: all
	CPUs       string            `yaml:"cpus"`     // processors of a job
	Memory     string            `yaml:"memory"`   // of a job
	Scratch    string            `yaml:"scratch"`  // disk of a job
	Margin     time.Duration     `yaml:"margin"`   // time beyond a job's own, for starting and for the upload
	Keep       time.Duration     `yaml:"keep"`     // how long a finished Job stays, for its log
	PullSecret string            `yaml:"pullSecret"`
	Priority   string            `yaml:"priorityClass"`
	Runtime    string            `yaml:"runtimeClass"`
	Tolerate   []Toleration      `yaml:"tolerations"`
}

// Toleration is one of a pod.
type Toleration struct {
	Key      string `yaml:"key"`
	Operator string `yaml:"operator"`
	Value    string `yaml:"value"`
	Effect   string `yaml:"effect"`
}

// defaults are those of what a file leaves out.
var defaults = Config{Label: "nvidia.com/gpu.product", Resource: "nvidia.com/gpu", CPUs: "4", Memory: "16Gi", Scratch: "20Gi", Margin: 10 * time.Minute, Keep: time.Hour}

// Parse reads a configuration.
func Parse(text []byte) (Config, error) {
	c := defaults
	err := yaml.UnmarshalWithOptions(text, &c, yaml.Strict())
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return Config{}, fmt.Errorf("kubernetes: %w", err)
	}
	return c, nil
}

var images = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@-]*$`)

func (c *Config) check() error {
	switch {
	case c.Namespace == "":
		return errors.New("namespace is missing: that in which jobs are made")
	case !images.MatchString(c.Image):
		return fmt.Errorf("image is %q but must name the worker's image", c.Image)
	case c.Kubeconfig != "" && !filepath.IsAbs(c.Kubeconfig):
		return fmt.Errorf("kubeconfig is %q but must be an absolute path", c.Kubeconfig)
	case c.Margin < 0 || c.Margin > 24*time.Hour:
		return fmt.Errorf("margin is %v but must be from 0s to 24h", c.Margin)
	case c.Keep < time.Minute || c.Keep > 30*24*time.Hour:
		return fmt.Errorf("keep is %v but must be from 1m to 720h", c.Keep)
	}
	for _, n := range [][2]string{{"namespace", c.Namespace}, {"dataClaim", c.Claim}, {"pullSecret", c.PullSecret}, {"priorityClass", c.Priority}, {"runtimeClass", c.Runtime}} {
		if faults := validation.IsDNS1123Subdomain(n[1]); n[1] != "" && len(faults) > 0 {
			return fmt.Errorf("%s is %q: %s", n[0], n[1], faults[0])
		}
	}
	for _, n := range [][2]string{{"label", c.Label}, {"resource", c.Resource}} {
		if faults := validation.IsQualifiedName(n[1]); len(faults) > 0 {
			return fmt.Errorf("%s is %q: %s", n[0], n[1], faults[0])
		}
	}
	for _, n := range [][2]string{{"cpus", c.CPUs}, {"memory", c.Memory}, {"scratch", c.Scratch}} {
		if q, err := resource.ParseQuantity(n[1]); err != nil || q.Sign() <= 0 {
			return fmt.Errorf("%s is %q but must be an amount, such as 4 or 16Gi", n[0], n[1])
		}
	}
	return c.checkLists()
}

func (c *Config) checkLists() error {
	for _, name := range slices.Sorted(maps.Keys(c.Cards)) {
		if g := hardware.Lookup(name); g == nil || g.Name != name {
			return fmt.Errorf("cards names %q: there are %s", name, strings.Join(hardware.Names(), ", "))
		}
		if faults := validation.IsValidLabelValue(c.Cards[name]); len(faults) > 0 || c.Cards[name] == "" {
			return fmt.Errorf("cards.%s is %q but must be a value of the label %s", name, c.Cards[name], c.Label)
		}
	}
	for _, name := range c.Datasets {
		if training.Find(name) == nil {
			return fmt.Errorf("datasets names %q: there are %s", name, strings.Join(training.DatasetNames(), ", "))
		}
	}
	for _, t := range c.Tolerate {
		if t.Operator != "" && t.Operator != string(core.TolerationOpExists) && t.Operator != string(core.TolerationOpEqual) {
			return fmt.Errorf("tolerations has the operator %q: there are Exists and Equal", t.Operator)
		}
	}
	return nil
}
