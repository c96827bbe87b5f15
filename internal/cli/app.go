package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// App is what the command app serves, and HasEngine whether the engine for the browser is in it. The program sets them: what a page looks
// like decides no answer, so that this package does not link it.
var (
	App       func() http.Handler
	HasEngine func() bool
)

var _ = register(func() *cobra.Command {
	var addr string
	var show bool
	c := &cobra.Command{
		Use:   "app",
		Short: "Serve the app on this machine: draw, edit and price a model in the browser",
		Long: `Serves the app on a port of this machine, until it is stopped. It needs no network and no account.
The engine runs in the browser, and a model that is opened there is sent nowhere.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return serveApp(cmd, addr, show) },
	}
	c.Flags().StringVar(&addr, "addr", "127.0.0.1:0", "the `address` to listen on; port 0 takes a free one")
	c.Flags().BoolVar(&show, "open", false, "open it in the browser")
	return c
})

func serveApp(cmd *cobra.Command, addr string, show bool) error {
	if App == nil {
		return errors.New("app: this program was built without the app: build cmd/verifier")
	}
	ctx, stop := signal.NotifyContext(cmdContext(cmd), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("--addr: cannot listen on %s: %w; 127.0.0.1:0 takes a free port", addr, err)
	}
	server := &http.Server{Handler: App(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	url := "http://" + l.Addr().String() + "/"
	text := "The app is at " + url + "\nCtrl-C stops it.\n"
	if !HasEngine() {
		text += "This program was built without the engine for the browser: make build adds it.\n"
	}
	if err := printText(cmd, text); err != nil {
		_ = l.Close()
		return err
	}
	if show {
		openBrowser(ctx, cmd, url)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err = <-ended:
		return err
	case <-ctx.Done():
		return server.Close()
	}
}

// openBrowser hands an address to whatever opens addresses here. Where that fails the address has been printed.
func openBrowser(ctx context.Context, cmd *cobra.Command, url string) {
	program, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		program = "open"
	case "windows":
		program, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	if err := exec.CommandContext(ctx, program, args...).Start(); err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "verifier: --open: %v; open the address yourself\n", err)
	}
}
