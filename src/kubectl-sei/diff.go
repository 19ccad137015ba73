package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/cli-runtime/pkg/resource"
)

func newExplainCommand(p *plugin) *cobra.Command {
	return newComparison(p, "explain", "say in a line for each object what applying a file would restart", `
Says in a line for each node and fleet of a file, a directory or a URL what applying it would do: replace pods,
restart seid, or neither; and what the releases of seid change that the edit of an image brings. Nothing is changed.
diff shows the fields; the exit codes are those of diff.

It needs the right to patch and create what the file has, though the API server stores nothing.`, explainChanges)
}

func newDiffCommand(p *plugin) *cobra.Command {
	return newComparison(p, "diff", "show the same field by field", `
Has the API server check the nodes and fleets in a file, a directory or a URL as kubectl apply does, and shows
which fields applying it would change and what each change does: replaces pods, restarts seid, or neither. Below an
image is what the releases up to it change, as the list of releases has it, with the ConfigMap of the operator where
you may read that. Nothing is changed. A file that the API server would refuse is refused here, in its words.

It needs the right to patch and create what the file has, though the API server stores nothing.

The exit code is 0 if nothing would change, 1 if something would, and 2 if the file cannot be applied or has no
node and no fleet.`, showChanges)
}

func newComparison(p *plugin, name, short, long string, show func(io.Writer, []comparison)) *cobra.Command {
	var files []string
	cmd := answering(&cobra.Command{
		Use:   name + " -f FILE",
		Short: short,
		Long:  long,
		Args:  noName,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(files) == 0 {
				return misused(cmd, "%s needs -f FILE", name)
			}
			c, err := p.connect(cmd)
			if err != nil {
				return err
			}
			compared, err := compareFiles(c, p.releases(c), files)
			if err != nil {
				return err
			}
			show(p.Out, compared)
			if slices.ContainsFunc(compared, comparison.differs) {
				return exitWith(exitNo)
			}
			return nil
		},
	})
	cmd.Flags().StringSliceVarP(&files, "filename", "f", nil, "`file`, directory or URL, or - for the standard input; may be repeated")
	return cmd
}

// readManifests returns the objects in files, directories, URLs or the standard input.
func readManifests(files ...string) ([]*unstructured.Unstructured, error) {
	infos, err := resource.NewLocalBuilder().Unstructured().
		FilenameParam(false, &resource.FilenameOptions{Filenames: files}).Flatten().Do().Infos()
	if err != nil {
		return nil, err
	}
	var found []*unstructured.Unstructured
	for _, info := range infos {
		if object, isObject := info.Object.(*unstructured.Unstructured); isObject {
			found = append(found, object)
		}
	}
	return found, nil
}

// --- Comparison -------------------------------------------------------------------------------------------

// comparison is an object of a file as it is and as applying the file would leave it.
type comparison struct {
	ref     string
	isFleet bool
	isNew   bool
	// isPaused says that the rollouts of a fleet are paused afterwards.
	isPaused bool
	changes  []fieldChange
}

type fieldChange struct {
	path   string
	effect string
	before any
	after  any
	// advice is what the list of releases says of the change.
	advice []string
}

func (c comparison) differs() bool { return c.isNew || len(c.changes) > 0 }

func compareFiles(c *cluster, known releaseList, files []string) ([]comparison, error) {
	manifests, err := readManifests(files...)
	if err != nil {
		return nil, err
	}
	var compared []comparison
	for _, manifest := range manifests {
		kind, isOurs := map[string]resourceType{nodes.kind: nodes, fleets.kind: fleets}[manifest.GetKind()]
		if !isOurs || manifest.GroupVersionKind().Group != kind.groupVersion().Group {
			continue
		}
		if manifest.GetNamespace() == "" {
			manifest.SetNamespace(c.namespace)
		}
		before, after, err := c.dryApply(kind, manifest)
		if err != nil {
			return nil, err
		}
		compared = append(compared, compare(known, before, after))
	}
	if len(compared) == 0 {
		return nil, fmt.Errorf("there is no SeiNode and no SeiNodeDeployment of %s in %s", nodes.groupVersion().Group,
			strings.Join(files, ", "))
	}
	return compared, nil
}

// dryApply has the API server apply a manifest as kubectl apply does, and store nothing. It returns the object as it
// is, or nil, and as it would be.
func (c *cluster) dryApply(kind resourceType, manifest *unstructured.Unstructured) (before, after *unstructured.Unstructured, err error) {
	modified, err := manifest.MarshalJSON()
	if err != nil {
		return nil, nil, err
	}
	before = &unstructured.Unstructured{}
	err = c.get(kind, manifest.GetNamespace(), manifest.GetName(), before)
	var answer []byte
	switch {
	case isMissing(err):
		before = nil
		answer, err = c.create(kind, manifest.GetNamespace(), modified, write{dryRun: true, strict: true})
	case err == nil:
		answer, err = c.dryPatch(kind, before, modified)
	}
	if err != nil {
		return nil, nil, err
	}
	after = &unstructured.Unstructured{}
	return before, after, json.Unmarshal(answer, after)
}

func (c *cluster) dryPatch(kind resourceType, before *unstructured.Unstructured, modified []byte) ([]byte, error) {
	current, err := before.MarshalJSON()
	if err != nil {
		return nil, err
	}
	original := []byte(before.GetAnnotations()[appliedAnnotation])
	patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch(original, modified, current)
	if err != nil {
		return nil, err
	}
	return c.patch(kind, before.GetNamespace(), before.GetName(), types.MergePatchType, patch, write{dryRun: true, strict: true})
}

func compare(known releaseList, before, after *unstructured.Unstructured) comparison {
	compared := comparison{isFleet: after.GetKind() == fleets.kind, isNew: before == nil}
	compared.ref = "snode/" + after.GetName()
	if compared.isFleet {
		compared.ref = "snd/" + after.GetName()
		compared.isPaused, _, _ = unstructured.NestedBool(after.Object, "spec", "updateStrategy", "paused")
	}
	if compared.isNew {
		return compared
	}
	policy := policyOf(after, compared.isFleet)
	for _, field := range fieldsOf(compared.isFleet) {
		was, now := valueAt(before, field.location), valueAt(after, field.location)
		if isSame(was, now) {
			continue
		}
		compared.changes = append(compared.changes, fieldChange{
			path: field.path, before: was, after: now, effect: effectOf(field, compared.isFleet, policy, was, now),
			advice: known.adviceOn(before, after, field),
		})
	}
	compared.addEntries(before, after, policy, "metadata", "labels")
	compared.addEntries(before, after, policy, "metadata", "annotations")
	if compared.isFleet {
		compared.addEntries(before, after, policy, "spec", "template", "metadata", "labels")
		compared.addEntries(before, after, policy, "spec", "template", "metadata", "annotations")
	}
	return compared
}

// addEntries compares labels or annotations by key. The labels of a template are those of pods, but for the operator's.
func (c *comparison) addEntries(before, after *unstructured.Unstructured, policy updatePolicy, location ...string) {
	was, _, _ := unstructured.NestedMap(before.Object, location...)
	now, _, _ := unstructured.NestedMap(after.Object, location...)
	path := strings.TrimPrefix(strings.Join(location, "."), "spec.")
	isOfPods := path == "template.metadata.labels"
	keys := slices.Sorted(maps.Keys(was))
	for _, key := range slices.Sorted(maps.Keys(now)) {
		if _, isKept := was[key]; !isKept {
			keys = append(keys, key)
		}
	}
	for _, key := range keys {
		if key == restartAnnotation || key == appliedAnnotation || was[key] == now[key] {
			continue
		}
		field := comparedField{path: path + "." + key}
		if isOfPods && !strings.HasPrefix(key, prefixOfOperator) {
			field.effect = restartsPod
		}
		c.changes = append(c.changes, fieldChange{
			path: field.path, before: was[key], after: now[key], effect: effectOf(field, c.isFleet, policy, was[key], now[key]),
		})
	}
}

// comparedField is a field by the path that is shown, with its place in the object.
type comparedField struct {
	path     string
	location []string
	effect   specEffect
}

// requestedRestart is the annotation that asks for one.
func requestedRestart(path string, location ...string) comparedField {
	return comparedField{path: path, location: append(location, "annotations", restartAnnotation), effect: restartsPod}
}

func fieldsOf(isFleet bool) []comparedField {
	var fields []comparedField
	if !isFleet {
		for _, field := range facts.NodeFields {
			fields = append(fields, comparedField{field.Path, strings.Split("spec."+field.Path, "."), field.Effect})
		}
		return append(fields, requestedRestart(restartAnnotation, "metadata"))
	}
	for _, name := range facts.FleetFields {
		fields = append(fields, comparedField{name, []string{"spec", name}, ""})
	}
	for _, field := range facts.NodeFields {
		path := "template.spec." + field.Path
		fields = append(fields, comparedField{path, strings.Split("spec."+path, "."), field.Effect})
	}
	return append(fields, requestedRestart(restartAnnotation, "metadata"),
		requestedRestart("template."+restartAnnotation, "spec", "template", "metadata"))
}

func valueAt(object *unstructured.Unstructured, location []string) any {
	value, _, err := unstructured.NestedFieldNoCopy(object.Object, location...)
	if err != nil {
		return nil
	}
	return value
}

// isSame compares two values; what is empty is not set.
func isSame(was, now any) bool { return describeValue(was) == describeValue(now) }

func describeValue(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	if slices.Contains([]string{"null", "false", "{}", "[]", `""`}, string(text)) {
		return ""
	}
	if word, isText := value.(string); isText {
		return word
	}
	return string(text)
}

// --- Effects ----------------------------------------------------------------------------------------------

// updatePolicy is how a node takes a change, where it differs from the default.
type updatePolicy struct {
	isInPlace   bool
	onNextStart bool
}

func policyOf(object *unstructured.Unstructured, isFleet bool) updatePolicy {
	location := []string{"spec", "updatePolicy"}
	if isFleet {
		location = []string{"spec", "template", "spec", "updatePolicy"}
	}
	policy, _, _ := unstructured.NestedStringMap(object.Object, location...)
	return updatePolicy{isInPlace: policy["pod"] == "InPlaceIfPossible", onNextStart: policy["config"] == "OnNextStart"}
}

// effectOf says what changing a field does to nodes that run. Which fields restart anything is the operator's table;
// this names the cases that it does not tell apart.
func effectOf(field comparedField, isFleet bool, policy updatePolicy, was, now any) string {
	name := strings.TrimPrefix(field.path, "template.spec.")
	switch {
	case field.path == "replicas":
		return scaling(was, now)
	case name == "paused":
		return stopping(isFleet, describeValue(now) != "")
	case name == "dataResetGeneration":
		return "wipes the chain data once and initializes the node again"
	case strings.HasPrefix(name, "upgrade"):
		return "restarts nothing; seid has to halt for the upgrade first"
	case field.effect == restartsPod && policy.isInPlace && slices.Contains([]string{"image", "sidecar", "resources"}, name):
		return "changes the running pod where that is possible, and replaces it elsewhere"
	case field.effect == restartsPod && isFleet:
		return "replaces each pod, node by node as in a rollout"
	case field.effect == restartsPod:
		return "replaces the pod"
	case field.effect == configuresSeid && policy.onNextStart:
		return "waits for the next start of seid"
	case field.effect == configuresSeid && isFleet:
		return "restarts each seid, node by node as in a rollout"
	case field.effect == configuresSeid:
		return "restarts seid"
	}
	return restartsNothing
}

const restartsNothing = "restarts nothing"

func scaling(was, now any) string {
	before, _ := was.(int64)
	after, _ := now.(int64)
	more := after - before
	switch {
	case more == 1:
		return "adds 1 node"
	case more > 1:
		return fmt.Sprintf("adds %d nodes", more)
	case more == -1:
		return "deletes 1 node, the last ones"
	}
	return fmt.Sprintf("deletes %d nodes, the last ones", -more)
}

func stopping(isFleet, isPaused bool) string {
	pod := "the pod"
	if isFleet {
		pod = "every pod"
	}
	if isPaused {
		return "stops " + pod + "; volumes stay"
	}
	return "starts " + pod
}

// --- Output -----------------------------------------------------------------------------------------------

// explainChanges prints a line for each object: each effect once, in the order of the fields.
func explainChanges(out io.Writer, compared []comparison) {
	for _, c := range compared {
		fmt.Fprintf(out, "%s: %s\n", c.ref, c.summary())
		for _, change := range c.changes {
			showAdvice(out, "  ", change.advice)
		}
	}
}

func (c comparison) summary() string {
	if c.isNew {
		return "creates it"
	}
	if len(c.changes) == 0 {
		return "changes nothing"
	}
	var effects []string
	nothing := restartsNothing
	for _, change := range c.changes {
		if strings.HasPrefix(change.effect, restartsNothing) {
			nothing = change.effect
		} else if !slices.Contains(effects, change.effect) {
			effects = append(effects, change.effect)
		}
	}
	summary := orElse(strings.Join(effects, "; "), nothing)
	if c.isPaused {
		summary += "; its rollouts are paused: no node changes before kubectl sei resume " + c.ref
	}
	return summary
}

// showChanges prints each field that would change with what that does.
func showChanges(out io.Writer, compared []comparison) {
	for _, c := range compared {
		switch {
		case c.isNew:
			fmt.Fprintf(out, "%s is new\n", c.ref)
		case c.differs():
			c.show(out)
		}
	}
	if !slices.ContainsFunc(compared, comparison.differs) {
		fmt.Fprintln(out, "Nothing would change.")
	}
}

func (c comparison) show(out io.Writer) {
	fmt.Fprintln(out, c.ref)
	for _, change := range c.changes {
		fmt.Fprintf(out, "  %-34s %s\n", change.path, change.effect)
		if was, now := shortValue(change.before), shortValue(change.after); was != "" && now != "" {
			fmt.Fprintf(out, "      %s > %s\n", was, now)
		}
		showAdvice(out, "      ", change.advice)
	}
	if c.isPaused {
		fmt.Fprintf(out, "  Its rollouts are paused: no node changes before kubectl sei resume %s\n", c.ref)
	}
}

func showAdvice(out io.Writer, indent string, advice []string) {
	for _, line := range advice {
		fmt.Fprintf(out, "%s%s\n", indent, oneLine(line))
	}
}

// longestShown is the length to which a value fits beside another.
const longestShown = 90

// shortValue returns a value to be shown, or nothing where it is too long or has a structure.
func shortValue(value any) string {
	switch value.(type) {
	case map[string]any, []any:
		if describeValue(value) != "" {
			return ""
		}
	}
	text := orElse(describeValue(value), "unset")
	if len(text) > longestShown {
		return ""
	}
	return text
}
