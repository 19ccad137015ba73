package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
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
