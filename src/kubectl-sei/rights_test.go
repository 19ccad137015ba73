package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// TestViewersMayRunWhatOnlyReads runs every command that only reads with the rights of the role view: no objects of the
// cluster's scope, no bindings, no proxies. A command whose help asks for more goes on without what it may not read.
func TestViewersMayRunWhatOnlyReads(t *testing.T) {
	var mutex sync.Mutex
	var writes []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			mutex.Lock()
			writes = append(writes, r.Method+" "+r.URL.Path)
			mutex.Unlock()
		}
		answerViewer(w, r)
	}))
	defer server.Close()

	for _, command := range []string{
		"top", "status", "status snode/n", "status -o yaml", "plan snode/n", "why", "why snode/n", "upgrades", "upgrades snode/n",
		"orphans", "snapshots", "wait snode/n --timeout=0s", "watch snode/n --timeout=0s", "version",
	} {
		code, out, errOut := sei(t, server.URL, append(strings.Fields(command), "-n", "sei")...)
		if code != exitDone {
			t.Errorf("%s ends with %d: %s%s", command, code, out, errOut)
		}
	}
	if len(writes) > 0 {
		t.Errorf("reading commands write: %v", writes)
	}
}

func answerViewer(w http.ResponseWriter, r *http.Request) {
	const node = `{"kind":"SeiNode","metadata":{"name":"n","namespace":"sei","generation":1},"status":{"observedGeneration":1,
		"phase":"Running","conditions":[{"type":"Ready","status":"True"},{"type":"UpToDate","status":"True"}]}}`
	path := r.URL.Path
	switch {
	case path == "/version":
		fmt.Fprint(w, `{"gitVersion":"v1.37.2"}`)
	case strings.Contains(r.Header.Get("Accept"), "as=Table"):
		fmt.Fprint(w, `{"kind":"Table","columnDefinitions":[{"name":"Name"}],"rows":[{"cells":["n"],"object":`+
			`{"kind":"PartialObjectMetadata","metadata":{"name":"n"}}}]}`)
	case strings.HasSuffix(path, "/seinodes/n"):
		fmt.Fprint(w, node)
	case strings.HasSuffix(path, "/namespaces/sei/seinodes"):
		fmt.Fprintf(w, `{"items":[%s]}`, node)
	case strings.Contains(path, "/namespaces/sei/") && !strings.Contains(path, "rbac.authorization") && !strings.HasSuffix(path, "/proxy/metrics"):
		fmt.Fprint(w, `{"items":[]}`)
	default:
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"%s is forbidden","code":403}`, path)
	}
}
