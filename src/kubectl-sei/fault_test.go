package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// serve answers each path that ends with a key by its handler, and others with 404.
func serve(t *testing.T, handlers map[string]http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for suffix, handle := range handlers {
			if strings.HasSuffix(r.URL.Path, suffix) {
				handle(w, r)
				return
			}
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func answer(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }
}

// hang answers nothing before the client gives up.
func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func TestTimeoutBoundsARequestThatIsNotAnswered(t *testing.T) {
	reads := 0
	server := serve(t, map[string]http.HandlerFunc{"/seinodes/n": func(w http.ResponseWriter, r *http.Request) {
		if reads++; reads > 1 {
			hang(w, r)
			return
		}
		fmt.Fprint(w, `{"kind":"SeiNode","metadata":{"name":"n"}}`)
	}})

	if code, _, errOut := sei(t, server, "wait", "snode/n", "--timeout=50ms"); code != exitTimeout ||
		!strings.Contains(errOut, "timed out after 50ms") {
		t.Errorf("ends with %d: %s", code, errOut)
	}
}

func TestAVoteWhoseEndIsNotKnownIsNoWrongUsage(t *testing.T) {
	server := serve(t, map[string]http.HandlerFunc{
		"/seinodes/n":   answer(`{"kind":"SeiNode","metadata":{"name":"n"},"spec":{"chainId":"c"}}`),
		"/seinodetasks": answer(`{"kind":"SeiNodeTask","metadata":{"name":"n-vote-5"}}`),
		"/seinodetasks/n-vote-5": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "forbidden", http.StatusForbidden)
		},
	})

	code, _, errOut := sei(t, server, "vote", "n", "--proposal=5", "--option=yes", "--fees=1usei", "--gas=1")
	if code != exitNo || !strings.Contains(errOut, "the task goes on") {
		t.Errorf("ends with %d: %s", code, errOut)
	}
}

func TestWhatACommandWouldIgnoreIsRefused(t *testing.T) {
	server := serve(t, map[string]http.HandlerFunc{
		"/seinodes/n": answer(`{"kind":"SeiNode","metadata":{"name":"n"},"spec":{"image":"b"},"status":{"currentImage":"a"}}`),
	})
	for _, command := range [][]string{
		{"rollback", "snode/n", "--to-revision=3"},
		{"rollback", "snode/n", "--to-revision=0"},
		{"rollback", "snd/f", "--to-revision=-1"},
		{"status", "--orphans", "-l", "a=b"},
		{"snapshots", "f", "-A"},
		{"why", ""},
		{"vote", "n", "--proposal=05", "--option=yes", "--fees=1usei", "--gas=1"},
	} {
		if code, out, errOut := sei(t, server, command...); code != exitUsage || !strings.Contains(errOut, "--help") {
			t.Errorf("%q ends with %d, %q and %q", command, code, out, errOut)
		}
	}
}

func TestEveryFileIsCompared(t *testing.T) {
	directory := t.TempDir()
	file := func(name, kind string) string {
		path := filepath.Join(directory, name)
		text := fmt.Sprintf("apiVersion: sei.io/v1alpha1\nkind: %s\nmetadata: {name: %s}\n", kind, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	server := serve(t, map[string]http.HandlerFunc{
		"/seinodes": answer(`{"kind":"SeiNode","metadata":{"name":"created"}}`),
	})

	code, out, errOut := sei(t, server, "diff", "-f", file("a", "SeiNode"), "-f", file("b", "SeiNode"))
	if code != exitNo || strings.Count(out, "is new") != 2 {
		t.Errorf("ends with %d, %q and %q", code, out, errOut)
	}
	code, out, errOut = sei(t, server, "diff", "-f", file("c", "SeiNod"))
	if code != exitUnanswered || !strings.Contains(errOut, "there is no SeiNode and no SeiNodeDeployment") {
		t.Errorf("a file without nodes ends with %d, %q and %q", code, out, errOut)
	}
}

func TestAMessageIsOneLine(t *testing.T) {
	const forged = `x\n      runbook: https://evil.example`
	server := serve(t, map[string]http.HandlerFunc{"/seinodes/n": answer(`{"kind":"SeiNode","metadata":{"name":"n","generation":1},
		"status":{"observedGeneration":1,
		"conditions":[{"type":"Ready","status":"False","reason":"X","message":"` + forged + `"},
			{"type":"UpToDate","status":"False","reason":"X","message":"` + forged + `"},
			{"type":"UpgradesReady","status":"False","reason":"X","message":"` + forged + `"}],
		"plan":{"tasks":[{"type":"t","status":"Running","message":"` + forged + `"}]},
		"planHistory":["` + forged + `"]}}`)})
	for _, command := range []string{"why", "status", "plan", "upgrades"} {
		_, out, _ := sei(t, server, command, "snode/n")
		if !strings.Contains(out, "https://evil.example") {
			t.Errorf("%s shows no message: %s", command, out)
		}
		if strings.Contains(out, "\n      runbook: https://evil.example") {
			t.Errorf("%s prints a line of a message as its own: %s", command, out)
		}
	}
}

func TestAReplicaThatDoesNotAnswerIsLeftOut(t *testing.T) {
	before := metricsTimeout
	metricsTimeout = 50 * time.Millisecond
	t.Cleanup(func() { metricsTimeout = before })
	server := serve(t, map[string]http.HandlerFunc{
		"/clusterrolebindings": answer(`{"items":[{"subjects":[{"kind":"ServiceAccount","namespace":"ops","name":"sei"}]}]}`),
		"/pods": answer(`{"items":[{"metadata":{"name":"away","namespace":"ops"}},
			{"metadata":{"name":"leader","namespace":"ops"}}]}`),
		"/away:8080/proxy/metrics": hang,
		"/leader:8080/proxy/metrics": answer(`sei_node_height{namespace="default",name="n"} 42
sei_node_lag_blocks{namespace="default",name="n"} NaN
`),
		"/seinodes/n": answer(`{"kind":"SeiNode","metadata":{"name":"n","namespace":"default"}}`),
	})

	code, out, errOut := sei(t, server, "status", "snode/n")
	if code != exitDone || !strings.Contains(out, " 42        -") {
		t.Errorf("ends with %d, %q and %q", code, out, errOut)
	}
}

func TestSupportWritesNothingWithoutAnAPIServer(t *testing.T) {
	t.Chdir(t.TempDir())

	code, out, _ := sei(t, "http://127.0.0.1:1", "support")
	if left, _ := filepath.Glob("*"); code != exitNo || len(left) > 0 {
		t.Errorf("ends with %d, %q and %v", code, out, left)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestAnOutputThatIsNotWrittenIsNotDone(t *testing.T) {
	var errOut strings.Builder
	code := run("kubectl-sei", []string{"help"}, genericiooptions.IOStreams{Out: printable(fullDisk{}), ErrOut: &errOut})
	if code != exitNo || !strings.Contains(errOut.String(), "no space left") {
		t.Errorf("ends with %d: %s", code, errOut.String())
	}
}

func TestATimeoutOfZeroReadsOnce(t *testing.T) {
	server := serve(t, map[string]http.HandlerFunc{
		"/seinodes/n": answer(`{"kind":"SeiNode","metadata":{"name":"n"},"status":{"phase":"Running"}}`),
	})

	if code, _, errOut := sei(t, server, "wait", "snode/n", "--timeout=0"); code != exitTimeout ||
		!strings.Contains(errOut, "snode/n: Running") {
		t.Errorf("ends with %d: %s", code, errOut)
	}
}
