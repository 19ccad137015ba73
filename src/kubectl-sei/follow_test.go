package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// TestANodeThatWasResumedIsWaitedFor plays the moment after kubectl sei resume: the status of the fleet is that of before.
func TestANodeThatWasResumedIsWaitedFor(t *testing.T) {
	for paused, want := range map[bool]int{true: exitNo, false: exitTimeout} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/seinodes/f-0") {
				fmt.Fprintf(w, `{"kind":"SeiNode","metadata":{"name":"f-0"},"spec":{"paused":%t}}`, paused)
				return
			}
			fmt.Fprint(w, `{"kind":"SeiNodeDeployment","metadata":{"name":"f","generation":2},"spec":{"replicas":1},
				"status":{"observedGeneration":2,"nodes":[{"name":"f-0","reason":"NodePaused"}]}}`)
		}))
		code, out, errOut := sei(t, server.URL, "wait", "snd/f", "--timeout=0s")
		server.Close()
		if code != want {
			t.Errorf("with paused %t it ends with %d, not %d: %s%s", paused, code, want, out, errOut)
		}
	}
}

// lateContext is past its deadline and has not ended: its timer waits for a processor.
type lateContext struct{ context.Context }

func (lateContext) Deadline() (time.Time, bool) { return time.Now().Add(-time.Second), true }

// TestARequestAfterTheDeadlineIsATimeout plays a busy machine: the client refuses the request before the context ends.
func TestARequestAfterTheDeadlineIsATimeout(t *testing.T) {
	c, err := newCluster(lateContext{context.Background()}, &rest.Config{Host: "http://localhost"}, "ns", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	node := &object{Kind: nodes.kind, Metadata: metadata{Name: "n"}}

	err = (&plugin{}).follow(c, node, following{
		limit: &timeLimit{length: time.Minute, typed: "1m"}, codeOfFailure: exitUnanswered,
	})

	var ended *exitError
	if !errors.As(err, &ended) || ended.code != exitTimeout {
		t.Errorf("it ends with %v, not with code %d", err, exitTimeout)
	}
}

// TestWhatPutsDataOrKeyAtRiskEndsTheWaiting takes every condition that kubectl sei why lists first.
func TestWhatPutsDataOrKeyAtRiskEndsTheWaiting(t *testing.T) {
	for _, c := range []condition{
		{Type: "DataVolumeAtRisk", Status: "True", Reason: "ClaimTerminating"},
		{Type: "SigningKeyReady", Status: "False", Reason: "SigningKeyShared"},
		{Type: "SigningKeyReady", Status: "False", Reason: "SignerHasAnotherKey"},
	} {
		for _, kind := range []resourceType{nodes, fleets} {
			o := &object{Kind: kind.kind, Metadata: metadata{Name: "n"}}
			o.Status.Conditions = []condition{{Type: "Ready", Status: "True"}, {Type: "UpToDate", Status: "True"}, c}
			if ends := progressOf(o, allowed{}); ends.word != over || ends.reason != c.Reason {
				t.Errorf("%s with %s/%s is %s", kind.kind, c.Type, c.Reason, ends)
			}
		}
	}
	o := &object{Kind: nodes.kind}
	o.Status.Conditions = []condition{{Type: "UpToDate", Status: "True"}, {Type: "Ready", Status: "True"},
		{Type: "DataVolumeAtRisk", Status: "False", Reason: "NotAtRisk"}}
	if ends := progressOf(o, allowed{}); ends.word != converged {
		t.Errorf("a node that is no longer at risk is %s", ends)
	}
}

// TestARetryIsWaitedForUntilTheOperatorHasSeenIt plays an operator that is slow to do so: the plan has the value of before.
func TestARetryIsWaitedForUntilTheOperatorHasSeenIt(t *testing.T) {
	lately := time.Now().Add(-time.Minute).UTC().Format(time.RFC3339)
	long := time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
	for _, c := range []struct {
		requested, recorded string
		want                int
	}{{lately, "", exitTimeout}, {lately, long, exitTimeout}, {lately, lately, exitNo}, {long, "", exitNo}} {
		server := serve(t, map[string]http.HandlerFunc{"/seinodes/n": answer(fmt.Sprintf(
			`{"kind":"SeiNode","metadata":{"name":"n","annotations":{%q:%q}},"status":{"phase":"Failed","plan":{"kind":"Init",
			"phase":"Failed","target":{"image":"sei:a","retry":%q}},"conditions":[{"type":"Stalled","status":"True","reason":"Unknown"}]}}`,
			retryAnnotation, c.requested, c.recorded))})
		if code, out, errOut := sei(t, server, "wait", "snode/n", "--timeout=0s"); code != c.want {
			t.Errorf("%v ends with %d: %s%s", c, code, out, errOut)
		}
	}
}

// TestAJustRequestedRestartIsWaitedFor plays the moment before the operator begins: the status is that of before.
func TestAJustRequestedRestartIsWaitedFor(t *testing.T) {
	for _, annotation := range []string{restartAnnotation, retryAnnotation} {
		for _, request := range []struct {
			at   string
			want int
		}{
			{time.Now().UTC().Format(time.RFC3339), exitTimeout},
			{time.Now().Add(-time.Minute).UTC().Format(time.RFC3339Nano), 0},
			{time.Now().Add(time.Hour).UTC().Format(time.RFC3339), 0},
			{"again", 0},
		} {
			server := serve(t, map[string]http.HandlerFunc{"/seinodes/n": answer(fmt.Sprintf(
				`{"kind":"SeiNode","metadata":{"name":"n","annotations":{%q:%q}},"status":{"conditions":[
				{"type":"Ready","status":"True"},{"type":"UpToDate","status":"True"}]}}`, annotation, request.at))})
			if code, out, errOut := sei(t, server, "wait", "snode/n", "--timeout=0s"); code != request.want {
				t.Errorf("with %s %s it ends with %d, not %d: %s%s", annotation, request.at, code, request.want, out, errOut)
			}
		}
	}
}
