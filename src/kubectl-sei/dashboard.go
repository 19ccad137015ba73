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

// dashboardRefused are the methods that do not read; kubectl proxy answers 403 for them.
const dashboardRefused = `^(POST|PUT|PATCH|DELETE|OPTIONS|CONNECT|TRACE)$`

// nameOfNamespace has no character that is one of a pattern, and no dot: kubectl proxy matches a path after it was
// decoded, and a path with .. is another one to what stands before the API server.
const nameOfNamespace = `[a-z0-9][-a-z0-9]*`

var isNamespace = regexp.MustCompile(`^` + nameOfNamespace + `$`)

// dashboardPaths are what the page reads of a namespace or, if that is empty, of all, and nothing else; kubectl proxy
// answers 403 for the rest.
func dashboardPaths(namespace string) string {
	place := `namespaces/` + namespace + `/`
	if namespace == "" {
		place = `(namespaces/` + nameOfNamespace + `/)?`
	}
	return `^/apis/sei\.io/v1alpha1/` + place + `(seinodes|seinodedeployments)$,^/api/v1/` + place + `events$`
}

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
served, every user and program of this machine can read the same through the port, and all other Events there.`,
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
			if namespace != "" && !isNamespace.MatchString(namespace) {
				return misused(cmd, "--namespace must be the name of a namespace, not '%s'", namespace)
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
	ctx, stop := signal.NotifyContext(cmd.Context(), endsOfDashboard()...)
	defer stop()
	return p.serveDashboard(ctx, exec.CommandContext(ctx, kubectl, proxyArguments(cmd, directory, port, settings.Namespace)...))
}

// endsOfDashboard are the signals after which neither the proxy nor the directory may stay: also those of a terminal
// that was closed, and of an output that nothing reads.
func endsOfDashboard() []os.Signal {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGPIPE}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		ends = append(ends, syscall.SIGHUP)
	}
	return ends
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

// proxyArguments hands on the flags that say which cluster and user. A token among them was on the command line of this
// program, which runs for as long.
func proxyArguments(cmd *cobra.Command, directory string, port int, namespace string) []string {
	arguments := []string{
		"proxy", "--address=127.0.0.1", "--port=" + strconv.Itoa(port),
		"--www=" + directory, "--www-prefix=" + dashboardPrefix,
		// The user's kuberc may have it on.
		"--disable-filter=false",
		"--accept-paths=" + dashboardPaths(namespace), "--reject-methods=" + dashboardRefused,
	}
	// Visit would have none: the set that InheritedFlags returns does not know which flags were typed.
	cmd.InheritedFlags().VisitAll(func(flag *pflag.Flag) {
		if !flag.Changed {
			return
		}
		values := []string{flag.Value.String()}
		if several, isList := flag.Value.(pflag.SliceValue); isList {
			values = several.GetSlice()
		}
		for _, value := range values {
			arguments = append(arguments, "--"+flag.Name+"="+value)
		}
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
