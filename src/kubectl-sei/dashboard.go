package main

import (
	"bufio"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

//go:embed dashboard
var dashboardFiles embed.FS

// dashboardPrefix is the path under which kubectl proxy serves the page.
const dashboardPrefix = "/dashboard/"

// What the page reads, and nothing else; kubectl proxy answers 403 for the rest.
const (
	dashboardPaths   = `^/apis/sei\.io/v1alpha1/(namespaces/[^/]+/)?(seinodes|seinodedeployments)$,^/api/v1/(namespaces/[^/]+/)?events$`
	dashboardRefused = `^(POST|PUT|PATCH|DELETE|OPTIONS|CONNECT|TRACE)$`
)

func newDashboardCommand(p *plugin) *cobra.Command {
	var port int
	cmd := answering(&cobra.Command{
		Use:   "dashboard",
		Short: "serve a page of chains, fleets, problems and plans to a browser on this machine",
		Long: `
Serves one page on 127.0.0.1 until it is interrupted, and prints its address: chains with height and countdown, problems
worst first, fleets with rollout, upgrade and snapshots, nodes with their plans, and the operator's Events of the last
hour.

The page is static, and kubectl proxy serves it: it reads SeiNodes, fleets and Events with your rights, through a proxy
that lets nothing else through and changes nothing. It looks at every namespace, or at the one of -n. While it is
served, every user and program of this machine can read the same through the port.`,
		Args: noName,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := p.connect(cmd)
			if err != nil {
				return err
			}
			runbooks, err := p.runbooks(cmd, c)
			if err != nil {
				return err
			}
			namespace := ""
			if cmd.Flags().Changed("namespace") {
				namespace = c.namespace
			}
			return p.dashboard(cmd, port, dashboardSettings{Runbooks: runbooks, Namespace: namespace, Pages: facts.Runbooks})
		},
	})
	cmd.Flags().IntVar(&port, "port", 0, "`port` on 127.0.0.1; any free one if unset")
	return cmd
}

// dashboardSettings is what the page gets beside its files.
type dashboardSettings struct {
	// Runbooks is the address of the runbooks; the page links to it only if it is a URL.
	Runbooks string `json:"runbooks"`
	// Namespace is the only one that is shown; empty for all.
	Namespace string `json:"namespace"`
	// Pages are the reasons that have a runbook.
	Pages []string `json:"pages"`
}

// dashboard writes the page to a directory of its own and serves it until the user interrupts.
func (p *plugin) dashboard(cmd *cobra.Command, port int, settings dashboardSettings) error {
	if port < 0 || port > 65535 {
		return misused(cmd, "--port must be between 0 and 65535, not %d", port)
	}
	kubectl, err := exec.LookPath("kubectl")
	if err != nil {
		return failf(exitUnanswered, "kubectl is not on the PATH: its proxy serves the page")
	}
	directory, err := os.MkdirTemp("", "kubectl-sei-dashboard-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(directory)
	if err := writeDashboard(directory, settings); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return p.serveDashboard(ctx, exec.CommandContext(ctx, kubectl, proxyArguments(cmd, directory, port)...))
}

func writeDashboard(directory string, settings dashboardSettings) error {
	files, err := dashboardFiles.ReadDir("dashboard")
	if err != nil {
		return err
	}
	for _, file := range files {
		content, err := dashboardFiles.ReadFile("dashboard/" + file.Name())
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(directory, file.Name()), content, 0o600); err != nil {
			return err
		}
	}
	content, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(directory, "settings.json"), content, 0o600)
}

// proxyArguments hands on the flags that say which cluster and user.
func proxyArguments(cmd *cobra.Command, directory string, port int) []string {
	arguments := []string{
		"proxy", "--address=127.0.0.1", "--port=" + strconv.Itoa(port),
		"--www=" + directory, "--www-prefix=" + dashboardPrefix,
		"--accept-paths=" + dashboardPaths, "--reject-methods=" + dashboardRefused,
	}
	cmd.InheritedFlags().Visit(func(flag *pflag.Flag) {
		arguments = append(arguments, "--"+flag.Name+"="+flag.Value.String())
	})
	return arguments
}

// proxyServes is what kubectl proxy prints once it serves.
var proxyServes = regexp.MustCompile(`^Starting to serve on (127\.0\.0\.1:[0-9]+)$`)

func (p *plugin) serveDashboard(ctx context.Context, proxy *exec.Cmd) error {
	proxy.Cancel = func() error { return proxy.Process.Signal(os.Interrupt) }
	proxy.Stderr = p.ErrOut
	out, err := proxy.StdoutPipe()
	if err != nil {
		return err
	}
	if err := proxy.Start(); err != nil {
		return fmt.Errorf("cannot start kubectl proxy: %w", err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if serves := proxyServes.FindStringSubmatch(lines.Text()); serves != nil {
			fmt.Fprintf(p.Out, "The dashboard is at http://%s%s until you interrupt this command.\n", serves[1], dashboardPrefix)
		}
	}
	_, _ = io.Copy(io.Discard, out)
	err = proxy.Wait()
	if ctx.Err() != nil {
		return nil
	}
	var ended *exec.ExitError
	if err == nil || errors.As(err, &ended) {
		return failf(exitUnanswered, "kubectl proxy has ended: see its message above")
	}
	return err
}
