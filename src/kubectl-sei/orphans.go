package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

func newOrphansCommand(p *plugin) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "orphans",
		Short: "list claims and volumes whose node is gone; the same as status --orphans",
		Long: `
Lists PersistentVolumeClaims that the operator made for a node that is gone, and volumes that such claims released.

It needs the right to list PersistentVolumes, which the role view lacks; without it volumes are left out.`,
		Args: noName,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.orphans(cmd) },
	}
	p.addNamespaces(cmd)
	return cmd
}

// orphansInPlaceOfStatus runs the command by its other name, with the flags and arguments that it has there.
func (p *plugin) orphansInPlaceOfStatus(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return misused(cmd, "orphans takes no name")
	}
	if p.output != "" {
		return misused(cmd, "--output is a flag of status without --orphans")
	}
	if p.selector != "" {
		return misused(cmd, "--selector is a flag of status without --orphans")
	}
	return p.orphans(cmd)
}

type claim struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		VolumeName string `json:"volumeName"`
	} `json:"spec"`
	Status struct {
		Capacity capacity `json:"capacity"`
	} `json:"status"`
}

type volume struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Capacity capacity `json:"capacity"`
		ClaimRef struct {
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
		} `json:"claimRef"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase"`
	} `json:"status"`
}

type capacity struct {
	Storage string `json:"storage"`
}

// orphans lists claims by the label with their node. Of a released volume only the name of its claim is left, which
// others use too: it counts where a node or such a claim is in its namespace, and is called a guess.
func (p *plugin) orphans(cmd *cobra.Command) error {
	c, err := p.connect(cmd)
	if err != nil {
		return err
	}
	selected := query{namespace: p.selection(c).namespace}
	kept, err := list[*object](c, nodes, selected)
	if err != nil {
		return err
	}
	selected.labels = nodeLabel
	ofNodes, err := list[claim](c, claims, selected)
	if err != nil {
		return err
	}
	released, unlisted := list[volume](c, volumes, query{})

	hasNode, isOurs := map[nodeKey]bool{}, map[string]bool{}
	for _, node := range kept {
		hasNode[nodeKey{node.Metadata.Namespace, node.Metadata.Name}] = true
		isOurs[node.Metadata.Namespace] = true
	}
	out := orphanTable{out: p.Out}
	for _, claim := range ofNodes {
		isOurs[claim.Metadata.Namespace] = true
		if !hasNode[nodeKey{claim.Metadata.Namespace, claim.Metadata.Labels[nodeLabel]}] {
			out.row(claim.Metadata.Namespace, claim.Metadata.Name, claim.Status.Capacity, claim.Metadata.CreationTimestamp,
				orNone(claim.Spec.VolumeName))
		}
	}
	for _, volume := range released {
		ref := volume.Spec.ClaimRef
		if volume.Status.Phase == "Released" && strings.HasPrefix(ref.Name, "data-") && isOurs[ref.Namespace] {
			out.row(ref.Namespace, ref.Name, volume.Spec.Capacity, volume.Metadata.CreationTimestamp,
				volume.Metadata.Name+" (the claim is gone; a guess by its name)")
		}
	}
	if !out.hasRows {
		what := "No claim and no volume is"
		if unlisted != nil {
			what = "No claim is"
		}
		fmt.Fprintf(p.Out, "%s without its node.\n", what)
	}
	if unlisted != nil {
		fmt.Fprintf(p.ErrOut, "kubectl-sei: volumes that were released are not listed: %s\n", unlisted)
	}
	return nil
}

type orphanTable struct {
	out     io.Writer
	hasRows bool
}

func (t *orphanTable) row(namespace, claim string, size capacity, created, volume string) {
	if !t.hasRows {
		fmt.Fprintf(t.out, "%-20s %-32s %8s  %-20s  %s\n", "NAMESPACE", "CLAIM", "SIZE", "CREATED", "VOLUME")
		t.hasRows = true
	}
	fmt.Fprintf(t.out, "%-20s %-32s %8s  %-20s  %s\n", namespace, claim, orNone(size.Storage), created, volume)
}
