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

// serve answers each path that ends with a key by its handler, and others as an API server that has no such object.
func serve(t *testing.T, handlers map[string]http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for suffix, handle := range handlers {
			if strings.HasSuffix(r.URL.Path, suffix) {
				handle(w, r)
				return
			}
		}
		notFound(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func notFound(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusNotFound)
	fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404,"message":"not found"}`)
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

// TestACRDThatIsNotInstalledIsNamed plays an API server that knows nothing of sei.io, and answers as one does.
func TestACRDThatIsNotInstalledIsNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "node.yaml")
	if err := os.WriteFile(file, []byte("apiVersion: sei.io/v1alpha1\nkind: SeiNode\nmetadata: {name: node}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	server := serve(t, map[string]http.HandlerFunc{"": http.NotFound})
	for _, command := range [][]string{
		{"status"}, {"status", "n"}, {"status", "-o", "json"}, {"why"}, {"why", "snode/n"}, {"plan", "n"}, {"upgrades"}, {"orphans"},
		{"wait", "n"}, {"pause", "n"}, {"vote", "n", "--proposal=1", "--option=yes", "--fees=1usei", "--gas=1"}, {"diff", "-f", file},
	} {
		code, out, errOut := sei(t, server, command...)
		if code == exitDone || !strings.Contains(errOut, "sei.io: its CRD is not installed; kubectl apply -f crds/") {
			t.Errorf("%q ends with %d, %q and %q", command, code, out, errOut)
		}
	}
}

// TestAnObjectThatIsGoneIsNoMissingCRD plays the answer of an API server that has the kind.
func TestAnObjectThatIsGoneIsNoMissingCRD(t *testing.T) {
	if _, _, errOut := sei(t, serve(t, nil), "plan", "n"); !strings.Contains(errOut, "there is no fleet and no node 'n'") {
		t.Errorf("ends with %s", errOut)
	}
}

// mistyped is a node and a fleet that were stored before their CRDs had types for these fields.
const (
	mistypedNode = `{"kind":"SeiNode","metadata":{"name":"old","namespace":"default","generation":1},
		"spec":{"image":5,"chainId":"atlantic-2"},"status":{"observedGeneration":1,"phase":"Running",
		"conditions":[{"type":"Ready","status":"True"},{"type":"UpToDate","status":"True"}]}}`
	mistypedFleet = `{"kind":"SeiNodeDeployment","metadata":{"name":"f","namespace":"default","generation":1},
		"spec":{"replicas":"3"},"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"True"},
		{"type":"UpToDate","status":"True"}]}}`
)

func TestAMistypedFieldEndsNoList(t *testing.T) {
	server := serve(t, map[string]http.HandlerFunc{
		"/seinodedeployments": answer(`{"items":[` + mistypedFleet + `]}`),
		"/seinodes": answer(`{"items":[` + mistypedNode + `,{"kind":"SeiNode","metadata":{"name":"new","namespace":"default",
			"generation":1},"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"True"},
			{"type":"Stalled","status":"True","reason":"DiskFull","message":"full"}]}}]}`),
		"/seinodes/old":         answer(mistypedNode),
		"/seinodedeployments/f": answer(mistypedFleet),
	})

	code, out, errOut := sei(t, server, "status", "-o", "json")
	if code != exitDone || !strings.Contains(out, `"new"`) || !strings.Contains(out, `"chainId": "atlantic-2"`) {
		t.Errorf("status ends with %d, %q and %q", code, out, errOut)
	}
	code, out, errOut = sei(t, server, "why")
	for _, line := range []string{
		"default/snode/new  DiskFull: full",
		"default/snode/old  Unreadable: spec.image is a number",
		"default/snd/f  Unreadable: spec.replicas is a string",
	} {
		if code != exitNo || !strings.Contains(out, line) {
			t.Errorf("why ends with %d, %q and %q, without %q", code, out, errOut, line)
		}
	}
	for _, command := range [][]string{{"wait", "snode/old"}, {"wait", "snd/f"}} {
		if code, out, errOut := sei(t, server, command...); code != exitNo || !strings.Contains(errOut, "Unreadable") {
			t.Errorf("%q ends with %d, %q and %q", command, code, out, errOut)
		}
	}
	for _, command := range [][]string{{"rollback", "snode/old"}, {"rollback", "snd/f"}} {
		if code, out, errOut := sei(t, server, command...); code != exitNo || !strings.Contains(errOut, "cannot be read") {
			t.Errorf("%q ends with %d, %q and %q", command, code, out, errOut)
		}
	}
}

func TestADryRunOfAVoteSaysSo(t *testing.T) {
	created := 0
	server := serve(t, map[string]http.HandlerFunc{
		"/seinodes/n": answer(`{"kind":"SeiNode","metadata":{"name":"n"},"spec":{"chainId":"c"}}`),
		"/seinodetasks": func(w http.ResponseWriter, _ *http.Request) {
			created++
			fmt.Fprint(w, `{"kind":"SeiNodeTask","metadata":{"name":"n-vote-5"}}`)
		},
	})
	for how, want := range map[string]string{"server": " created (server dry run)\n", "client": " created (dry run)\n"} {
		created = 0
		_, out, _ := sei(t, server, "vote", "n", "--proposal=5", "--option=yes", "--fees=1usei", "--gas=1", "--dry-run="+how)
		if out != "seinodetask.sei.io/n-vote-5"+want || how == "client" && created > 0 {
			t.Errorf("prints %q and sends %d", out, created)
		}
	}
}

func TestOptionsAreThoseThatHaveAnEffect(t *testing.T) {
	_, out, _ := sei(t, "http://127.0.0.1:1", "options")
	if strings.Contains(out, "--cache-dir") || !strings.Contains(out, "--context") {
		t.Errorf("prints %s", out)
	}
	if code, _, errOut := sei(t, serve(t, nil), "version", "--cache-dir=/nowhere"); strings.Contains(errOut, "flag") {
		t.Errorf("kubectl's flag is refused with %d: %s", code, errOut)
	}
}
