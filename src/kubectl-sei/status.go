package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/spf13/cobra"
)

func newStatusCommand(p *plugin) *cobra.Command {
	var withoutNode bool
	cmd := &cobra.Command{
		Use:   "status [NAME]",
		Short: "list nodes and fleets; with a name show its conditions and nodes",
		Long: `
Lists fleets and nodes. With a name it shows the conditions of that fleet or node, and the nodes of the fleet.

Height, lag and peers are the operator's metrics, at most a minute old. They need the right to get pods/proxy in
its namespace, and are left out without it.`,
		Args: optionalName,
		RunE: func(cmd *cobra.Command, args []string) error {
			if withoutNode {
				return p.orphansInPlaceOfStatus(cmd, args)
			}
			return p.onTarget(func(_ *cobra.Command, c *cluster, named target) error {
				return p.redraw(c, func() error { return p.status(c, named) })
			})(cmd, args)
		},
	}
	p.addSelection(cmd, "json", "yaml", "wide")
	p.addScreen(cmd)
	cmd.Flags().BoolVar(&withoutNode, "orphans", false, "list claims and volumes whose node is gone")
	p.completesNames(cmd, false, fleets, nodes)
	return cmd
}

func (p *plugin) status(c *cluster, named target) error {
	if p.output == "json" || p.output == "yaml" {
		found, err := c.withNodes(named, p.selection(c))
		if err != nil {
			return err
		}
		return p.print(listOf[objectStatus]{Items: statuses(found, p.heights(c))})
	}
	if !named.isNamed() {
		if err := p.printTables(c); err != nil {
			return err
		}
		found, err := list[*object](c, nodes, p.selection(c))
		if err != nil {
			return err
		}
		printHeights(p.Out, found, p.heights(c))
		return nil
	}
	found, err := c.read(named)
	if err != nil {
		return err
	}
	for _, object := range found {
		printHeadline(p.Out, object)
		for _, condition := range object.Status.Conditions {
			printCondition(p.Out, condition)
		}
		printNodes(p.Out, object.Status.Nodes)
	}
	members, err := c.withNodes(named, query{})
	if err != nil {
		return err
	}
	printHeights(p.Out, members, p.heights(c))
	return nil
}

// printTables prints what kubectl get -o wide prints of both kinds.
func (p *plugin) printTables(c *cluster) error {
	var isSecond bool
	for _, kind := range []resourceType{fleets, nodes} {
		table, err := c.table(kind, p.selection(c))
		if err != nil {
			return err
		}
		if len(table.Rows) == 0 {
			continue
		}
		if isSecond {
			fmt.Fprintln(p.Out)
		}
		isSecond = true
		if err := printTable(p.Out, table, kind, p.allNamespaces); err != nil {
			return err
		}
	}
	if !isSecond {
		fmt.Fprintln(p.ErrOut, "kubectl-sei: there is no fleet and no node")
	}
	return nil
}

func printTable(out io.Writer, table *metav1.Table, kind resourceType, withNamespace bool) error {
	printer := printers.NewTablePrinter(printers.PrintOptions{
		Wide: true, WithNamespace: withNamespace, WithKind: true,
		Kind: schema.GroupKind{Group: kind.groupVersion().Group, Kind: kind.kind},
	})
	// A tabwriter keeps columns in line over the whole table.
	var text bytes.Buffer
	columns := printers.GetNewTabWriter(&text)
	if err := printer.PrintObj(table, columns); err != nil {
		return err
	}
	if err := columns.Flush(); err != nil {
		return err
	}
	row := -1
	for line := range strings.Lines(text.String()) {
		paint(out, colorOfRow(table, row), strings.TrimSuffix(line, "\n"))
		fmt.Fprintln(out)
		row++
	}
	return nil
}

// colorOfRow returns the color of a row by its column Ready; the headings are row -1.
func colorOfRow(table *metav1.Table, row int) color {
	ready := slices.IndexFunc(table.ColumnDefinitions, func(column metav1.TableColumnDefinition) bool { return column.Name == "Ready" })
	if row < 0 || row >= len(table.Rows) || ready < 0 || ready >= len(table.Rows[row].Cells) {
		return ""
	}
	cell := fmt.Sprint(table.Rows[row].Cells[ready])
	if count, all, isCount := strings.Cut(cell, "/"); isCount && count == all || cell == "True" {
		return ""
	}
	return red
}

// --- What an object is in ---------------------------------------------------------------------------------

func printHeadline(out io.Writer, o *object) {
	printf := printTo(out)
	if o.isFleet() {
		printf("%s  %s  ready %d/%d, updated %s  %s\n", o.ref(), o.phase(), o.Status.ReadyReplicas, o.Spec.Replicas,
			orElse(o.Status.Updated, "?"), o.Spec.Template.Spec.Image)
	} else {
		printf("%s  %s%s  %s%s\n", o.ref(), o.phase(), unready(o), orElse(o.Status.CurrentImage, "(no image yet)"), nextImage(o))
	}
	switch {
	case o.Status.ObservedGeneration == 0:
		printf("  The operator has not reconciled it yet. Does it run?\n")
	case !o.isReconciled():
		printf("  The operator has not reconciled the newest spec yet. Does it run?\n")
	}
}

func unready(o *object) string {
	if o.condition("Ready").isTrue() {
		return ""
	}
	return ", not Ready"
}

// nextImage names the image that a node is to run and does not. After an upgrade of the chain that is not spec.image.
func nextImage(o *object) string {
	current, next := o.Status.CurrentImage, o.Spec.Image
	if len(o.Status.Upgrades) > 0 {
		next = current
	}
	if plan := o.Status.Plan; plan != nil && plan.Target != nil {
		next = orElse(plan.Target.Image, next)
	}
	if next == current {
		return ""
	}
	return " > " + next
}

func printCondition(out io.Writer, c condition) {
	fmt.Fprintf(out, "  %-24s %-8s ", c.Type, c.Status)
	paint(out, colorOf(c), c.Reason)
	fmt.Fprintln(out)
	if c.Message != "" {
		fmt.Fprintf(out, "      %s\n", oneLine(c.Message))
	}
}

func printNodes(out io.Writer, nodes []nodeOfFleet) {
	if len(nodes) == 0 {
		return
	}
	fmt.Fprintln(out, "  Nodes:")
	for _, node := range nodes {
		readiness, in := "not ready", red
		if node.Ready {
			readiness, in = "ready", ""
		}
		fmt.Fprintf(out, "    %-24s %-13s ", node.Name, orElse(node.Phase, "Pending"))
		paint(out, in, fmt.Sprintf("%-10s", readiness))
		fmt.Fprintf(out, " %s  %s\n", orElse(node.CurrentImage, "-"), node.Reason)
	}
}

// --- Heights ----------------------------------------------------------------------------------------------

type nodeKey struct {
	namespace string
	name      string
}

// heightOf is what the operator measured of a node; what is nil was not.
type heightOf struct {
	height *int64
	lag    *int64
	peers  *int64
}

func (p *plugin) heights(c *cluster) map[nodeKey]heightOf {
	measured := map[nodeKey]heightOf{}
	p.metrics(c, func(sample metric) { addHeight(measured, sample) })
	return measured
}

func addHeight(measured map[nodeKey]heightOf, sample metric) {
	key := nodeKey{sample.labels["namespace"], sample.labels["name"]}
	known, value := measured[key], int64(sample.value)
	switch sample.name {
	case "sei_node_height":
		known.height = &value
	case "sei_node_lag_blocks":
		known.lag = &value
	case "sei_node_peers":
		known.peers = &value
	default:
		return
	}
	measured[key] = known
}

// printHeights prints those of nodes that have reported a height.
func printHeights(out io.Writer, shown []*object, measured map[nodeKey]heightOf) {
	var hasHead bool
	for _, node := range shown {
		known := measured[nodeKey{node.Metadata.Namespace, node.Metadata.Name}]
		if node.isFleet() || known.height == nil {
			continue
		}
		if !hasHead {
			fmt.Fprintf(out, "\n%-32s %12s %8s %6s\n", "NODE", "HEIGHT", "LAG", "PEERS")
			hasHead = true
		}
		fmt.Fprintf(out, "%-32s %12s %8s %6s\n", node.Metadata.Name, cell(known.height), cell(known.lag), cell(known.peers))
	}
}

func cell(value *int64) string {
	if value == nil {
		return "-"
	}
	return fmt.Sprint(*value)
}

// --- JSON -------------------------------------------------------------------------------------------------

// objectStatus is an item of kubectl sei status -o json.
type objectStatus struct {
	Kind            string            `json:"kind"`
	Namespace       string            `json:"namespace"`
	Name            string            `json:"name"`
	Phase           string            `json:"phase"`
	ChainID         string            `json:"chainId"`
	Image           string            `json:"image,omitempty"`
	Replicas        *int              `json:"replicas,omitempty"`
	ReadyReplicas   *int              `json:"readyReplicas,omitempty"`
	UpdatedReplicas *int              `json:"updatedReplicas,omitempty"`
	Conditions      []conditionStatus `json:"conditions"`
	Height          *int64            `json:"height,omitempty"`
	Lag             *int64            `json:"lag,omitempty"`
	Peers           *int64            `json:"peers,omitempty"`
}

type conditionStatus struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Since   string `json:"since"`
}

func statuses(found []*object, measured map[nodeKey]heightOf) []objectStatus {
	items := make([]objectStatus, 0, len(found))
	for _, o := range found {
		item := objectStatus{
			Kind: o.Kind, Namespace: o.Metadata.Namespace, Name: o.Metadata.Name, Phase: o.phase(), ChainID: o.chainID(),
			Conditions: make([]conditionStatus, 0, len(o.Status.Conditions)),
		}
		for _, c := range o.Status.Conditions {
			item.Conditions = append(item.Conditions, conditionStatus{c.Type, c.Status, c.Reason, c.Message, c.LastTransitionTime})
		}
		if o.isFleet() {
			item.Replicas, item.ReadyReplicas, item.UpdatedReplicas = &o.Spec.Replicas, &o.Status.ReadyReplicas, &o.Status.UpdatedReplicas
		} else {
			known := measured[nodeKey{item.Namespace, item.Name}]
			item.Image = o.Status.CurrentImage
			item.Height, item.Lag, item.Peers = known.height, known.lag, known.peers
		}
		items = append(items, item)
	}
	return items
}
