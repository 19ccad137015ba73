package main

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
)

// conditionType finds a condition with its Javadoc.
var conditionType = regexp.MustCompile(`(?s)/\*\*(.*?)\*/\s+[A-Z_]+\("(\w+)"\)`)

// TestWhyShowsAConditionInItsBadState reads from the operator's API for which conditions True is the bad state.
func TestWhyShowsAConditionInItsBadState(t *testing.T) {
	for kind, file := range map[string]string{"SeiNode": "NodeConditionType", "SeiNodeDeployment": "FleetConditionType"} {
		source, err := os.ReadFile("../main/java/io/sei/operator/api/v1alpha1/" + file + ".java")
		if err != nil {
			t.Fatal(err)
		}
		bad := 0
		for _, found := range conditionType.FindAllStringSubmatch(string(source), -1) {
			if !strings.Contains(found[1], "True is bad") {
				continue
			}
			bad++
			if out := whyOf(t, kind, found[2], "True", "Reason"); !strings.Contains(out, "  "+found[2]) {
				t.Errorf("%s: True of %s is not shown: %s", kind, found[2], out)
			}
			if out := whyOf(t, kind, found[2], "False", "Reason"); strings.Contains(out, "  "+found[2]) {
				t.Errorf("%s: False of %s is shown: %s", kind, found[2], out)
			}
		}
		if bad < 2 {
			t.Errorf("%s has %d conditions for which True is bad", kind, bad)
		}
	}
}

func TestWhyShowsNoConditionThatIsNeitherGoodNorBad(t *testing.T) {
	for _, c := range []condition{
		{Type: "DataVolumePinned", Status: "False", Reason: "NotPinned"},
		{Type: "SigningKeyReady", Status: "Unknown", Reason: "NotReferenced"},
		{Type: "NodeKeyReady", Status: "Unknown", Reason: "NotReferenced"},
		{Type: "OperatorKeyringReady", Status: "Unknown", Reason: "NotReferenced"},
	} {
		if out := whyOf(t, "SeiNode", c.Type, c.Status, c.Reason); !strings.Contains(out, "Nothing is wrong") {
			t.Errorf("%s is shown: %s", c.Type, out)
		}
	}
}

func TestWhyNamesThePageOfAConditionWithAnAlert(t *testing.T) {
	for page, c := range map[string]condition{
		"SeiDataVolumeAtRisk":    {Type: "DataVolumeAtRisk", Status: "True", Reason: "ClaimTerminating"},
		"SeiSigningKeyShared":    {Type: "SigningKeyReady", Status: "False", Reason: "SigningKeyShared"},
		"SeiSignerHasAnotherKey": {Type: "SigningKeyReady", Status: "False", Reason: "SignerHasAnotherKey"},
		"SeiPeersLost":           {Type: "CaughtUp", Status: "False", Reason: "NoPeers"},
		"SeiUpgradeNotListed":    {Type: "UpgradesReady", Status: "False", Reason: "NotListed"},
		"SidecarUnreachable":     {Type: "SidecarReady", Status: "Unknown", Reason: "Unreachable"},
		"SidecarForbidden":       {Type: "SidecarReady", Status: "Unknown", Reason: "Forbidden"},
	} {
		if out := whyOf(t, "SeiNode", c.Type, c.Status, c.Reason); !strings.Contains(out, "/"+page+".md") {
			t.Errorf("%s/%s has no page: %s", c.Type, c.Reason, out)
		}
	}
}

// whyOf answers kubectl sei why NAME for an object that is Ready and up to date, with one more condition.
func whyOf(t *testing.T, kind, name, status, reason string) string {
	t.Helper()
	object := fmt.Sprintf(`{"kind":%q,"metadata":{"name":"n","namespace":"default","generation":1},"status":{"observedGeneration":1,
		"phase":"Running","conditions":[{"type":"Ready","status":"True"},{"type":"UpToDate","status":"True"},
		{"type":%q,"status":%q,"reason":%q,"message":"evidence"}]}}`, kind, name, status, reason)
	path := map[string]string{"SeiNode": "seinodes", "SeiNodeDeployment": "seinodedeployments"}[kind]
	_, out, errOut := sei(t, serve(t, map[string]http.HandlerFunc{
		"/" + path + "/n": answer(object),
		"/seinodes":       answer(`{"items":[]}`),
	}), "why", "n")
	return out + errOut
}
