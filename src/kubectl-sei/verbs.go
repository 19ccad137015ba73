package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func newHoldCommand(p *plugin) *cobra.Command {
	var afterExit bool
	cmd := p.newChange("hold", nil, "keep seid of a node from running, with its pod and volume in place", `
Sets spec.maintenance.hold of a node: its pod is replaced by one that mounts the volume and does not start seid. Of a
fleet name the nodes. With --after-exit the node serves until seid ends by itself, which needs sidecar v0.0.64 or newer.
kubectl wait --for=condition=Held snode/NODE ends once seid has ended; then kubectl exec NODE-0 -c seid works.`,
		func(*cobra.Command, []string) (decision, error) {
			hold := "Immediate"
			if afterExit {
				hold = "AfterExit"
			}
			return settingField("hold requested", map[string]any{"hold": hold}, "maintenance"), nil
		})
	cmd.Flags().BoolVar(&afterExit, "after-exit", false, "wait until seid ends by itself, such as at an upgrade height")
	p.addOutputOfChange(cmd)
	return cmd
}

func newReleaseCommand(p *plugin) *cobra.Command {
	cmd := p.newChange("release", nil, "end a hold", `
Unsets spec.maintenance of a node: its pod is replaced once more, and seid starts.`,
		func(*cobra.Command, []string) (decision, error) {
			return settingField("released", nil, "maintenance"), nil
		})
	p.addOutputOfChange(cmd)
	return cmd
}

func newSetImageCommand(p *plugin) *cobra.Command {
	cmd := p.newChange("set-image IMAGE", []string{"an image"}, "set the image of seid, of a node or in the template of a fleet", `
Sets spec.image of a node, or spec.template.spec.image of a fleet, which rolls out within maxUnavailable. kubectl sei
wait ends once every node runs and serves it. kubectl sei rollback returns to what ran before; of a fleet whose rollout is
complete only with --to-revision.`,
		func(cmd *cobra.Command, values []string) (decision, error) {
			image := values[0]
			if !taggedImage.MatchString(image) {
				return nil, misused(cmd, "the last word must be an image with a tag or a digest, such as"+
					" ghcr.io/sei-protocol/sei:v6.5.2, not '%s'", image)
			}
			return settingField("image updated", image, "image"), nil
		})
	p.addOutputOfChange(cmd)
	return cmd
}

// taggedImage tells an image from a name for which the image was forgotten. What else an image must be, the API server
// says.
var taggedImage = regexp.MustCompile(`^[^\s@]*[^\s/@:](:[^\s/:]+|@[^\s/]+)$`)

// settingField sets a field of a node, or of the nodes of a fleet.
func settingField(done string, value any, field string) decision {
	return func(_ *cluster, o *object) (change, error) {
		path, err := pathIn(o, field)
		return merging(done, value, path...), err
	}
}

// pathIn returns the path of a field of nodes in a node or a fleet. A fleet sets the fields of its template on its
// nodes, and takes back what is set there by hand; other fields belong to the single node.
func pathIn(o *object, field string) ([]string, error) {
	isOfOneNode := slices.ContainsFunc(facts.NodeFields, func(known specField) bool {
		return known.Path == field && (known.Scope == ofOneNode || known.Scope == ofOneNodeOnly)
	})
	fleet := o.Metadata.Labels[fleetLabel]
	switch {
	case o.isFleet() && isOfOneNode:
		return nil, fmt.Errorf("spec.%s belongs to one node: name nodes of %s, such as snode/%s-0", field, o.ref(), o.Metadata.Name)
	case o.isFleet():
		return append([]string{"spec", "template", "spec"}, strings.Split(field, ".")...), nil
	case fleet != "" && !isOfOneNode:
		return nil, fmt.Errorf("%s belongs to a fleet, whose template sets spec.%s: name snd/%s", o.ref(), field, fleet)
	}
	return append([]string{"spec"}, strings.Split(field, ".")...), nil
}

// fields returns the whole object as it was read.
func (o *object) fields() (map[string]any, error) {
	var whole map[string]any
	err := json.Unmarshal(o.raw, &whole)
	return whole, err
}

// --- Volumes ----------------------------------------------------------------------------------------------

func newGrowCommand(p *plugin) *cobra.Command {
	cmd := p.newChange("grow SIZE", []string{"a size, such as 4Ti"}, "grow the data volume of a node, or of every node of a fleet", `
Sets spec.dataVolume.storage.resources.requests.storage of a node, or that of a fleet's template. seid runs on; if the
storage driver grows a file system only when a pod starts, the condition DataVolumeResized says so. grow is refused if the
volumes have that size already. It reads their size from the PersistentVolumeClaims; without the right to list these it
leaves that check to the operator.`,
		func(cmd *cobra.Command, values []string) (decision, error) {
			size, err := resource.ParseQuantity(values[0])
			if err != nil || size.Sign() <= 0 {
				return nil, misused(cmd, "the last word must be a size, such as 4Ti, not '%s'", values[0])
			}
			return func(c *cluster, o *object) (change, error) { return growing(c, o, size, values[0]) }, nil
		})
	p.addOutputOfChange(cmd)
	return cmd
}

func growing(c *cluster, o *object, size resource.Quantity, typed string) (change, error) {
	path, err := pathIn(o, "dataVolume.storage")
	if err != nil {
		return change{}, err
	}
	path = append(path, "resources", "requests", "storage")
	whole, err := o.fields()
	if err != nil {
		return change{}, err
	}
	requested, _, err := unstructured.NestedFieldNoCopy(whole, path...)
	if err != nil {
		return change{}, fmt.Errorf("%s of %s cannot be read: %w; correct that field first", strings.Join(path, "."), o.ref(), err)
	}
	if current, err := resource.ParseQuantity(fmt.Sprint(requested)); err == nil && current.Cmp(size) > 0 {
		return change{}, fmt.Errorf("%s of %s is %s: a volume cannot shrink to %s", strings.Join(path, "."), o.ref(), current.String(), typed)
	}
	if smallest, isKnown := c.smallestVolume(o); isKnown && smallest.Cmp(size) >= 0 {
		return change{}, fmt.Errorf("the volumes of %s have %s already: a size must be larger, not %s", o.ref(), smallest.String(), typed)
	}
	return merging("grows to "+typed, typed, path...), nil
}

// smallestVolume returns the size of the smallest claim of a node or a fleet, as far as claims may be listed.
func (c *cluster) smallestVolume(o *object) (resource.Quantity, bool) {
	selected := query{namespace: c.namespace, labels: nodeLabel + "=" + o.Metadata.Name}
	isMember := map[string]bool{o.Metadata.Name: true}
	if o.isFleet() {
		selected.labels = nodeLabel
		members, err := list[*object](c, nodes, query{namespace: c.namespace, labels: fleetLabel + "=" + o.Metadata.Name})
		if err != nil {
			return resource.Quantity{}, false
		}
		clear(isMember)
		for _, node := range members {
			isMember[node.Metadata.Name] = true
		}
	}
	found, err := list[claim](c, claims, selected)
	if err != nil {
		return resource.Quantity{}, false
	}
	var smallest *resource.Quantity
	for _, claim := range found {
		size, err := resource.ParseQuantity(claim.Status.Capacity.Storage)
		if err != nil || !isMember[claim.Metadata.Labels[nodeLabel]] {
			continue
		}
		if smallest == nil || size.Cmp(*smallest) < 0 {
			smallest = &size
		}
	}
	if smallest == nil {
		return resource.Quantity{}, false
	}
	return *smallest, true
}

func newResetDataCommand(p *plugin) *cobra.Command {
	var yes bool
	cmd := p.newChange("reset-data", nil, "wipe the chain data of a node once, and initialize it again", `
Raises spec.dataResetGeneration of a node, to one more than the spec has or the operator last acted on. The chain data
goes; the claim, the node key and a validator's signing state stay. The node then initializes as its spec says: from
genesis, a snapshot, or by state sync. Of a fleet name the nodes. A validator with a signing key waits until
spec.validator.acceptSigningStateLoss names its claim.`,
		func(cmd *cobra.Command, _ []string) (decision, error) {
			if !yes && !p.isDryRun() {
				return nil, misused(cmd, "reset-data wipes the chain data of what it names; add --yes to confirm")
			}
			return func(_ *cluster, o *object) (change, error) { return resetting(o) }, nil
		})
	cmd.Flags().BoolVar(&yes, "yes", false, "confirm that the chain data may go; not needed for a dry run")
	p.addOutputOfChange(cmd)
	return cmd
}

// resetting raises the generation above the last one that was acted on, which the spec may have lost since.
func resetting(o *object) (change, error) {
	const field = "dataResetGeneration"
	path, err := pathIn(o, field)
	if err != nil {
		return change{}, err
	}
	whole, err := o.fields()
	if err != nil {
		return change{}, err
	}
	var last int64
	for _, place := range [][]string{path, {"status", "dataReset", "generation"}} {
		value, isSet, err := unstructured.NestedFieldNoCopy(whole, place...)
		if err != nil {
			return change{}, fmt.Errorf("%s of %s cannot be read: %w; correct that field first", strings.Join(place, "."), o.ref(), err)
		}
		if !isSet {
			continue
		}
		number, isNumber := value.(float64)
		if !isNumber {
			return change{}, fmt.Errorf("%s of %s is no number; correct that field first", strings.Join(place, "."), o.ref())
		}
		last = max(last, int64(number))
	}
	next := last + 1
	return replacing(o, "reset requested, "+field+" "+strconv.FormatInt(next, 10),
		patchOperation{Op: "add", Path: "/" + strings.Join(path, "/"), Value: next}), nil
}

// --- Upgrades and retries ---------------------------------------------------------------------------------

func newUpgradesAddCommand(p *plugin) *cobra.Command {
	var entry upgradeEntry
	var height string
	var replace bool
	cmd := p.newChange("add", nil, "list an upgrade that the chain has planned", `
Adds an entry to spec.upgrades of a node, or to that of a fleet's template. When seid halts for an upgrade of that name,
the node continues with the image; one that has halted already continues at once. Until then nothing restarts, except
with --early. --upgrade is the name of the chain's plan, letter by letter, such as v6.8; the tag of the image is another
one, such as v6.8.0.`,
		func(cmd *cobra.Command, _ []string) (decision, error) {
			for _, flag := range []string{"upgrade", "height", "image"} {
				if !cmd.Flags().Changed(flag) {
					return nil, misused(cmd, "upgrades add needs --%s", flag)
				}
			}
			planned, err := strconv.ParseInt(height, 10, 64)
			if err != nil || planned < 1 {
				return nil, misused(cmd, "--height must be a number, not '%s'", height)
			}
			if !taggedImage.MatchString(entry.Image) {
				return nil, misused(cmd, "--image must be an image with a tag or a digest, not '%s'", entry.Image)
			}
			entry.Height = planned
			return func(_ *cluster, o *object) (change, error) { return listing(o, entry, replace) }, nil
		})
	cmd.Flags().StringVar(&entry.Name, "upgrade", "", "`name` of the chain's plan, such as v6.8")
	cmd.Flags().StringVar(&height, "height", "", "`height` at which the chain plans it")
	cmd.Flags().StringVar(&entry.Image, "image", "", "`image` of seid from the upgrade on")
	cmd.Flags().BoolVar(&entry.Early, "early", false, "run the image before the height, if the chain marks the upgrade as minor")
	cmd.Flags().BoolVar(&replace, "replace", false, "replace the entry of that name, such as one with a wrong image")
	p.addOutputOfChange(cmd)
	return cmd
}

// upgradeEntry is an entry of spec.upgrades.
type upgradeEntry struct {
	Name   string `json:"name"`
	Height int64  `json:"height"`
	Image  string `json:"image"`
	Early  bool   `json:"early,omitempty"`
}

// listing adds an entry. One of its name that says something else was listed on purpose: it is replaced only on demand.
func listing(o *object, entry upgradeEntry, replace bool) (change, error) {
	const field = "upgrades"
	path, err := pathIn(o, field)
	if err != nil {
		return change{}, err
	}
	entries := o.Spec.Upgrades
	if o.isFleet() {
		entries = o.Spec.Template.Spec.Upgrades
	}
	if o.unread != "" {
		return change{}, fmt.Errorf("%s cannot be read: %s; correct that field first", o.ref(), o.unread)
	}
	place := "/" + strings.Join(path, "/")
	at := slices.IndexFunc(entries, func(listed upgradeEntry) bool { return listed.Name == entry.Name })
	switch {
	case at < 0 && len(entries) == 0:
		return replacing(o, "lists "+entry.Name, patchOperation{Op: "add", Path: place, Value: []upgradeEntry{entry}}), nil
	case at < 0:
		return replacing(o, "lists "+entry.Name, patchOperation{Op: "add", Path: place + "/-", Value: entry}), nil
	case entries[at] != entry && !replace:
		return change{}, fmt.Errorf("%s of %s lists %s already, at height %d with image %s; add --replace to change that",
			strings.Join(path, "."), o.ref(), entry.Name, entries[at].Height, entries[at].Image)
	}
	return replacing(o, "lists "+entry.Name, patchOperation{Op: "replace", Path: fmt.Sprintf("%s/%d", place, at), Value: entry}), nil
}

func newRetryCommand(p *plugin) *cobra.Command {
	cmd := p.newChange("retry", nil, "try again what failed or was given up", `
Sets the annotation sei.io/retry to the present time: a failed plan begins again, a validator starts that was held since
its key signs elsewhere, and a fleet resumes snapshots after a failure of the storage driver.`,
		func(*cobra.Command, []string) (decision, error) {
			return func(*cluster, *object) (change, error) {
				return merging("retry requested", time.Now().UTC().Format(time.RFC3339Nano), "metadata", "annotations", retryAnnotation), nil
			}, nil
		})
	p.addOutputOfChange(cmd)
	return cmd
}
