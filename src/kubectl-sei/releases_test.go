package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestAdviceAboutAnImage(t *testing.T) {
	validator := nodeSpec{Validator: &struct{}{}}
	freezing := nodeSpec{FullNode: &frozen{Freeze: &struct{}{}}}
	const grpc = "v6.8.0: port 9090 (gRPC) is gone: REST on port 1317 answers the same queries"
	const limits = "v6.8.0: evm.rate_limiting_enabled of app.toml is true by default: "
	tests := []struct {
		from, to string
		of       nodeSpec
		want     []string
		without  string
	}{
		{"sei:v6.7.4", "ghcr.io/sei-protocol/sei:v6.8.0", nodeSpec{}, []string{grpc, limits}, "v6.7"},
		{"sei:v6.7.2", "sei:v6.8.0-rc2@sha256:0123", nodeSpec{}, []string{"v6.7.3: statesync.trust-period", grpc}, "v6.7.2:"},
		{"sei:v6.6.4", "sei:v6.7.0", nodeSpec{}, []string{"v6.7.0: the data migrates to FlatKV and cannot go back, when "}, "v6.8"},
		{"sei:v6.8.0", "sei:v6.7.4", nodeSpec{}, nil, "v6"},
		{"sei:v6.7.4", "sei:v6.9.0", nodeSpec{}, []string{"seid v6.9.0 is not in the list of releases"}, "v6.8"},
		{"sei:a", "sei:v6.8.0", nodeSpec{}, nil, "v6"},
		{"sei:v6.7.4", "sei:b", nodeSpec{}, nil, "v6"},
		{"", "", nodeSpec{}, nil, "v6"},
		{"sei:v6.7.4", "sei:mock_balances", nodeSpec{}, []string{"sei:mock_balances must not run: "}, "v6.8"},
		{"sei:v6.7.0", "sei:v6.7.0-memiavl-reserve", nodeSpec{}, nil, "must not"},
		{"sei:v6.7.0", "sei:v6.7.0-memiavl-reserve", validator, []string{"must not run: "}, "v6.8"},
		{"sei:v6.6.2", "sei:v6.6.2", freezing, []string{"freeze needs seid v6.6.3 or later: v6.6.2 ignores the height"}, "v6.8"},
		{"sei:v6.6.3", "sei:v6.6.3", freezing, nil, "freeze"},
	}
	for _, test := range tests {
		got := strings.Join(facts.Releases.advice(test.from, test.to, test.of), "\n")
		for _, want := range test.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s > %s: no %q in %q", test.from, test.to, want, got)
			}
		}
		if test.want == nil && got != "" || strings.Contains(got, test.without) {
			t.Errorf("%s > %s: %q", test.from, test.to, got)
		}
	}
}

func TestAPatternOfTagsIsComparedInTime(t *testing.T) {
	if isTagLike(strings.Repeat("a", 128), strings.Repeat("*a", 60)+"b") {
		t.Error("matches")
	}
}

func TestAnEditOfAnImageOrAnUpgradeIsExplained(t *testing.T) {
	node := func(image string, upgrades ...any) map[string]any {
		return map[string]any{"image": image, "upgrades": upgrades}
	}
	listed := map[string]any{"name": "v6.8", "height": int64(1), "image": "sei:v6.8.0"}
	tests := []struct {
		before, after map[string]any
		path          string
		isExplained   bool
	}{
		{node("sei:v6.7.4"), node("sei:v6.8.0"), "image", true},
		{node("sei:v6.7.4"), node("sei:v6.7.4", listed), "upgrades", true},
		{node("sei:v6.7.4", listed), node("sei:v6.7.4"), "upgrades", false},
		{node("sei:v6.7.4"), node("sei:v6.7.4", map[string]any{"image": int64(7)}), "upgrades", false},
	}
	for _, test := range tests {
		for _, isFleet := range []bool{false, true} {
			object := func(spec map[string]any) *unstructured.Unstructured {
				kind := "SeiNode"
				if isFleet {
					kind, spec = "SeiNodeDeployment", map[string]any{"template": map[string]any{"spec": spec}}
				}
				return &unstructured.Unstructured{Object: map[string]any{
					"kind": kind, "metadata": map[string]any{"name": "n"}, "spec": spec,
				}}
			}
			compared := compare(facts.Releases, object(test.before), object(test.after))
			var out strings.Builder
			showChanges(&out, []comparison{compared})
			explainChanges(&out, []comparison{compared})
			if got := strings.Count(out.String(), "port 9090 (gRPC) is gone"); got != map[bool]int{true: 2}[test.isExplained] {
				t.Errorf("%s, fleet %v: %s", test.path, isFleet, out.String())
			}
		}
	}
}

// TestTheConfigMapOfTheOperatorExtendsTheList plays an operator whose ConfigMap is good, broken or forbidden.
func TestTheConfigMapOfTheOperatorExtendsTheList(t *testing.T) {
	const good = `{"data":{"releases.yaml":"releases: [{version: v6.9.0, source: 'https://example.org', ` +
		`ports: [{number: 1317, name: REST, change: Removed}]}]"}}`
	const own = "v6.9.0: port 1317 (REST) is gone"
	tests := map[string]struct {
		answer string
		status int
		want   string
		says   string
	}{
		"good":      {good, http.StatusOK, own, ""},
		"broken":    {`{"data":{"releases.yaml":"releases: hello"}}`, http.StatusOK, "is not in the list", "is no list of releases"},
		"unknown":   {`{"data":{"releases.yaml":"colour: red"}}`, http.StatusOK, "is not in the list", "is no list of releases"},
		"forbidden": {`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403}`, http.StatusForbidden, "is not in the list", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch path := r.URL.Path; {
				case strings.HasSuffix(path, "/clusterrolebindings"):
					fmt.Fprint(w, `{"items":[{"subjects":[{"kind":"ServiceAccount","namespace":"op","name":"sei"}]}]}`)
				case strings.HasSuffix(path, "/deployments"):
					fmt.Fprint(w, `{"items":[{"spec":{"template":{"spec":{"serviceAccountName":"sei","containers":[`+
						`{"env":[{"name":"SEI_RELEASES_CONFIG_MAP","value":"known"}]}]}}}}]}`)
				case path == "/api/v1/namespaces/op/configmaps/known":
					w.WriteHeader(test.status)
					fmt.Fprint(w, test.answer)
				case path == "/apis/sei.io":
					fmt.Fprint(w, `{"preferredVersion":{"groupVersion":"sei.io/v1alpha1"}}`)
				case path == "/apis/sei.io/v1alpha1":
					fmt.Fprint(w, `{"resources":[{"name":"seinodes","kind":"SeiNode"}]}`)
				case strings.HasSuffix(path, "/seinodes"):
					fmt.Fprint(w, `{"items":[{"kind":"SeiNode","metadata":{"name":"n","namespace":"sei"},"spec":{"image":"sei:v6.8.0",`+
						`"upgrades":[{"name":"v6.9","height":1,"image":"sei:v6.9.0"}]}}]}`)
				default:
					fmt.Fprint(w, `{"items":[]}`)
				}
			}))
			defer server.Close()

			_, out, errOut := sei(t, server.URL, "preflight", "--crds=../../crds/")

			if !strings.Contains(out, "snode/n in sei") || !strings.Contains(out, test.want) || !strings.Contains(errOut, test.says) {
				t.Errorf("%s%s", out, errOut)
			}
			if test.says == "" && strings.Contains(errOut, "no list") {
				t.Error(errOut)
			}
		})
	}
}

func TestTheListOfReleasesIsOfTheOperator(t *testing.T) {
	if !slices.ContainsFunc(facts.Releases.Releases, func(r release) bool { return r.Plan == "v6.8" }) {
		t.Error("facts.json has no release for the plan v6.8")
	}
}
