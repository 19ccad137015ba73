package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// playedKubectl writes a kubectl to a directory that is then the whole PATH. It notes its arguments and runs a script.
func playedKubectl(t *testing.T, script string) (argumentsFile string) {
	t.Helper()
	directory := t.TempDir()
	argumentsFile = filepath.Join(directory, "arguments")
	text := "#!/bin/sh\nprintf '%s\\n' \"$@\" >" + argumentsFile + "\n" + script
	if err := os.WriteFile(filepath.Join(directory, "kubectl"), []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", directory)
	t.Setenv("SEI_RUNBOOKS", "docs/runbooks")
	t.Setenv("TMPDIR", t.TempDir())
	return argumentsFile
}

func argumentsOfProxy(t *testing.T, args ...string) []string {
	t.Helper()
	file := playedKubectl(t, "exit 1\n")
	if code, out, errOut := sei(t, "http://127.0.0.1:1", append([]string{"dashboard"}, args...)...); code != exitUnanswered {
		t.Fatalf("ends with %d, %q and %q", code, out, errOut)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// TestTheDashboardIsThatOfTheFlags asks for another cluster and user than the current context's.
func TestTheDashboardIsThatOfTheFlags(t *testing.T) {
	arguments := argumentsOfProxy(t, "--as=viewer", "--as-group=a", "--as-group=b,c", "--insecure-skip-tls-verify", "-n", "prod")
	for _, want := range []string{
		"--server=http://127.0.0.1:1", "--as=viewer", "--as-group=a", "--as-group=b,c", "--insecure-skip-tls-verify=true",
		"--namespace=prod", "--disable-filter=false",
	} {
		if !slices.Contains(arguments, want) {
			t.Errorf("kubectl proxy is started without %s: %q", want, arguments)
		}
	}
}

// acceptedBy returns what kubectl proxy makes of --accept-paths: patterns between commas.
func acceptedBy(t *testing.T, arguments []string) func(path string) bool {
	t.Helper()
	for _, argument := range arguments {
		if paths, isPaths := strings.CutPrefix(argument, "--accept-paths="); isPaths {
			var patterns []*regexp.Regexp
			for pattern := range strings.SplitSeq(paths, ",") {
				patterns = append(patterns, regexp.MustCompile(pattern))
			}
			return func(path string) bool {
				return slices.ContainsFunc(patterns, func(pattern *regexp.Regexp) bool { return pattern.MatchString(path) })
			}
		}
	}
	t.Fatalf("every path is let through: %q", arguments)
	return nil
}

func TestTheProxyOfANamespaceLetsNoOtherThrough(t *testing.T) {
	everywhere, inProd := acceptedBy(t, argumentsOfProxy(t)), acceptedBy(t, argumentsOfProxy(t, "-n", "prod"))
	for path, want := range map[string]struct{ everywhere, inProd bool }{
		"/apis/sei.io/v1alpha1/seinodes":                           {true, false},
		"/apis/sei.io/v1alpha1/namespaces/prod/seinodes":           {true, true},
		"/apis/sei.io/v1alpha1/namespaces/prod/seinodedeployments": {true, true},
		"/apis/sei.io/v1alpha1/namespaces/other/seinodes":          {true, false},
		"/api/v1/events":                                          {true, false},
		"/api/v1/namespaces/prod/events":                          {true, true},
		"/api/v1/namespaces/other/events":                         {true, false},
		"/api/v1/namespaces/../events":                            {},
		"/api/v1/namespaces/prod?x/events":                        {},
		"/api/v1/namespaces/prod/events/a":                        {},
		"/api/v1/namespaces/prod/secrets":                         {},
		"/api/v1/watch/namespaces/prod/events":                    {},
		"/api/v1/namespaces/prod/pods/events":                     {},
		"/apis/sei.io/v1alpha1/namespaces/prod/seinodes/n/status": {},
		"/apis/sei.io/v1alpha1/namespaces/prod/seinodetasks":      {},
	} {
		if everywhere(path) != want.everywhere || inProd(path) != want.inProd {
			t.Errorf("%s is let through: %t, with -n prod %t", path, everywhere(path), inProd(path))
		}
	}
}

func TestANamespaceIsNoPattern(t *testing.T) {
	file := playedKubectl(t, "exit 1\n")
	code, _, errOut := sei(t, "http://127.0.0.1:1", "dashboard", "-n", "prod,.*")
	if _, err := os.Stat(file); code != exitUsage || !strings.Contains(errOut, "--namespace") || err == nil {
		t.Errorf("ends with %d and %q", code, errOut)
	}
}

// TestPlayMain is this program for the tests that send it a signal.
func TestPlayMain(t *testing.T) {
	command := os.Getenv("SEI_PLAY_MAIN")
	if command == "" {
		t.Skip("not asked for")
	}
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: printable(os.Stdout), ErrOut: printable(os.Stderr)}
	os.Exit(run("kubectl-sei", strings.Fields(command), streams))
}

// TestADashboardLeavesNothingBehind ends it as Ctrl-C, a closed terminal, a supervisor and a closed pipe do.
func TestADashboardLeavesNothingBehind(t *testing.T) {
	server := serve(t, map[string]http.HandlerFunc{})
	// Under nohup the hangup is ignored, and a child would inherit that; a caught signal is not inherited.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP)
	defer signal.Stop(caught)
	for _, sent := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE} {
		pid := filepath.Join(t.TempDir(), "pid")
		playedKubectl(t, "echo $$ >"+pid+"\necho Starting to serve on 127.0.0.1:1\nexec /bin/sleep 30\n")
		t.Setenv("SEI_PLAY_MAIN", "dashboard --server="+server)
		t.Setenv("KUBECONFIG", "/dev/null")
		cmd := exec.Command(os.Args[0], "-test.run=^TestPlayMain$")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if sent == syscall.SIGPIPE {
			out.Close()
		} else {
			if line, err := bufio.NewReader(out).ReadString('\n'); !strings.Contains(line, "http://127.0.0.1:1/dashboard/") {
				t.Fatalf("prints %q, %v", line, err)
			}
			_ = cmd.Process.Signal(sent)
			_, _ = io.Copy(io.Discard, out)
		}
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); sent == syscall.SIGPIPE && code != exitUnanswered || sent != syscall.SIGPIPE && code != exitDone {
			t.Errorf("after %s it ends with %d", sent, code)
		}
		if left, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*")); len(left) > 0 {
			t.Errorf("after %s it leaves %v", sent, left)
		}
		if isAlive(t, pid) {
			t.Errorf("after %s the proxy serves on", sent)
		}
	}
}

func isAlive(t *testing.T, pidFile string) bool {
	t.Helper()
	text, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	id, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	process, err := os.FindProcess(id)
	for range 20 {
		if err != nil || process.Signal(syscall.Signal(0)) != nil {
			return false
		}
		time.Sleep(50 * time.Millisecond)
	}
	return true
}
