package slurm

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

	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/training"
)

// Config is what an operator says of a cluster, in a YAML file (docs/clusters.md).
type Config struct {
	Folder string `yaml:"folder"` // seen by the service and by every node, and written by the service's user alone
	Worker string `yaml:"worker"` // path of verifier-worker on the nodes
	Data   string `yaml:"data"`   // folder of the datasets on the nodes
	Python string `yaml:"python"` // python3 with torch on the nodes; empty: that of the path

	Partition string            `yaml:"partition"`
	Account   string            `yaml:"account"`
	QOS       string            `yaml:"qos"`
	CPU       bool              `yaml:"cpu"`      // takes jobs without a card
	CPUs      int               `yaml:"cpus"`     // processors of a job; 0: as many as the cluster gives
	Memory    string            `yaml:"memory"`   // of a job, such as 16G; empty: as much as the cluster gives
	Cards     map[string]string `yaml:"cards"`    // our name of a card to the gres of one, such as H100: gpu:h100; empty: those that sinfo names
	Datasets  []string          `yaml:"datasets"` // whose files the nodes have; empty: all
	Margin    time.Duration     `yaml:"margin"`   // time beyond a job's own, for starting and for the upload; 0: 10 minutes
	Options   []string          `yaml:"options"`  // further options of sbatch

	SlurmConf string `yaml:"slurmConf"` // slurm.conf of the cluster; empty: the machine's own
	Bin       string `yaml:"bin"`       // folder of sbatch and the others; empty: where the path has them
}

const defaultMargin = 10 * time.Minute

// Parse reads a configuration.
func Parse(text []byte) (Config, error) {
	var c Config
	if err := yaml.UnmarshalWithOptions(text, &c, yaml.Strict()); err != nil {
		return Config{}, fmt.Errorf("slurm: %w", err)
	}
	if err := c.check(); err != nil {
		return Config{}, fmt.Errorf("slurm: %w", err)
	}
	if c.Margin == 0 {
		c.Margin = defaultMargin
	}
	return c, nil
}

// words are what Slurm calls a partition, an account, a memory or a gres. Nothing in it can be taken for another option.
var words = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:,-]*$`)

func (c *Config) check() error {
	for i, p := range [][2]string{{"folder", c.Folder}, {"worker", c.Worker}, {"data", c.Data}, {"python", c.Python}, {"slurmConf", c.SlurmConf}, {"bin", c.Bin}} {
		if required := i < 3; required && p[1] == "" {
			return fmt.Errorf("%s is missing: an absolute path", p[0])
		}
		if p[1] != "" && (!filepath.IsAbs(p[1]) || strings.ContainsAny(p[1], "\n%\x00")) {
			return fmt.Errorf("%s is %q but must be an absolute path without %%", p[0], p[1])
		}
	}
	for _, w := range [][2]string{{"partition", c.Partition}, {"account", c.Account}, {"qos", c.QOS}, {"memory", c.Memory}} {
		if w[1] != "" && !words.MatchString(w[1]) {
			return fmt.Errorf("%s is %q, which Slurm would not read as one word", w[0], w[1])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Cards)) {
		if g := hardware.Lookup(name); g == nil || g.Name != name {
			return fmt.Errorf("cards names %q: there are %s", name, strings.Join(hardware.Names(), ", "))
		}
		if !words.MatchString(c.Cards[name]) {
			return fmt.Errorf("cards.%s is %q but must be a gres without its count, such as gpu:h100", name, c.Cards[name])
		}
	}
	for _, name := range c.Datasets {
		if training.Find(name) == nil {
			return fmt.Errorf("datasets names %q: there are %s", name, strings.Join(training.DatasetNames(), ", "))
		}
	}
	for _, o := range c.Options {
		if !strings.HasPrefix(o, "--") || strings.ContainsAny(o, "\n\x00") {
			return fmt.Errorf("options has %q: each is one option of sbatch, such as --constraint=fast", o)
		}
	}
	switch {
	case c.CPUs < 0 || c.CPUs > 4096:
		return fmt.Errorf("cpus is %d but must be from 0 to 4096", c.CPUs)
	case c.Margin < 0 || c.Margin > 24*time.Hour:
		return fmt.Errorf("margin is %v but must be from 0s to 24h", c.Margin)
	}
	return nil
}

// errFolder says what is wrong with a folder in which tokens are written.
var errFolder = errors.New("must be a folder that only its owner writes to (chmod go-w)")
