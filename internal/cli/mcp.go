package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/mcp"
)

var _ = register(func() *cobra.Command {
	var root, addr, tokenFile string
	var write, bench bool
	c := &cobra.Command{
		Use:   "mcp [FILE]",
		Short: "Serve the verifier to agents: an MCP server over standard input and output, or HTTP",
		Long: `Serves check, lint, plan, rank, fit, describe, import, export and catalog as tools of the Model
Context Protocol, with graphs, pictures, rules and types as resources. It needs no network and no
account. Tools take a graph, or a path inside --root; nothing outside is read. FILE, inside the root
too, is the default model; clients that subscribe are notified when it changes.

--write adds edit, which changes graph files inside the root. --bench adds the tasks of the
benchmark: bench_tasks, bench_grade, bench_episode and bench_step. With a hosted service and a key
(--server or VERIFIER_URL, and VERIFIER_API_KEY) there are also history, which reads the outcomes of
earlier runs, and train and job, which start runs on the organisation's account.

--http serves the protocol's streamable HTTP transport at /mcp of that address. Clients must send
the token of --token-file or VERIFIER_MCP_TOKEN: 22 characters or more. The connection is not
encrypted: beyond this machine, put a proxy with TLS in front.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			config := mcp.Config{Root: root, Write: write, Bench: bench, HTTP: addr != "", Version: Version, Log: cmd.ErrOrStderr()}
			if len(args) > 0 {
				config.File = args[0]
			}
			var err error
			if config.Remote, err = configured(cmd); err != nil {
				return err
			}
			token, err := mcpToken(addr, tokenFile)
			if err != nil {
				return err
			}
			s, err := mcp.New(config)
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmdContext(cmd), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			if addr != "" {
				return serveMCP(ctx, cmd, s, addr, token)
			}
			return s.Run(ctx, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	c.Flags().StringVar(&root, "root", ".", "the `folder` that all paths must be inside")
	c.Flags().StringVar(&addr, "http", "", "serve HTTP at this `address`, such as 127.0.0.1:8178, in place of standard input and output; port 0 takes a free one")
	c.Flags().StringVar(&tokenFile, "token-file", "", "a `file` with the token that clients over HTTP must send; by default "+tokenVariable)
	remoteFlags(c)
	c.Flags().BoolVar(&write, "write", false, "let clients change graph files inside the root")
	c.Flags().BoolVar(&bench, "bench", false, "serve the tasks, grades and episodes of the benchmark, too")
	return c
})

// tokenVariable is the environment variable of the token, used without a file.
const tokenVariable = "VERIFIER_MCP_TOKEN"

// mcpToken is what clients over HTTP must send. No flag has it: other users of a machine see those.
func mcpToken(addr, file string) (string, error) {
	switch {
	case addr == "" && file != "":
		return "", errors.New("--token-file is for --http")
	case addr == "":
		return "", nil
	}
	token := os.Getenv(tokenVariable)
	if file != "" {
		data, err := readFound(filepath.Dir(file), filepath.Base(file), true)
		if err != nil {
			return "", fmt.Errorf("--token-file: %w", err)
		}
		token = strings.TrimSpace(string(data))
	}
	if token == "" {
		return "", fmt.Errorf("--http needs a token: write one into a file, openssl rand -base64 24, and name it with --token-file, or set %s", tokenVariable)
	}
	return token, mcp.CheckToken(token)
}

func serveMCP(ctx context.Context, cmd *cobra.Command, s *mcp.Server, addr, token string) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("--http: cannot listen on %s: %w; 127.0.0.1:0 takes a free port", addr, err)
	}
	if err := printText(cmd, "The server is at http://"+l.Addr().String()+mcp.Endpoint+"\nCtrl-C stops it.\n"); err != nil {
		_ = l.Close()
		return err
	}
	return s.Serve(ctx, l, token)
}
