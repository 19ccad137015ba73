package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func newRevisionsCommand(p *plugin) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "revisions NAME",
		Short: "list the stored templates of a fleet",
		Long: `
Lists the stored templates of a fleet, the oldest first: number, image, and which one is current (every
node has run it), target (of the active rollout) or failed (rolled back, not tried again). A number is
what rollback takes as --to-revision.`,
		Args: oneName,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, fleet, err := p.settled(cmd, args)
			if err != nil {
				return err
			}
			if !fleet.isFleet() {
				return misused(cmd, "only fleets have stored templates; see kubectl sei plan snode/%s", fleet.Metadata.Name)
			}
			stored, err := c.storedTemplates(fleet)
			if err != nil {
				return err
			}
			printTemplates(p.Out, fleet, stored)
			return nil
		},
	}
	p.completesNames(cmd, false, fleets)
	return cmd
}

func newRollbackCommand(p *plugin) *cobra.Command {
	var revision int64
	cmd := &cobra.Command{
		Use:   "rollback NAME",
		Short: "return to what it ran before",
		Long: `
Returns a fleet to the last template that every node ran, and a node to the image it ran before. It is refused for a
node of a fleet, and for a node without a fleet whose image an upgrade of the chain has left behind; the nodes of a
fleet keep the image of such an upgrade. What belongs to one node, and upgrades, stay as they are. It waits while
rollouts are paused.`,
		Args: oneName,
		RunE: func(cmd *cobra.Command, args []string) error {
			isChosen := cmd.Flags().Changed("to-revision")
			if isChosen && revision < 1 {
				return misused(cmd, "--to-revision must be a number of kubectl sei revisions, not %d", revision)
			}
			c, object, err := p.settled(cmd, args)
			if err != nil {
				return err
			}
			if object.unread != "" {
				return fmt.Errorf("%s cannot be read: %s; correct that field first", object.ref(), object.unread)
			}
			if object.isFleet() {
				return p.rollBackFleet(c, object, revision)
			}
			if isChosen {
				return misused(cmd, "--to-revision is for a fleet: a node has no stored templates")
			}
			return p.rollBackNode(c, object)
		},
	}
	cmd.Flags().Int64Var(&revision, "to-revision", 0, "return a fleet to this template; kubectl sei revisions lists them")
	p.addOutputOfChange(cmd)
	p.completesNames(cmd, false, fleets, nodes)
	return cmd
}

// storedTemplate is a ControllerRevision of a fleet.
type storedTemplate struct {
	Metadata struct {
		Labels          map[string]string `json:"labels"`
		OwnerReferences []struct {
			UID string `json:"uid"`
		} `json:"ownerReferences"`
	} `json:"metadata"`
	Revision int64 `json:"revision"`
	Data     struct {
		Template json.RawMessage `json:"template"`
	} `json:"data"`
}

func (s storedTemplate) hash() string { return s.Metadata.Labels["sei.io/revision"] }

func (s storedTemplate) image() string {
	var template templateOfNodes
	if err := json.Unmarshal(s.Data.Template, &template); err != nil {
		return ""
	}
	return template.Spec.Image
}

// storedTemplates returns those of a fleet, the oldest first.
func (c *cluster) storedTemplates(fleet *object) ([]storedTemplate, error) {
	found, err := list[storedTemplate](c, revisions, query{
		namespace: c.namespace, labels: fleetLabel + "=" + fleet.Metadata.Name,
	})
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(s storedTemplate) bool {
		owners := s.Metadata.OwnerReferences
		return len(owners) == 0 || owners[0].UID != fleet.Metadata.UID
	})
	if len(found) == 0 {
		return nil, fmt.Errorf("no template of %s is stored", fleet.ref())
	}
	slices.SortFunc(found, func(a, b storedTemplate) int { return cmp.Compare(a.Revision, b.Revision) })
	return found, nil
}

func printTemplates(out io.Writer, fleet *object, stored []storedTemplate) {
	roles := map[string]string{fleet.Status.FailedTemplateHash: "  failed"}
	if fleet.Status.Rollout != nil {
		roles[fleet.Status.Rollout.TargetHash] = "  target"
	}
	roles[fleet.Status.TemplateHash] = "  current"
	for _, template := range stored {
		fmt.Fprintf(out, "  %-4d %s%s\n", template.Revision, template.image(), roles[template.hash()])
	}
}

// patchOperation is one of a JSON patch.
type patchOperation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

func (p *plugin) rollBackFleet(c *cluster, fleet *object, revision int64) error {
	stored, err := c.storedTemplates(fleet)
	if err != nil {
		return err
	}
	chosen, err := p.chooseTemplate(fleet, stored, revision)
	if err != nil {
		return err
	}
	template, err := mergedTemplate(c, fleet, chosen)
	if err != nil {
		return err
	}
	operations := []patchOperation{{Op: "replace", Path: "/spec/template", Value: template}}
	// The stored template has the restart that was asked for, in place of the annotation on the fleet.
	if _, wasRestarted := fleet.Metadata.Annotations[restartAnnotation]; wasRestarted {
		operations = append(operations, patchOperation{
			Op: "remove", Path: "/metadata/annotations/" + strings.ReplaceAll(restartAnnotation, "/", "~1"),
		})
	}
	running, err := c.imagesAfterUpgrade(fleet, chosen.image())
	if err != nil {
		return err
	}
	if err := p.change(c, fleet, replacing(fleet, "patched", operations...)); err != nil || p.output != "" {
		return err
	}
	if running == "" {
		fmt.Fprintf(p.Out, "%sback to revision %d, image %s\n", p.wouldGo(), chosen.Revision, chosen.image())
		return nil
	}
	fmt.Fprintf(p.Out, "%sback to revision %d, image %s: the data has been through an upgrade of the chain since %s\n",
		p.wouldGo(), chosen.Revision, running, chosen.image())
	return nil
}

// chooseTemplate returns the template of a number, or without one that which every node has run. Where every node runs
// the newest, there is nothing to return to.
func (p *plugin) chooseTemplate(fleet *object, stored []storedTemplate, revision int64) (storedTemplate, error) {
	wanted := fleet.Status.TemplateHash
	if revision != 0 {
		wanted = strconv.FormatInt(revision, 10)
	} else if fleet.isReconciled() && fleet.Status.UpdatedReplicas == fleet.Spec.Replicas && fleet.Status.Rollout == nil {
		fmt.Fprintln(p.ErrOut, "kubectl-sei: every node already runs the last template; select one with --to-revision:")
		printTemplates(p.ErrOut, fleet, stored)
		return storedTemplate{}, exitWith(exitNo)
	}
	for _, template := range slices.Backward(stored) {
		if revision != 0 && template.Revision == revision || revision == 0 && template.hash() == wanted {
			return template, nil
		}
	}
	return storedTemplate{}, fmt.Errorf("template '%s' of %s is not stored", wanted, fleet.ref())
}

// mergedTemplate returns a stored template with what the spec in force says in the fields that belong to no version.
func mergedTemplate(c *cluster, fleet *object, chosen storedTemplate) (map[string]any, error) {
	var template map[string]any
	if err := json.Unmarshal(chosen.Data.Template, &template); err != nil {
		return nil, err
	}
	var current map[string]any
	if err := c.get(fleets, c.namespace, fleet.Metadata.Name, &current); err != nil {
		return nil, err
	}
	for _, field := range facts.NodeFields {
		if field.Scope == ofTemplate {
			continue
		}
		path := append([]string{"spec"}, strings.Split(field.Path, ".")...)
		unstructured.RemoveNestedField(template, path...)
		value, isSet, err := unstructured.NestedFieldNoCopy(current, append([]string{"spec", "template"}, path...)...)
		if err != nil || !isSet {
			continue
		}
		// A template of another mode has no place for it.
		if parent, _, _ := unstructured.NestedMap(template, path[:len(path)-1]...); parent == nil {
			continue
		}
		if err := unstructured.SetNestedField(template, value, path...); err != nil {
			return nil, err
		}
	}
	return template, nil
}

// imagesAfterUpgrade returns the images of the last upgrades of nodes whose data has left an image behind at one of
// them.
func (c *cluster) imagesAfterUpgrade(fleet *object, behind string) (string, error) {
	members, err := list[*object](c, nodes, query{namespace: c.namespace, labels: fleetLabel + "=" + fleet.Metadata.Name})
	if err != nil {
		return "", err
	}
	images := map[string]bool{}
	for _, node := range members {
		var last string
		var hasLeft bool
		for _, u := range node.Status.Upgrades {
			if u.State == "Applied" {
				hasLeft = hasLeft || u.SupersededImage == behind || last == behind
				last = u.Image
			}
		}
		if hasLeft && last != behind {
			images[last] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(images)), ", "), nil
}

func (p *plugin) rollBackNode(c *cluster, node *object) error {
	if fleet := node.Metadata.Labels[fleetLabel]; fleet != "" {
		return fmt.Errorf("%s belongs to a fleet: kubectl sei rollback snd/%s", node.Metadata.Name, fleet)
	}
	asked, image := node.Spec.Image, node.Status.CurrentImage
	if image == asked {
		image = imageBefore(node.Status.PlanHistory, asked)
	}
	if image == "" {
		return fmt.Errorf("no image that %s ran before is known; set spec.image", node.ref())
	}
	for _, u := range node.Status.Upgrades {
		if u.State == "Applied" && u.SupersededImage != "" && (u.SupersededImage == asked || u.SupersededImage == image) {
			return fmt.Errorf("the data of %s has been through an upgrade of the chain, and cannot go back to %s",
				node.ref(), u.SupersededImage)
		}
	}
	back := replacing(node, "patched", patchOperation{Op: "replace", Path: "/spec/image", Value: image})
	if err := p.change(c, node, back); err != nil || p.output != "" {
		return err
	}
	fmt.Fprintf(p.Out, "%sback to image %s\n", p.wouldGo(), image)
	return nil
}

// imageBefore finds the last image that a completed plan led to, such as
// "2026-11-28T02:10:11Z NodeUpdate to ghcr.io/sei:v1 in 9 s: Complete".
func imageBefore(history []string, asked string) string {
	var image string
	for _, line := range history {
		words := strings.Fields(line)
		if len(words) > 4 && words[2] == "to" && words[len(words)-1] == "Complete" && words[3] != asked {
			image = words[3]
		}
	}
	return image
}

func (p *plugin) wouldGo() string {
	if p.isDryRun() {
		return "would go "
	}
	return ""
}
