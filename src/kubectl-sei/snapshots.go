package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/printers"
)

func newSnapshotsCommand(p *plugin) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "snapshots [NAME]",
		Short: "list the snapshots of a fleet's volumes, and when the next one is due",
		Long: `
Lists the VolumeSnapshots that the operator took, of one fleet or all: node, chain, height that the data
has at least, image, when it was taken, and whether it is ready to use. For each fleet with a schedule it
says when the next one is due, or what is in the way.`,
		Args: optionalName,
		RunE: func(cmd *cobra.Command, args []string) error {
			named, err := targetOf(cmd, args)
			if err != nil {
				return err
			}
			if named.isNamed() && p.allNamespaces {
				return misused(cmd, "a name does not go with -A")
			}
			if !named.isOf(fleets) {
				return misused(cmd, "snapshots are taken of a fleet")
			}
			c, err := p.connect(cmd)
			if err != nil {
				return err
			}
			return p.snapshots(c, named.name)
		},
	}
	p.addNamespaces(cmd)
	p.completesNames(cmd, false, fleets)
	return cmd
}

type volumeSnapshot struct {
	Metadata metadata `json:"metadata"`
	Status   struct {
		CreationTime string `json:"creationTime"`
		ReadyToUse   *bool  `json:"readyToUse"`
	} `json:"status"`
}

func (p *plugin) snapshots(c *cluster, name string) error {
	selected := query{namespace: p.selection(c).namespace}
	found, err := fleetsOf(c, name, selected)
	if err != nil {
		return err
	}
	for _, fleet := range found {
		if fleet.Status.Snapshots == nil {
			continue
		}
		fmt.Fprintf(p.Out, "%s, next %s\n", fleet.ref(), fleet.Status.Snapshots.NextScheduleTime)
		if healthy := fleet.condition("SnapshotsHealthy"); healthy.Status != "" {
			fmt.Fprintf(p.Out, "    %s: %s\n", healthy.Reason, oneLine(healthy.Message))
		}
	}
	labels := []string{"app.kubernetes.io/managed-by=sei-operator"}
	if name != "" {
		labels = append(labels, fleetLabel+"="+name)
	}
	selected.labels = strings.Join(labels, ",")
	taken, err := list[volumeSnapshot](c, snapshots, selected)
	if isMissing(err) {
		return failf(exitNo, "this cluster has no VolumeSnapshots: install the CRDs of snapshot.storage.k8s.io, the snapshot"+
			" controller and a CSI driver that takes snapshots")
	}
	if err != nil {
		return err
	}
	if len(taken) == 0 {
		fmt.Fprintln(p.ErrOut, "kubectl-sei: no snapshot has been taken")
		return nil
	}
	slices.SortStableFunc(taken, func(a, b volumeSnapshot) int {
		return cmp.Compare(a.Metadata.CreationTimestamp, b.Metadata.CreationTimestamp)
	})
	columns := printers.GetNewTabWriter(p.Out)
	fmt.Fprintln(columns, "NAME\tNODE\tCHAIN\tHEIGHT\tIMAGE\tTAKEN\tREADY")
	for _, snapshot := range taken {
		labels := snapshot.Metadata.Labels
		fmt.Fprintln(columns, strings.Join([]string{
			snapshot.Metadata.Name, orNone(labels[nodeLabel]), orNone(labels["sei.io/chain"]), orNone(labels["sei.io/height"]),
			orNone(snapshot.Metadata.Annotations["sei.io/image"]), orNone(snapshot.Status.CreationTime), readiness(snapshot),
		}, "\t"))
	}
	return columns.Flush()
}

func readiness(snapshot volumeSnapshot) string {
	if snapshot.Status.ReadyToUse == nil {
		return "<none>"
	}
	return strconv.FormatBool(*snapshot.Status.ReadyToUse)
}

func orNone(text string) string { return orElse(text, "<none>") }

func fleetsOf(c *cluster, name string, selected query) ([]*object, error) {
	if name == "" {
		return list[*object](c, fleets, selected)
	}
	return c.read(target{kind: &fleets, name: name})
}
