package cli

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/client"
)

// remoteFlags are those of commands that call a server.
func remoteFlags(c *cobra.Command) {
	c.Flags().String("server", "", "scheme and host of the hosted service; "+client.URLVariable+" unless given")
	c.Flags().String("key", "", "key of the organisation; better "+client.KeyVariable+", because other users of a machine see flags")
}

// remote is the server that flags or the environment name.
func remote(cmd *cobra.Command) (*client.Client, error) {
	return client.New(cmp.Or(given(cmd, "server"), os.Getenv(client.URLVariable)), cmp.Or(given(cmd, "key"), os.Getenv(client.KeyVariable)), "verifier/"+version)
}

// configured is the same where both a server and a key are named, and nil where neither or one is.
func configured(cmd *cobra.Command) (*client.Client, error) {
	if cmp.Or(given(cmd, "server"), os.Getenv(client.URLVariable)) == "" || cmp.Or(given(cmd, "key"), os.Getenv(client.KeyVariable)) == "" {
		return nil, nil
	}
	return remote(cmd)
}

// answered ends a command whose call failed: what the server refuses is said, and printed as it came where JSON is wanted.
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
