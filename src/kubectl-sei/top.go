package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

func newTopCommand(p *plugin) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "top",
		Short: "show chains, fleets and problems on one screen; -w keeps it up to date",
		Long: `
Shows, for the namespace or with -A for all: each chain with its height, rate and next upgrade; each fleet with its
rollout, how far its nodes are prepared for the next upgrade, and its snapshots; nodes without a fleet; and the
problems, the worst first, each with its evidence and the command that prints what to do.

Heights and times are metrics of the operator, at most a minute old. They need the right to get pods/proxy in its
namespace, and are left out without it. The rate is that of the last hour, as the time of a planned upgrade implies it,
or that of the last minutes with -w.`,
		Args: noName,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := p.connect(cmd)
			if err != nil {
				return err
			}
			seen := rates{}
			return p.redraw(c, func() error { return p.top(c, seen) })
		},
	}
	p.addNamespaces(cmd)
	cmd.Flags().StringVarP(&p.selector, "selector", "l", "", "look at objects with these labels, such as `a=b`")
	p.addScreen(cmd)
	return cmd
}

// shownNames is how many objects a problem names.
const shownNames = 3

func (p *plugin) top(c *cluster, seen rates) error {
	found, err := c.objects(p.selection(c))
	if err != nil {
		return err
	}
	if len(found) == 0 {
		fmt.Fprintln(p.Out, "There is no fleet and no node.")
		return nil
	}
	now := time.Now()
	known := diagnose(found, c.lossesOf(found))
	measured := p.measure(c, found)
	seen.note(measured, now)
	p.printChains(found, measured, seen, now)
	p.printFleets(found, measured, now)
	p.printNodesAlone(found, measured)
	printWorst(p.Out, known)
	return nil
}

// --- Measurements -----------------------------------------------------------------------------------------

// chainKey is a chain as the nodes of a namespace see it: those of another one may lie.
type chainKey struct {
	namespace string
	chain     string
}

// chainState is what the operator measured of a chain; what is 0 was not measured.
type chainState struct {
	height        int64
	upgrade       string
	upgradeHeight int64
	// upgradeTime is when that height is to be expected, in seconds since 1970.
	upgradeTime float64
}

// measurements are the metrics of the operator that a screen shows.
type measurements struct {
	chains    map[chainKey]*chainState
	nodes     map[nodeKey]heightOf
	snapshots map[nodeKey]float64
}

// measure reads the metrics once, of the chains of the objects that are shown.
func (p *plugin) measure(c *cluster, found []*object) measurements {
	of := measurements{chains: map[chainKey]*chainState{}, nodes: map[nodeKey]heightOf{}, snapshots: map[nodeKey]float64{}}
	for _, o := range found {
		of.chains[chainKey{o.Metadata.Namespace, o.chainID()}] = &chainState{}
	}
	p.metrics(c, func(sample metric) {
		if sample.name == "sei_snd_last_snapshot_seconds" {
			of.snapshots[nodeKey{sample.labels["namespace"], sample.labels["name"]}] = sample.value
		}
		addHeight(of.nodes, sample)
		state := of.chains[chainKey{sample.labels["namespace"], sample.labels["chain"]}]
		if state == nil {
			return
		}
		switch sample.name {
		case "sei_chain_height":
			state.height = max(state.height, int64(sample.value))
		case "sei_chain_upgrade_height":
			state.upgrade, state.upgradeHeight = sample.labels["upgrade"], int64(sample.value)
		case "sei_chain_upgrade_time_seconds":
			state.upgradeTime = sample.value
		}
	})
	return of
}

// rates are the heights of chains that earlier screens showed.
type rates map[chainKey][]heightAt

type heightAt struct {
	height int64
	at     time.Time
}

// rateWindow is how far back a rate goes: some of the operator's measurements, which are a minute apart.
const rateWindow = 5 * time.Minute

func (r rates) note(measured measurements, now time.Time) {
	for key, state := range measured.chains {
		if state.height > 0 {
			recent := slices.DeleteFunc(r[key], func(earlier heightAt) bool { return now.Sub(earlier.at) > rateWindow })
			r[key] = append(recent, heightAt{state.height, now})
		}
	}
}

// of returns the blocks in a second, or 0 where they are not known.
func (r rates) of(key chainKey, state *chainState, now time.Time) float64 {
	if noted := r[key]; len(noted) > 1 {
		first, last := noted[0], noted[len(noted)-1]
		return float64(last.height-first.height) / last.at.Sub(first.at).Seconds()
	}
	left := state.upgradeTime - float64(now.Unix())
	if state.height > 0 && state.upgradeHeight > state.height && left > 0 {
		return float64(state.upgradeHeight-state.height) / left
	}
	return 0
}

// --- Sections ---------------------------------------------------------------------------------------------

// span is a part of a line in a color.
type span struct {
	text string
	in   color
}

// grid is a table whose columns are as wide as their longest cell.
type grid [][]span

func (g *grid) add(cells ...span) { *g = append(*g, cells) }

func (g grid) print(out io.Writer) {
	var widths []int
	for _, row := range g {
		for column, cell := range row {
			if column == len(widths) {
				widths = append(widths, 0)
			}
			widths[column] = max(widths[column], utf8.RuneCountInString(cell.text))
		}
	}
	for _, row := range g {
		for column, cell := range row {
			paint(out, cell.in, cell.text)
			if column < len(row)-1 {
				fmt.Fprint(out, strings.Repeat(" ", widths[column]-utf8.RuneCountInString(cell.text)+2))
			}
		}
		fmt.Fprintln(out)
	}
}

// longestCell bounds a cell: a name that the chain or a tenant chose must not push the others off the screen.
const longestCell = 60

// cellOf returns a cell with what can be printed of a text.
func cellOf(text string, in color) span {
	kept := strings.Map(func(char rune) rune {
		switch {
		case char == '\t' || char == '\n':
			return ' '
		case !isPrintable(char):
			return -1
		}
		return char
	}, text)
	if runes := []rune(kept); len(runes) > longestCell {
		kept = string(runes[:longestCell-3]) + "..."
	}
	return span{orElse(kept, "-"), in}
}

// fit leaves some rows of a table, first those that are not in order.
func (g grid) fit(room int) grid {
	if room == 0 || len(g)-1 <= room {
		return g
	}
	isInOrder := func(row []span) bool {
		return !slices.ContainsFunc(row, func(cell span) bool { return cell.in != "" })
	}
	rows := slices.Clone(g[1:])
	slices.SortStableFunc(rows, func(a, b []span) int {
		return cmp.Compare(strconv.FormatBool(isInOrder(a)), strconv.FormatBool(isInOrder(b)))
	})
	left := span{text: fmt.Sprintf("... %d more", len(rows)-room+1)}
	return append(append(grid{g[0]}, rows[:room-1]...), []span{left})
}

func headings(names ...string) []span {
	var cells []span
	for _, name := range names {
		cells = append(cells, span{name, bold})
	}
	return cells
}

// withNamespace puts the namespace before a row of a screen of all.
func (p *plugin) withNamespace(namespace span, row ...span) []span {
	if p.allNamespaces {
		return append([]span{namespace}, row...)
	}
	return row
}

func (p *plugin) printChains(found []*object, measured measurements, seen rates, now time.Time) {
	var table grid
	table.add(p.withNamespace(span{"NAMESPACE", bold}, headings("CHAIN", "HEIGHT", "RATE", "NEXT UPGRADE", "NODES READY")...)...)
	keys := slices.SortedFunc(maps.Keys(measured.chains), func(a, b chainKey) int {
		return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.chain, b.chain))
	})
	for _, key := range keys {
		state := measured.chains[key]
		var members []*object
		ready := 0
		for _, o := range found {
			if !o.isFleet() && o.Metadata.Namespace == key.namespace && o.chainID() == key.chain {
				members = append(members, o)
				if o.condition("Ready").isTrue() {
					ready++
				}
			}
		}
		height, rate := "", ""
		if state.height > 0 {
			height = fmt.Sprint(state.height)
		}
		if perSecond := seen.of(key, state, now); perSecond > 0 {
			rate = fmt.Sprintf("%.1f blocks/s", perSecond)
		}
		table.add(p.withNamespace(cellOf(key.namespace, ""), cellOf(key.chain, ""), cellOf(height, ""), cellOf(rate, ""),
			nextUpgradeOf(state, members, now), readyCell(ready, len(members)))...)
	}
	table.fit(p.tableRows()).print(p.Out)
}

// fewestRows is how many rows of a table are shown on the smallest terminal.
const fewestRows = 4

// tableRows is how many rows a table may have, so that problems fit the terminal too; 0 means all.
func (p *plugin) tableRows() int {
	if p.rows == 0 {
		return 0
	}
	return max(fewestRows, p.rows/5)
}

func readyCell(ready, all int) span {
	cell := span{text: fmt.Sprintf("%d/%d", ready, all)}
	if ready < all {
		cell.in = red
	}
	return cell
}

// nextUpgradeOf returns what the chain has planned or, where that is not known, what its nodes list next.
func nextUpgradeOf(state *chainState, members []*object, now time.Time) span {
	name, height := state.upgrade, state.upgradeHeight
	if height <= state.height {
		name, height = "", 0
		for _, node := range members {
			for _, u := range node.Status.Upgrades {
				if u.State != "Applied" && u.State != "Passed" && u.Height > state.height && (height == 0 || u.Height < height) {
					name, height = u.Name, u.Height
				}
			}
		}
	}
	if height == 0 {
		return cellOf("", "")
	}
	text := fmt.Sprintf(" at %d", height)
	if left := int64(state.upgradeTime) - now.Unix(); name == state.upgrade && state.upgradeTime > 0 {
		text += " in " + timeLeft(max(0, left))
	}
	planned := cellOf(name, yellow)
	planned.text += text
	return planned
}

// timeLeft names the two largest units of a duration: on the night of an upgrade the seconds count.
func timeLeft(seconds int64) string {
	switch {
	case seconds < 3600:
		return fmt.Sprintf("%d min %d s", seconds/60, seconds%60)
	case seconds < 86400:
		return fmt.Sprintf("%d h %d min", seconds/3600, seconds%3600/60)
	}
	return fmt.Sprintf("%d d %d h", seconds/86400, seconds%86400/3600)
}

func (p *plugin) printFleets(found []*object, measured measurements, now time.Time) {
	membersOf := map[nodeKey][]*object{}
	for _, o := range found {
		if fleet := o.Metadata.Labels[fleetLabel]; fleet != "" && !o.isFleet() {
			key := nodeKey{o.Metadata.Namespace, fleet}
			membersOf[key] = append(membersOf[key], o)
		}
	}
	var table grid
	table.add(p.withNamespace(span{"NAMESPACE", bold}, headings("FLEET", "READY", "IMAGE", "ROLLOUT", "UPGRADE", "SNAPSHOT")...)...)
	for _, fleet := range found {
		if !fleet.isFleet() {
			continue
		}
		key := nodeKey{fleet.Metadata.Namespace, fleet.Metadata.Name}
		table.add(p.withNamespace(cellOf(key.namespace, ""), cellOf(key.name, ""),
			readyCell(fleet.Status.ReadyReplicas, fleet.Spec.Replicas), cellOf(tagOf(fleet.Spec.Template.Spec.Image), ""),
			rolloutCell(fleet), preparedCell(fleet, membersOf[key]), snapshotCell(fleet, measured.snapshots[key], now))...)
	}
	if len(table) > 1 {
		fmt.Fprintln(p.Out)
		table.fit(p.tableRows()).print(p.Out)
	}
}

// tagOf returns the version of an image, or the whole of one without a tag.
func tagOf(image string) string {
	if at := strings.LastIndexByte(image, ':'); at > strings.LastIndexByte(image, '/') {
		return image[at+1:]
	}
	return image
}

// barLength is the length of the bar of a rollout.
const barLength = 10

func rolloutCell(fleet *object) span {
	updated, all := fleet.Status.UpdatedReplicas, fleet.Spec.Replicas
	progress := fmt.Sprintf("%d/%d", updated, all)
	outdated := fleet.condition("UpToDate")
	switch {
	case fleet.condition("Stalled").isTrue() && !outdated.isTrue():
		return span{progress + " stalled", red}
	case outdated.Reason == "RolledBack":
		return span{"rolled back", red}
	case fleet.Spec.UpdateStrategy.Paused:
		return span{progress + " paused", yellow}
	case fleet.Status.Rollout != nil && all > 0:
		done := min(barLength, max(0, updated*barLength/all))
		return span{"[" + strings.Repeat("#", done) + strings.Repeat("-", barLength-done) + "] " + progress, yellow}
	case outdated.Status == "False":
		return span{progress, yellow}
	}
	return cellOf("", "")
}

// preparedCell counts the nodes that are prepared for the next upgrade: they have pulled its image, or are past it.
func preparedCell(fleet *object, members []*object) span {
	ready := fleet.condition("UpgradesReady")
	everyNode := fmt.Sprintf("%d/%d", fleet.Spec.Replicas, fleet.Spec.Replicas)
	next := slices.IndexFunc(fleet.Status.Upgrades, func(u upgrade) bool { return u.Reached != everyNode })
	in := color("")
	if ready.Status == "False" && ready.Reason != "UpgradesPaused" {
		in = red
	}
	if next < 0 {
		if in == "" {
			return cellOf("", "")
		}
		return cellOf(ready.Reason, in)
	}
	name, prepared := fleet.Status.Upgrades[next].Name, 0
	for _, node := range members {
		if slices.ContainsFunc(node.Status.Upgrades, func(u upgrade) bool {
			return u.Name == name && slices.Contains([]string{"Ready", "Applied", "Passed"}, u.State)
		}) {
			prepared++
		}
	}
	text := fmt.Sprintf(" %d/%d prepared", prepared, fleet.Spec.Replicas)
	if in != "" {
		text += ", " + cellOf(ready.Reason, "").text
	}
	cell := cellOf(name, in)
	cell.text += text
	return cell
}

func snapshotCell(fleet *object, last float64, now time.Time) span {
	healthy := fleet.condition("SnapshotsHealthy")
	switch {
	case healthy.Status == "False":
		return cellOf(healthy.Reason, red)
	case last > 0:
		return cellOf(timeLeft(max(0, now.Unix()-int64(last)))+" ago", "")
	case fleet.Status.Snapshots != nil:
		return cellOf("none yet", "")
	}
	return cellOf("", "")
}

func (p *plugin) printNodesAlone(found []*object, measured measurements) {
	var table grid
	table.add(p.withNamespace(span{"NAMESPACE", bold}, headings("NODE", "READY", "IMAGE", "HEIGHT", "LAG", "STATE")...)...)
	for _, node := range found {
		if node.isFleet() || node.Metadata.Labels[fleetLabel] != "" {
			continue
		}
		ready := node.condition("Ready")
		readiness, state := span{text: "True"}, ""
		if !ready.isTrue() {
			readiness, state = cellOf(ready.Status, red), ready.Reason
		}
		if node.phase() == "Failed" {
			state = "Failed"
		}
		known := measured.nodes[nodeKey{node.Metadata.Namespace, node.Metadata.Name}]
		table.add(p.withNamespace(cellOf(node.Metadata.Namespace, ""), cellOf(node.Metadata.Name, ""), readiness,
			cellOf(tagOf(node.Status.CurrentImage), ""), span{text: cell(known.height)}, span{text: cell(known.lag)}, cellOf(state, ""))...)
	}
	if len(table) > 1 {
		fmt.Fprintln(p.Out)
		table.fit(p.tableRows()).print(p.Out)
	}
}

// --- Problems ---------------------------------------------------------------------------------------------

// printWorst prints each problem once, with its evidence and the command that prints what to do.
func printWorst(out io.Writer, known diagnosis) {
	fmt.Fprintln(out)
	for problems := known.problems; len(problems) > 0; {
		first := problems[0]
		same := 0
		var who []string
		for same < len(problems) && problems[same].isLike(first) {
			if same < shownNames {
				who = append(who, problems[same].object.Metadata.Namespace+"/"+problems[same].object.ref())
			}
			same++
		}
		problems = problems[same:]
		if same > shownNames {
			who = append(who, fmt.Sprintf("%d more", same-shownNames))
		}
		paint(out, first.rank.color(), cellOf(first.reason, "").text)
		fmt.Fprintf(out, "  %s: %s\n", enumerate(who, "and"), evidenceOf(first.message))
		if next := first.command(); next != "" {
			fmt.Fprintf(out, "    %s\n", next)
		}
	}
	switch {
	case len(known.problems) == 0 && len(known.unwell) == 0:
		fmt.Fprintln(out, "Nothing is wrong.")
	case len(known.unwell) > 0:
		fmt.Fprintf(out, "Not Ready or not up to date without a known problem: %s; see kubectl sei why\n",
			counted(len(known.unwell), "object"))
	}
}

// longestEvidence bounds a message: one that quotes a log must not push the other problems off the screen.
const longestEvidence = 400

func evidenceOf(message string) string {
	line := []rune(oneLine(message))
	if len(line) > longestEvidence {
		return string(line[:longestEvidence-3]) + "..."
	}
	return string(line)
}

func (r rank) color() color {
	if r <= notReady {
		return red
	}
	return yellow
}

// command returns what a user types to see what to do. It is meant to be pasted into a shell: nothing but names of
// Kubernetes and of this program's pages gets into it.
func (p problem) command() string {
	namespace, name := p.object.Metadata.Namespace, p.object.Metadata.Name
	if !accountName.MatchString(namespace) || !accountName.MatchString(name) {
		return ""
	}
	if _, hasPage := pages[p.page]; hasPage {
		return fmt.Sprintf("kubectl sei runbook %s %s -n %s", p.page, p.object.ref(), namespace)
	}
	return fmt.Sprintf("kubectl sei why %s -n %s", p.object.ref(), namespace)
}
