package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action/train"
	"github.com/modelverifier/verifier/internal/client"
	"github.com/modelverifier/verifier/internal/quantity"
)

var _ = register(func() *cobra.Command {
	var cancel, watch bool
	var after string
	c := &cobra.Command{
		Use:   "jobs [ID]",
		Short: "List the training jobs of the organisation, show one with its curves, or cancel it",
		Long: `Lists the organisation's training jobs, newest first, fifty at a time. With an ID it shows that job
with its curves and a link to its weights, which is valid for ten minutes. --watch waits until the
job has ended, and --cancel ends it. With --watch the exit code is 1 for a job that failed or was
cancelled.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := remote(cmd)
			switch {
			case err != nil:
				return err
			case len(args) == 0 && (cancel || watch):
				return errors.New("--cancel and --watch take the ID of a job: verifier jobs lists them")
			case len(args) == 0:
				return listJobs(cmd, c, after)
			case watch && !cancel:
				return watchJob(cmd, c, args[0])
			}
			return showJob(cmd, c, args[0], cancel)
		},
	}
	c.Flags().BoolVar(&cancel, "cancel", false, "end the job")
	c.Flags().BoolVar(&watch, "watch", false, "wait until the job has ended, and show its curves")
	c.Flags().StringVar(&after, "after", "", "list the jobs after this `ID`")
	c.MarkFlagsMutuallyExclusive("cancel", "watch")
	remoteFlags(c)
	return c
})

func listJobs(cmd *cobra.Command, c *client.Client, after string) error {
	list, body, err := c.Jobs(cmdContext(cmd), after)
	if err != nil {
		return answered(cmd, err)
	}
	if wantsJSON(cmd) {
		return printText(cmd, string(body))
	}
	if len(list.Jobs) == 0 {
		return printText(cmd, "no jobs: verifier train makes one\n")
	}
	t := newTable("job", "status", "dataset", "on", "cost", "made")
	t.most = columnsOf(cmd.OutOrStdout())
	for i := range list.Jobs {
		t.add(jobCells(&list.Jobs[i])...)
	}
	p := &page{}
	p.WriteString(t.String() + "\n")
	if list.Next != "" {
		p.line("further ones: verifier jobs --after %s", list.Next)
	}
	return printText(cmd, p.text())
}

// jobCells are a row of the list.
func jobCells(j *train.Job) []string {
	on := j.GPU
	if j.Mode != "gpu" {
		on = j.Mode
	}
	const microDollars = 1e6
	day, _, _ := strings.Cut(j.CreatedAt, "T")
	cells := []string{j.JobID, j.Status, j.Dataset, on, quantity.Dollars(int64(j.EstCostUSD*microDollars + 0.5)), day}
	for i := range cells {
		cells[i] = clean(cells[i])
	}
	return cells
}

func showJob(cmd *cobra.Command, c *client.Client, id string, cancel bool) error {
	read := c.Job
	if cancel {
		read = c.Cancel
	}
	j, body, err := read(cmdContext(cmd), id)
	if err != nil {
		return answered(cmd, err)
	}
	if wantsJSON(cmd) {
		return printText(cmd, string(body))
	}
	p := &page{}
	p.line("job         %s, %s on %s, made %s", j.JobID, j.Mode, j.Backend, j.CreatedAt)
	p.line("config      %s, %s", j.Dataset, configText(j.Config))
	if !j.Ended() {
		p.WriteString(stateLine(j) + "\n")
	}
	p.WriteString(curves(j.Epochs, j.Config.Epochs))
	if j.Ended() {
		endText(p, j)
	} else if cancel {
		p.line("its worker is told to stop with its next heartbeat")
	}
	return printText(cmd, p.text())
}
