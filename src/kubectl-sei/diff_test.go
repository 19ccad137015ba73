package main

import (
	"maps"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestEffectsOfAChange(t *testing.T) {
	inPlace := updatePolicy{isInPlace: true, onNextStart: true}
	tests := []struct {
		field    comparedField
		isFleet  bool
		policy   updatePolicy
		was, now any
		want     string
	}{
		{comparedField{path: "image", effect: restartsPod}, false, updatePolicy{}, "a", "b", "replaces the pod"},
		{comparedField{path: "image", effect: restartsPod}, false, inPlace, "a", "b",
			"changes the running pod where that is possible, and replaces it elsewhere"},
		{comparedField{path: "scheduling", effect: restartsPod}, false, inPlace, nil, nil, "replaces the pod"},
		{comparedField{path: "template.spec.image", effect: restartsPod}, true, updatePolicy{}, "a", "b",
			"replaces each pod, node by node as in a rollout"},
		{comparedField{path: "peers", effect: configuresSeid}, false, updatePolicy{}, nil, nil, "restarts seid"},
		{comparedField{path: "peers", effect: configuresSeid}, false, inPlace, nil, nil, "waits for the next start of seid"},
		{comparedField{path: "dataResetGeneration", effect: restartsPod}, false, inPlace, nil, int64(1),
			"wipes the chain data once and initializes the node again"},
		{comparedField{path: "upgrades"}, false, updatePolicy{}, nil, nil,
			"restarts nothing; seid has to halt for the upgrade first"},
		{comparedField{path: "paused"}, true, updatePolicy{}, nil, true, "stops every pod; volumes stay"},
		{comparedField{path: "template.spec.paused"}, true, updatePolicy{}, true, false, "starts every pod"},
		{comparedField{path: "replicas"}, true, updatePolicy{}, int64(2), int64(10), "adds 8 nodes"},
		{comparedField{path: "replicas"}, true, updatePolicy{}, int64(3), int64(2), "deletes 1 node, the last ones"},
		{comparedField{path: "genesis"}, false, updatePolicy{}, nil, nil, "restarts nothing"},
	}
	for _, test := range tests {
		if got := effectOf(test.field, test.isFleet, test.policy, test.was, test.now); got != test.want {
			t.Errorf("%s: %q, not %q", test.field.path, got, test.want)
		}
	}
}

func TestWhatIsEmptyIsNotSet(t *testing.T) {
	for _, empty := range []any{nil, false, "", map[string]any{}, []any{}} {
		if !isSame(nil, empty) {
			t.Errorf("%#v is not the same as nothing", empty)
		}
	}
	if isSame(nil, true) || isSame("a", "b") || isSame(int64(1), int64(2)) {
		t.Error("different values are the same")
	}
}

func TestEveryFieldOfTheOperatorIsCompared(t *testing.T) {
	node := func(image string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"kind": "SeiNode", "metadata": map[string]any{"name": "n"}, "spec": map[string]any{"image": image},
		}}
	}
	compared := compare(releaseList{}, node("a"), node("b"))
	if len(compared.changes) != 1 || compared.changes[0].path != "image" || compared.changes[0].effect != "replaces the pod" {
		t.Errorf("compared %+v", compared)
	}
	if compare(releaseList{}, node("a"), node("a")).differs() {
		t.Error("the same node differs")
	}
}

func TestLabelsAndAnnotationsAreCompared(t *testing.T) {
	const eachPod = "replaces each pod, node by node as in a rollout"
	fleet := func(label, annotation, ofTemplate string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"kind": "SeiNodeDeployment",
			"metadata": map[string]any{
				"name": "f", "labels": map[string]any{"team": label},
				"annotations": map[string]any{
					"note": annotation, restartAnnotation: annotation, appliedAnnotation: annotation,
				},
			},
			"spec": map[string]any{"template": map[string]any{
				"metadata": map[string]any{"labels": map[string]any{"sei.io/peers-from": ofTemplate, "tier": ofTemplate}},
			}},
		}}
	}
	compared := compare(releaseList{}, fleet("a", "a", "a"), fleet("b", "b", "All"))
	effects := map[string]string{}
	for _, change := range compared.changes {
		effects[change.path] = change.effect
	}
	want := map[string]string{
		"metadata.labels.team": restartsNothing, "metadata.annotations.note": restartsNothing,
		"template.metadata.labels.sei.io/peers-from": restartsNothing, "template.metadata.labels.tier": eachPod,
		restartAnnotation: eachPod,
	}
	if !maps.Equal(effects, want) {
		t.Errorf("%v, not %v", effects, want)
	}
	if compare(releaseList{}, fleet("a", "a", "a"), fleet("a", "a", "a")).differs() {
		t.Error("the same fleet differs")
	}
}
