package slurm

import (
	"fmt"
	"regexp"
	"strings"
)

// shown is what scontrol says of a job.
type shown struct{ name, state, reason, exit string }

// field finds a value. Those that we read have no spaces; others, such as comments, may hold what looks like a field, and stand behind.
func field(key string) *regexp.Regexp { return regexp.MustCompile(`(?:^| )` + key + `=(\S*)`) }

var nameField, stateField, reasonField, exitField = field("JobName"), field("JobState"), field("Reason"), field("ExitCode")

func parseShown(out string) (shown, bool) {
	line, _, _ := strings.Cut(strings.TrimSpace(out), "\n")
	var s shown
	for _, f := range []struct {
		at *regexp.Regexp
		to *string
	}{{nameField, &s.name}, {stateField, &s.state}, {reasonField, &s.reason}, {exitField, &s.exit}} {
		m := f.at.FindStringSubmatch(line)
		if m == nil {
			return shown{}, false
		}
		*f.to = m[1]
	}
	return s, true
}

// ended says what a state means for whoever waits for the job. Others are on their way, or still run.
var ended = map[string]string{
	"BOOT_FAIL":     "its node did not start",
	"CANCELLED":     "it was cancelled on the cluster",
	"COMPLETED":     "its worker ended without taking the job",
	"DEADLINE":      "it could not run before its deadline",
	"FAILED":        "its worker failed",
	"NODE_FAIL":     "its node failed",
	"OUT_OF_MEMORY": "it took more memory than the cluster gave it",
	"PREEMPTED":     "another job took its place",
	"REVOKED":       "another cluster took it",
	"TIMEOUT":       "it ran into the cluster's time limit",
}

// never are reasons for which a job waits that no waiting mends.
var never = map[string]bool{
	"AccountNotAllowed": true, "BadConstraints": true, "DeadLine": true, "DependencyNeverSatisfied": true, "InvalidAccount": true, "InvalidQOS": true,
	"JobHoldMaxRequeue": true, "PartitionNodeLimit": true, "PartitionTimeLimit": true,
	"QOSNotAllowed": true, "ReservationDeleted": true, "launch_failed_requeued_held": true,
}

// gone says why a job will not run any more, in Slurm's words and ours; nothing where it may.
func (s shown) gone() string {
	state, _, _ := strings.Cut(s.state, "+")
	if why, ok := ended[state]; ok {
		text := fmt.Sprintf("Slurm: %s: %s", state, why)
		if s.reason != "None" && s.reason != "" {
			text += ", reason " + s.reason
		}
		if s.exit != "0:0" && s.exit != "" {
			text += ", exit code " + s.exit
		}
		return text
	}
	if state == "PENDING" && never[s.reason] {
		return "Slurm: the job will never start: " + s.reason
	}
	return ""
}
