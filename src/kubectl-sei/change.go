package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

func newPauseCommand(p *plugin) *cobra.Command {
	var stop bool
	cmd := p.newChange("pause", nil, "pause the rollouts of a fleet, or stop pods",
		"Pauses the rollouts of a fleet; its nodes keep running. With --stop, stops the pod of a node, or every pod of a fleet.",
		func(cmd *cobra.Command, _ []string) (decision, error) {
			return func(_ *cluster, o *object) (change, error) {
				if stop {
					return merging("patched", true, "spec", "paused"), nil
				}
				if !o.isFleet() {
					return change{}, misused(cmd, "pausing a node stops its pod; add --stop to confirm")
				}
				return merging("patched", map[string]any{"type": "InPlace", "paused": true}, "spec", "updateStrategy"), nil
			}, nil
		})
	cmd.Flags().BoolVar(&stop, "stop", false, "stop the pods; volumes stay. Required for a node")
	p.addOutputOfChange(cmd)
	return cmd
}

func newResumeCommand(p *plugin) *cobra.Command {
	cmd := p.newChange("resume", nil, "end either kind of pause", `
Sets spec.paused of a node or a fleet to false, so that its pods start, and spec.updateStrategy.paused of a fleet, so
that its rollouts continue.`,
		func(*cobra.Command, []string) (decision, error) {
			return func(_ *cluster, o *object) (change, error) {
				resumed := map[string]any{"paused": false}
				if o.isFleet() {
					resumed["updateStrategy"] = map[string]any{"type": "InPlace", "paused": false}
				}
				return merging("patched", resumed, "spec"), nil
			}, nil
		})
	p.addOutputOfChange(cmd)
	return cmd
}

func newRestartCommand(p *plugin) *cobra.Command {
	cmd := p.newChange("restart", nil, "replace the pods, of a fleet one by one as in a rollout", `
Sets the annotation sei.io/restart-requested-at to the present time. A fleet replaces its pods within maxUnavailable, as
in a rollout, and waits while rollouts are paused. A node is restarted at once, also one of a fleet: two nodes that you
name restart at the same time.`,
		func(*cobra.Command, []string) (decision, error) {
			return func(*cluster, *object) (change, error) {
				return merging("annotated", time.Now().UTC().Format(time.RFC3339), "metadata", "annotations", restartAnnotation), nil
			}, nil
		})
	p.addOutputOfChange(cmd)
	return cmd
}

// --- Changes ----------------------------------------------------------------------------------------------

// change is a patch of one object, and what it does in a word or two.
type change struct {
	how   types.PatchType
	patch any
	done  string
}

// merging sets one field, or removes it if the value is nil.
func merging(done string, value any, path ...string) change {
	for _, name := range slices.Backward(path) {
		value = map[string]any{name: value}
	}
	return change{how: types.MergePatchType, patch: value, done: done}
}

// replacing applies operations only if the spec is still the one that was read, so that no edit is lost. The
// resourceVersion would also change with every status that the operator writes.
func replacing(o *object, done string, operations ...patchOperation) change {
	test := patchOperation{Op: "test", Path: "/metadata/generation", Value: o.Metadata.Generation}
	return change{how: types.JSONPatchType, patch: append([]patchOperation{test}, operations...), done: done}
}

// decision makes the change of an object, or refuses it.
type decision func(c *cluster, o *object) (change, error)

// newChange returns a command that changes every object it names. It takes the values, each described, after the names.
// prepare reads values and flags before the cluster is reached.
func (p *plugin) newChange(
	use string, values []string, short, long string, prepare func(cmd *cobra.Command, values []string) (decision, error),
) *cobra.Command {
	name, shownValues, _ := strings.Cut(use, " ")
	cmd := &cobra.Command{
		Use:   strings.TrimSpace(name + " NAME... " + shownValues),
		Short: short,
		Long:  long,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) <= len(values) {
				return misused(cmd, "%s needs %s", pathOf(cmd), enumerate(append([]string{"a name"}, values...), "and"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			split := len(args) - len(values)
			decide, err := prepare(cmd, args[split:])
			if err != nil {
				return err
			}
			return p.changeAll(cmd, args[:split], decide)
		},
	}
	p.completesNames(cmd, false, fleets, nodes)
	return cmd
}

// changeAll decides on every object before it changes the first one, so that a refusal leaves all as they are.
func (p *plugin) changeAll(cmd *cobra.Command, names []string, decide decision) error {
	var targets []target
	for _, name := range names {
		named, err := targetOf(cmd, []string{name})
		if err != nil {
			return err
		}
		targets = append(targets, named)
	}
	c, err := p.connect(cmd)
	if err != nil {
		return err
	}
	var chosen []*object
	var changes []change
	var refusals []error
	for _, named := range targets {
		o, err := c.settle(cmd, named)
		if err != nil {
			refusals = append(refusals, err)
			continue
		}
		if slices.ContainsFunc(chosen, func(earlier *object) bool { return earlier.ref() == o.ref() }) {
			continue
		}
		decided, err := decide(c, o)
		if err != nil {
			refusals = append(refusals, err)
			continue
		}
		chosen, changes = append(chosen, o), append(changes, decided)
	}
	if len(refusals) > 0 {
		return p.failures(cmd, refusals, len(targets) > 1, "nothing was changed")
	}
	for i, o := range chosen {
		if err := p.change(c, o, changes[i]); err != nil {
			refusals = append(refusals, fmt.Errorf("%s: %w", o.ref(), err))
		}
	}
	if len(refusals) > 0 {
		return p.failures(cmd, refusals, len(chosen) > 1, fmt.Sprintf("%d of %d were changed", len(chosen)-len(refusals), len(chosen)))
	}
	return nil
}

// failures reports every error of a command that names several objects, and ends with the code of the first.
func (p *plugin) failures(cmd *cobra.Command, errs []error, isOfSeveral bool, outcome string) error {
	if !isOfSeveral {
		return errs[0]
	}
	for _, err := range errs {
		fmt.Fprintf(p.ErrOut, "kubectl-sei: %s\n", err)
	}
	code := codeOfFailure(cmd)
	var first *exitError
	if errors.As(errs[0], &first) {
		code = first.code
	}
	return failf(code, "%s", outcome)
}

// change patches an object and says so in the words of kubectl.
func (p *plugin) change(c *cluster, o *object, decided change) error {
	patch, err := json.Marshal(decided.patch)
	if err != nil {
		return err
	}
	kind := kindOf(o)
	var answer []byte
	if p.dryRun == dryRunOfClient {
		answer, err = patchedHere(o.raw, decided.how, patch)
	} else {
		answer, err = c.patch(kind, c.namespace, o.Metadata.Name, decided.how, patch, write{dryRun: p.isDryRun(), strict: true})
	}
	if err != nil && decided.how == types.JSONPatchType {
		return fmt.Errorf("%w\nkubectl-sei: nothing was changed; if the spec was edited in the meantime, check it and try again", err)
	}
	if err != nil {
		return err
	}
	if p.output == "name" {
		fmt.Fprintln(p.Out, nameOf(kind, o.Metadata.Name))
		return nil
	}
	if p.output != "" {
		return p.printChanged(answer)
	}
	unchanged := ""
	if isSameSpec(o.raw, answer) {
		unchanged = " (no change)"
	}
	fmt.Fprintf(p.Out, "%s %s%s%s\n", nameOf(kind, o.Metadata.Name), decided.done, unchanged, p.dryRunNote())
	return nil
}

// patchedHere applies a patch to the object that was read, as --dry-run=client asks for.
func patchedHere(current []byte, how types.PatchType, patch []byte) ([]byte, error) {
	if how == types.MergePatchType {
		return jsonpatch.MergePatch(current, patch)
	}
	operations, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, err
	}
	return operations.Apply(current)
}

// isSameSpec reports whether a patch left spec, labels and annotations as they were.
func isSameSpec(before, after []byte) bool {
	read := func(text []byte) (fields struct {
		Metadata struct{ Labels, Annotations map[string]string }
		Spec     any
	}) {
		if json.Unmarshal(text, &fields) != nil {
			fields.Spec = text
		}
		return fields
	}
	return reflect.DeepEqual(read(before), read(after))
}

// printChanged prints an object as -o asks for, without managedFields, which kubectl leaves out too.
func (p *plugin) printChanged(answer []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(answer))
	decoder.UseNumber()
	var whole map[string]any
	if err := decoder.Decode(&whole); err != nil {
		return err
	}
	unstructured.RemoveNestedField(whole, "metadata", "managedFields")
	if p.output == "yaml" && p.hasPrinted {
		fmt.Fprintln(p.Out, "---")
	}
	p.hasPrinted = true
	return p.print(whole)
}

// settled returns the one object that a command is to change.
func (p *plugin) settled(cmd *cobra.Command, args []string) (*cluster, *object, error) {
	named, err := targetOf(cmd, args)
	if err != nil {
		return nil, nil, err
	}
	c, err := p.connect(cmd)
	if err != nil {
		return nil, nil, err
	}
	object, err := c.settle(cmd, named)
	return c, object, err
}

func (p *plugin) dryRunNote() string {
	switch p.dryRun {
	case "":
		return ""
	case dryRunOfClient:
		return " (dry run)"
	}
	return " (server dry run)"
}

// nameOf returns an object as kubectl names it.
func nameOf(kind resourceType, name string) string {
	group := kind.groupVersion().Group
	if group != "" {
		group = "." + group
	}
	return strings.ToLower(kind.kind) + group + "/" + name
}
