package slurm

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const least = "folder: /shared\nworker: /opt/verifier-worker\ndata: /data\n"

func TestAConfigurationIsRead(t *testing.T) {
	c, err := Parse([]byte(least + "partition: gpu\naccount: research\ncards: {H100: \"gpu:h100\", A100-80GB: \"gpu:a100\"}\nmargin: 5m\noptions: [--constraint=fast]\ncpus: 8\nmemory: 32G\n"))
	if err != nil || c.Partition != "gpu" || c.Cards["A100-80GB"] != "gpu:a100" || c.Margin != 5*time.Minute || c.CPUs != 8 || c.CPU {
		t.Errorf("%+v %v", c, err)
	}
	if c, err := Parse([]byte(least)); err != nil || c.Margin != defaultMargin {
		t.Errorf("%+v %v", c, err)
	}
}

func TestAWrongConfigurationIsRefused(t *testing.T) {
	for text, says := range map[string]string{
		"":                                     "folder is missing",
		"folder: here\n":                       "absolute path",
		least + "nothing: 1\n":                 "nothing",
		least + "partition: a b\n":             "partition",
		least + "partition: --wrap=x\n":        "partition",
		least + "cards: {G9: gpu}\n":           "there are",
		least + "cards: {h100: gpu}\n":         "there are",
		least + "cards: {H100: \"gpu;x\"}\n":   "gres",
		least + "options: [-p x]\n":            "one option",
		least + "margin: 48h\n":                "margin",
		least + "cpus: -1\n":                   "cpus",
		least + "datasets: [imagenet]\n":       "datasets",
		least + "folder: /x\n":                 "folder",
		strings.Replace(least, "/s", "/%j", 1): "without %",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestAFolderThatOthersWriteToIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := private(dir); !errors.Is(err, errFolder) {
		t.Error(err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := private(file); !errors.Is(err, errFolder) {
		t.Error(err)
	}
	if _, err := private(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that is not there is taken")
	}
}

func TestNodesAreRead(t *testing.T) {
	for out, want := range map[string]string{
		"idle|gpu:h100:4(S:0-1),shard:8\n":                    "gpu gpu:h100",
		"mixed|gpu:a100:2(S:0,2),gpu:h200:1\n":                "gpu gpu:a100 gpu:h200",
		"idle|gpu:4\n":                                        "gpu",
		"down*|gpu:h100:4\ndrained|gpu:h200:1\nidle|(null)\n": "",
		"allocated|gpu:l4\n":                                  "gpu gpu:l4",
		"idle*|gpu:h100:1\n":                                  "",
		"":                                                    "",
	} {
		have, up := nodes(out)
		if got := strings.Join(slices.Sorted(maps.Keys(have)), " "); got != want || up != strings.Contains(out, "idle|") && up != (want != "") {
			t.Errorf("%q: %q %v", out, got, up)
		}
	}
}

// TestStatesAreSaid has every state of Slurm's, and values that look like fields.
func TestStatesAreSaid(t *testing.T) {
	line := func(name, state, reason, exit string) string {
		return "JobId=1 JobName=" + name + " UserId=root(0) JobState=" + state + " Reason=" + reason + " Dependency=(null) ExitCode=" + exit + " Comment=x JobState=FAILED\n"
	}
	for out, want := range map[string]string{
		line("a", "RUNNING", "None", "0:0"):                "",
		line("a", "PENDING", "Resources", "0:0"):           "",
		line("a", "PENDING", "JobHeldUser", "0:0"):         "",
		line("a", "COMPLETING", "None", "0:0"):             "",
		line("a", "SUSPENDED", "None", "0:0"):              "",
		line("a", "PENDING", "InvalidAccount", "0:0"):      "Slurm: the job will never start: InvalidAccount",
		line("a", "NODE_FAIL", "NodeDown", "0:0"):          "Slurm: NODE_FAIL: its node failed, reason NodeDown",
		line("a", "PREEMPTED", "None", "0:0"):              "Slurm: PREEMPTED: another job took its place",
		line("a", "OUT_OF_MEMORY", "OutOfMemory", "0:125"): "Slurm: OUT_OF_MEMORY: it took more memory than the cluster gave it, reason OutOfMemory, exit code 0:125",
		line("a", "CANCELLED+", "None", "0:15"):            "Slurm: CANCELLED: it was cancelled on the cluster, exit code 0:15",
	} {
		s, ok := parseShown(out)
		if got := s.gone(); !ok || s.name != "a" || got != want {
			t.Errorf("%s: %q %v", out, got, ok)
		}
	}
	for _, out := range []string{"", "JobId=1", "nonsense"} {
		if s, ok := parseShown(out); ok {
			t.Errorf("%q is read as %+v", out, s)
		}
	}
}

func TestReferencesThatAreNoneAreRefused(t *testing.T) {
	b := &Backend{}
	for _, ref := range []string{"", "1", "1 x", "x mv-a-1", "1 mv-a", "1 mv-a-1 -u other", "1 mv-A-1", "-1 mv-a-1"} {
		if err := b.Stop(t.Context(), ref); err == nil {
			t.Errorf("%q is stopped", ref)
		}
		if _, err := b.Gone(t.Context(), ref); err == nil {
			t.Errorf("%q is looked for", ref)
		}
	}
	for _, job := range []string{"", "a b", "--wrap", "a'b", "A", strings.Repeat("a", 65)} {
		if _, err := b.Start(t.Context(), ticket(job)); err == nil {
			t.Errorf("%q is started", job)
		}
	}
}

// FuzzWhatSlurmSays: whatever its programs write, cards are gres of cards and a job that runs is not gone.
func FuzzWhatSlurmSays(f *testing.F) {
	f.Add("idle|gpu:h100:4(S:0-1),shard:8\n")
	f.Add("JobId=1 JobName=mv-a-1 UserId=root(0) JobState=RUNNING Reason=None ExitCode=0:0\n")
	f.Fuzz(func(t *testing.T, out string) {
		have, up := nodes(out)
		for g := range have {
			if !up || g != "gpu" && !strings.HasPrefix(g, "gpu:") {
				t.Errorf("%q is a card of %q", g, out)
			}
		}
		if s, ok := parseShown(out); ok && s.state == "RUNNING" && s.gone() != "" {
			t.Errorf("%q is gone: %s", out, s.gone())
		}
	})
}
