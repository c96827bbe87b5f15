package cli

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/client"
	"github.com/modelverifier/verifier/internal/quantity"
)

// remoteFlags are those of commands that call a server.
func remoteFlags(c *cobra.Command) {
	c.Flags().String("server", "", "scheme and host of the hosted service; by default "+client.URLVariable)
	c.Flags().String("api-key", "", "key of the organisation; better "+client.KeyVariable+", because other users of a machine see flags")
}

// remote is the server that flags or the environment name.
func remote(cmd *cobra.Command) (*client.Client, error) {
	return client.New(cmp.Or(given(cmd, "server"), os.Getenv(client.URLVariable)), cmp.Or(given(cmd, "api-key"), os.Getenv(client.KeyVariable)), "verifier/"+Version)
}

// configured is the same where both a server and a key are named, and nil where neither or one is.
func configured(cmd *cobra.Command) (*client.Client, error) {
	if cmp.Or(given(cmd, "server"), os.Getenv(client.URLVariable)) == "" || cmp.Or(given(cmd, "api-key"), os.Getenv(client.KeyVariable)) == "" {
		return nil, nil
	}
	return remote(cmd)
}

// history is what the hosted service knows of earlier runs of a structure; nil where that is nothing.
func history(cmd *cobra.Command, fingerprint string) (*plan.History, error) {
	c, err := remote(cmd)
	if err != nil {
		return nil, err
	}
	rows, err := c.History(cmdContext(cmd), fingerprint)
	if err != nil {
		return nil, answered(cmd, err)
	}
	h := &plan.History{}
	for _, r := range rows {
		o := plan.Outcome{At: r.At, Metric: r.Metric, Value: r.Value, Epochs: r.Epochs, WallSec: r.WallSec, Source: r.Source}
		if r.EstCostUSD != nil {
			o.EstCostUSD = new(quantity.Round(*r.EstCostUSD, 6))
		}
		h.Rows = append(h.Rows, o)
	}
	if len(h.Rows) == 0 {
		return nil, nil
	}
	return h, nil
}

// answered ends a command whose call failed: what the server refuses is printed, in JSON as it came.
func answered(cmd *cobra.Command, err error) error {
	e := (*client.Error)(nil)
	switch {
	case errors.Is(err, client.ErrUnreachable):
		return fmt.Errorf("%w: %w", errWrite, err)
	case !errors.As(err, &e):
		return err
	case wantsJSON(cmd) && len(e.Body) > 0 && e.Body[0] == '{':
		if err := printText(cmd, string(e.Body)); err != nil {
			return err
		}
	}
	if e.Status >= http.StatusInternalServerError && e.Status != http.StatusServiceUnavailable {
		return fmt.Errorf("%w: %w", errWrite, err)
	}
	return err
}
