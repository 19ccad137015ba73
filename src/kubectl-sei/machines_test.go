package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// lostNode is a node whose machine is silent, with what follows from that.
func lostNode(namespace, name, fleet, spec string) string {
	return fmt.Sprintf(`{"kind":"SeiNode","metadata":{"name":%q,"namespace":%q,"generation":1,"labels":{"sei.io/nodedeployment":%q}},
		"spec":{%s},"status":{"observedGeneration":1,"conditions":[
		{"type":"Ready","status":"False","reason":"NodeLost","message":"of %s","lastTransitionTime":"2026-11-28T10:00:40Z"},
		{"type":"SidecarReady","status":"Unknown","reason":"Unreachable","message":"the sidecar does not respond"},
		{"type":"CaughtUp","status":"False","reason":"NoPeers","message":"no peers"},
		{"type":"UpgradesReady","status":"False","reason":"ImagePull","message":"not pulled"},
		{"type":"Stalled","status":"True","reason":"NodeLost","message":"of %s"}]}}`, name, namespace, fleet, spec, name, name)
}

func boundPod(namespace, node, machine string) string {
	return fmt.Sprintf(`{"metadata":{"name":"%s-0","namespace":%q,"labels":{"sei.io/node":%q}},"spec":{"nodeName":%q}}`,
		node, namespace, node, machine)
}

func items(of ...string) http.HandlerFunc { return answer(`{"items":[` + strings.Join(of, ",") + `]}`) }

// lostMachine answers for m-2 with four nodes of two fleets and one on its own, and m-3 with another one.
func lostMachine(t *testing.T, ofMachine http.HandlerFunc) string {
	uncertain := strings.Replace(lostNode("a", "moved", "", `"validator":{}`), `"Stalled","status":"True"`,
		`"SigningKeyReady","status":"False","reason":"SigningUncertain"},{"type":"Stalled","status":"True"`, 1)
	return serve(t, map[string]http.HandlerFunc{
		"/seinodedeployments": items(`{"kind":"SeiNodeDeployment","metadata":{"name":"rpc","namespace":"a","generation":1},
			"status":{"observedGeneration":1,"conditions":[{"type":"Stalled","status":"True","reason":"NodeLost","message":"rpc-0: of rpc-0"}]}}`),
		"/seinodes": items(
			lostNode("a", "rpc-0", "rpc", ""), lostNode("a", "rpc-1", "rpc", ""), lostNode("b", "rpc-0", "rpc", ""),
			lostNode("b", "val", "", `"validator":{}`), lostNode("b", "far", "", ""), lostNode("b", "unbound", "", ""), uncertain),
		"/namespaces/a/pods": items(boundPod("a", "rpc-0", "m-2"), boundPod("a", "rpc-1", "m-2"), boundPod("a", "moved", "m-2")),
		"/namespaces/b/pods": items(boundPod("b", "rpc-0", "m-2"), boundPod("b", "val", "m-2"), boundPod("b", "far", "m-3")),
		"/api/v1/nodes/m-2":  ofMachine,
		"/api/v1/nodes/m-3":  answer(`{"status":{"conditions":[{"type":"Ready","status":"True"}]}}`),
	})
}

func TestNodesOfALostMachineShareALineAndWhatFollowsIsLeftOut(t *testing.T) {
	const silent = `{"status":{"conditions":[{"type":"Ready","status":"Unknown","lastTransitionTime":"2026-11-28T10:00:39Z"}]}}`
	for name, machine := range map[string]struct {
		answer http.HandlerFunc
		words  string
	}{
		"silent": {answer(silent), "machine m-2 is lost since 2026-11-28T10:00:39Z: 4 nodes, 3 of 2 fleets; seid may still run and" +
			" sign there; bring it back or, once it is certainly off: kubectl taint node m-2" +
			" node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"},
		"gone": {http.NotFound, "machine m-2 is lost since 2026-11-28T10:00:40Z: 4 nodes, 3 of 2 fleets; seid may still run and" +
			" sign there; its Node is gone, so the pods are deleted within minutes"},
		"unreadable": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) },
			"machine m-2 is lost since 2026-11-28T10:00:40Z: 4 nodes, 3 of 2 fleets; seid may still run and sign there; ask an" +
				" administrator whether it is off"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errOut := sei(t, lostMachine(t, machine.answer), "why", "-A")

			lines := strings.Split(strings.TrimSpace(out), "\n")
			wanted := []string{
				"a/snode/rpc-0, a/snode/rpc-1, b/snode/rpc-0, b/snode/val  NodeLost: " + machine.words + "  (docs/runbooks/NodeLost.md)",
				"b/snode/far  NodeLost: of far  (docs/runbooks/NodeLost.md)",
				"a/snode/moved  NodeLost: of moved  (docs/runbooks/NodeLost.md)",
				"b/snode/unbound  NodeLost: of unbound  (docs/runbooks/NodeLost.md)",
			}
			if code != exitNo || len(lines) < len(wanted) {
				t.Fatalf("ends with %d: %s%s", code, out, errOut)
			}
			for _, line := range wanted {
				if !strings.Contains(out, line+"\n") {
					t.Errorf("does not say %q:\n%s", line, out)
				}
			}
			// The sidecar of the pod that is on another machine by now is another matter.
			for _, follows := range []string{"Unreachable", "NoPeers", "ImagePull"} {
				for _, line := range lines {
					if strings.Contains(line, follows) && !strings.HasPrefix(line, "a/snode/moved  ") {
						t.Errorf("a consequence is a problem: %s", line)
					}
				}
			}
		})
	}
}

func TestAProblemNamesItsMachineInJSON(t *testing.T) {
	server := lostMachine(t, http.NotFound)

	_, out, _ := sei(t, server, "why", "-A", "-o", "json")

	if named := strings.Count(out, `"machine": "m-2"`); named != 4 {
		t.Errorf("%d problems name the machine:\n%s", named, out)
	}
	if strings.Contains(out, `"machine": "m-3"`) {
		t.Errorf("a machine that reports is lost:\n%s", out)
	}
}
