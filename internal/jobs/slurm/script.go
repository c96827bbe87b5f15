package slurm

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/modelverifier/verifier/internal/jobs"
)

// arguments are those of sbatch. The script comes on its standard input.
func (b *Backend) arguments(ctx context.Context, t jobs.Ticket) ([]string, error) {
	called, c := name(t.Job, t.Attempt), &b.config
	minutes := int64((t.Runtime + c.Margin + time.Minute - 1) / time.Minute)
	args := []string{"--parsable", "--job-name=" + called, "--comment=model verifier: job " + t.Job + ", attempt " + strconv.Itoa(t.Attempt),
		"--nodes=1", "--ntasks=1", "--time=" + strconv.FormatInt(minutes, 10), "--no-requeue",
		// A second submission, of somebody who did not hear of the first, waits for its end and then finds nothing to do.
		"--dependency=singleton",
		"--chdir=/", "--input=/dev/null", "--open-mode=append", "--output=" + filepath.Join(c.Folder, called+".log")}
	for _, o := range [][2]string{{"partition", c.Partition}, {"account", c.Account}, {"qos", c.QOS}, {"mem", c.Memory}} {
		if o[1] != "" {
			args = append(args, "--"+o[0]+"="+o[1])
		}
	}
	if c.CPUs > 0 {
		args = append(args, "--cpus-per-task="+strconv.Itoa(c.CPUs))
	}
	if t.GPU != "" {
		gres, err := b.gresOf(ctx, t.GPU)
		if err != nil {
			return nil, err
		}
		args = append(args, "--gres="+gres+":1")
	}
	return append(args, c.Options...), nil
}

// script is what runs on the node. It is kept by Slurm, and says where the token is and not what it is.
func (b *Backend) script(t jobs.Ticket) string {
	called, c := name(t.Job, t.Attempt), &b.config
	args := []string{c.Worker, "run", "--server", t.Server, "--job", t.Job, "--token-file", filepath.Join(c.Folder, token(called)), "--data", c.Data}
	if t.GPU != "" {
		args = append(args, "--cards", t.GPU) // what Slurm gives for the gres counts as this card
	}
	if c.Python != "" {
		args = append(args, "--python", c.Python)
	}
	for i, a := range args {
		args[i] = quote(a)
	}
	return fmt.Sprintf("#!/bin/sh\n# Model Verifier: job %s, attempt %d.\numask 077\nexec %s\n", t.Job, t.Attempt, strings.Join(args, " "))
}

// quote makes one word of a shell of a text.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
