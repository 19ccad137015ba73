package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func newWhyCommand(p *plugin) *cobra.Command {
	cmd := answering(&cobra.Command{
		Use:   "why [NAME]",
		Short: "show what is wrong: conditions, evidence and the runbook; without a name every problem",
		Long: `
With a name it shows the conditions that report a problem of that fleet or node, with their evidence, the
next step and the runbook. Without one it lists every problem of the namespace, or with -A of all, one line
each, the worst first; nodes with the same problem share a line, and so do those that one lost machine has
taken along. What a user paused or holds, and what is in progress, is no problem.

-o json prints the problems as a list; those of a fleet with those of its nodes.

The exit code is 0 if there is no problem, 1 if there is one, and 2 if that could not be found out.`,
		Args: optionalName,
		RunE: p.onTarget(func(cmd *cobra.Command, c *cluster, named target) error {
			place, err := p.runbooks(cmd, c)
			if err != nil {
				return err
			}
			return p.redraw(c, func() error { return p.why(c, named, place) })
		}),
	})
	p.addSelection(cmd, "json", "yaml")
	p.addScreen(cmd)
	p.completesNames(cmd, false, fleets, nodes)
	return cmd
}

func (p *plugin) why(c *cluster, named target, runbooks string) error {
	found, err := c.withNodes(named, p.selection(c))
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return failf(exitUnanswered, "there is no fleet and no node to look at")
	}
	known := diagnose(found, c.lossesOf(found))
	switch {
	case p.output != "":
		err = p.print(listOf[problemItem]{Items: known.items(runbooks)})
	case !named.isNamed():
		known.print(p.Out, runbooks, "")
	default:
		for _, object := range found {
			if object.Metadata.Name == named.name && named.isOf(kindOf(object)) {
				explainObject(p.Out, object, known, runbooks)
			}
		}
	}
	if err != nil {
		return err
	}
	if len(known.problems) > 0 {
		return exitWith(exitNo)
	}
	return nil
}

func kindOf(o *object) resourceType {
	if o.isFleet() {
		return fleets
	}
	return nodes
}

// --- One object -------------------------------------------------------------------------------------------

// explainObject shows the conditions of an object that are not as they should be, with their pages, and the plan.
func explainObject(out io.Writer, o *object, known diagnosis, runbooks string) {
	printHeadline(out, o)
	isWell := o.condition("Ready").isTrue() && o.isReconciled() && o.phase() != "Failed"
	stall := o.condition("Stalled")
	show := func(c condition) {
		isWell = false
		printCondition(out, c)
		_, page := rankOf(o, c, stall)
		if page = cmp.Or(page, pageOf(o, c.Reason)); isRunbook(page) {
			fmt.Fprintf(out, "      runbook: %s/%s.md\n", runbooks, page)
		}
	}
	if stall.isTrue() {
		show(stall)
	}
	for _, c := range o.Status.Conditions {
		switch {
		case reportsProblem(c):
			show(c)
		case c.Type == "CaughtUp" && c.Reason == "Frozen", c.Type == "DataVolumeResized" && c.Reason == "Filling":
			printCondition(out, c)
		}
	}
	for _, node := range o.Status.Nodes {
		if !node.Ready || node.Reason != "" {
			isWell = false
			fmt.Fprintf(out, "  %s: %s, %s\n", node.Name, orElse(node.Phase, "Pending"), orElse(node.Reason, "not ready"))
		}
	}
	if o.Status.Plan != nil {
		isWell = false
		printPlan(out, o.Status.Plan)
	}
	if hash := o.Status.FailedTemplateHash; hash != "" {
		isWell = false
		fmt.Fprintf(out, "  Template %s was rolled back and is not retried.\n", hash)
	}
	if !isWell {
		return
	}
	if len(known.problems) == 0 {
		fmt.Fprintln(out, "  Nothing is wrong with it.")
		return
	}
	known.print(out, runbooks, "  ")
}

// reportsProblem reports whether a condition is not as it should be. True is bad for some types, and False or Unknown
// for the others; Stalled has been shown before, and the plan itself shows that one is active. NetworkingReady and
// GenesisCeremonyComplete are the same in every fleet that does not use them. Where a volume can be used, and that no
// Secret is named, is neither good nor bad.
func reportsProblem(c condition) bool {
	if c.Reason == "Recreate" || c.Reason == "NotReferenced" {
		return false
	}
	switch c.Type {
	case "Stalled", "Reconciling", "NodesReady", "Available", "PlanInProgress", "NodeUpdateInProgress", "DataVolumePinned":
		return false
	case "NetworkingReady", "GenesisCeremonyComplete":
		return slices.Contains([]string{"NotSupported", "NotManaged", "InProgress", "CeremonyFailed"}, c.Reason)
	case "DataVolumeAtRisk", "RestartPending", "Paused", "Held", "RolloutInProgress":
		return c.isTrue()
	}
	return !c.isTrue()
}

// upgradeImages are the reasons for which the image of a listed upgrade does not do.
var upgradeImages = []string{"ImagePull", "ImageUnusable", "ImageForbidden", "ImageMismatch"}

// pageOf returns the runbook of a reason. The image of a listed upgrade has a page of its own: spec.image is not what
// is wrong.
func pageOf(o *object, reason string) string {
	if slices.Contains(upgradeImages, reason) && o.condition("UpgradesReady").Reason == reason {
		return "SeiUpgradeImagePull"
	}
	return reason
}

// isRunbook reports whether there is a page: pages of reasons are facts of the operator, and those that this program
// names itself begin with Sei as the alerts do.
func isRunbook(page string) bool {
	return strings.HasPrefix(page, "Sei") || slices.Contains(facts.Runbooks, page)
}

// --- Every problem ----------------------------------------------------------------------------------------

// rank orders problems by what they put at risk, the worst first.
type rank int

const (
	dataOrKeyAtRisk rank = iota + 1
	stalled
	notReady
	specRefused
	sidecarAway
	upgradeNotPrepared
	peersLost
	operationFailed
	// unwell is what is not Ready or not up to date without a known problem.
	unwell
)

// problem is one thing that is wrong with one object.
type problem struct {
	rank    rank
	object  *object
	reason  string
	page    string
	message string
	// machine is the one whose loss is the problem.
	machine string
}

// diagnosis has every problem of some objects, the worst first, and the objects that are unwell without one.
type diagnosis struct {
	problems []problem
	unwell   []problem
}

func diagnose(found []*object, lost losses) diagnosis {
	var ranked []problem
	for _, o := range found {
		of := problemsOf(o)
		if o.isLost() {
			of = causes(of, lost.of(o))
		}
		ranked = append(ranked, of...)
	}
	slices.SortStableFunc(ranked, func(a, b problem) int {
		return cmp.Or(
			cmp.Compare(a.rank, b.rank),
			cmp.Compare(a.reason, b.reason),
			cmp.Compare(a.message, b.message),
			cmp.Compare(a.object.Metadata.Namespace, b.object.Metadata.Namespace),
			cmp.Compare(a.object.ref(), b.object.ref()))
	})
	var known diagnosis
	halted, named := map[*object]bool{}, map[*object]bool{}
	for _, p := range ranked {
		halted[p.object] = halted[p.object] || p.reason == "HaltedAtUpgrade"
		switch {
		// Its halt says the same.
		case p.rank == upgradeNotPrepared && halted[p.object]:
		case p.rank != unwell:
			known.problems = append(known.problems, p)
		case !named[p.object]:
			named[p.object] = true
			known.unwell = append(known.unwell, p)
		}
	}
	return known
}

// causes leaves out what follows from the loss of a node's machine. The nodes of a machine that is known have one problem.
func causes(problems []problem, of *loss) []problem {
	var kept []problem
	for _, p := range problems {
		switch {
		case p.rank == sidecarAway, p.rank == peersLost, p.rank == upgradeNotPrepared && p.reason == "ImagePull":
			continue
		case p.reason == nodeLost && of != nil:
			p.rank, p.message, p.machine = stalled, of.message(), of.machine
		}
		kept = append(kept, p)
	}
	return kept
}

// problemsOf returns what is wrong with an object. A node is not Ready for what it is stalled for, and so is its
// fleet: that is said once. Of the reasons of Ready only those with a page are problems; the others were asked for, or
// pass.
func problemsOf(o *object) []problem {
	var found []problem
	add := func(r rank, reason, page, message string) {
		found = append(found, problem{rank: r, object: o, reason: reason, page: page, message: message})
	}
	if o.unread != "" {
		add(specRefused, "Unreadable", "InvalidSpec", o.unread+"; correct that field")
	}
	ready, stall := o.condition("Ready"), o.condition("Stalled")
	if ready.Status == "" || !o.isReconciled() {
		add(unwell, "NotReconciled", "", "the operator has not reconciled the newest spec yet; does it run?")
	}
	for _, c := range o.Status.Conditions {
		if r, page := rankOf(o, c, stall); r != 0 {
			add(r, c.Reason, page, c.Message)
		}
	}
	if o.isFleet() || stall.isTrue() {
		return found
	}
	if ready.Status != "" && !ready.isTrue() {
		r := notReady
		if !isRunbook(ready.Reason) {
			r = unwell
		}
		add(r, ready.Reason, ready.Reason, ready.Message)
	}
	if o.phase() == "Failed" {
		add(stalled, "Failed", "SeiNodeFailed", "its plan failed: see kubectl sei why "+o.ref())
	}
	return found
}

// rankOf returns the rank of what a condition reports and its page, or 0 where that is no problem. Ready of a node is
// ranked by problemsOf.
func rankOf(o *object, c condition, stall condition) (rank, string) {
	if c.isTrue() {
		switch c.Type {
		case "DataVolumeAtRisk":
			return dataOrKeyAtRisk, "SeiDataVolumeAtRisk"
		case "Stalled":
			// A fleet repeats the message of its node.
			if o.isFleet() && strings.HasPrefix(c.Message, o.Metadata.Name+"-") {
				return 0, ""
			}
			return stalled, pageOf(o, c.Reason)
		}
		return 0, ""
	}
	if c.Status == "False" {
		if r, page := rankOfFalse(c); r != 0 {
			return r, page
		}
	}
	switch c.Type {
	case "UpToDate":
		if stall.isTrue() && c.Reason == stall.Reason {
			return 0, ""
		}
		if slices.Contains([]string{"InvalidSpec", "ServiceConflict", "RolledBack", "ImageBehindUpgrade"}, c.Reason) {
			return specRefused, c.Reason
		}
		return unwell, c.Reason
	case "Ready":
		if !o.isFleet() {
			return 0, ""
		}
		if c.Reason == "ChildConflict" || c.Reason == "TakeoverNotEnabled" {
			return specRefused, c.Reason
		}
		return unwell, c.Reason
	case "SidecarReady":
		if c.Reason == "Unreachable" || c.Reason == "Forbidden" {
			return sidecarAway, "Sidecar" + c.Reason
		}
	}
	return 0, ""
}

func rankOfFalse(c condition) (rank, string) {
	switch {
	case c.Reason == "SigningKeyShared", c.Reason == "SignerHasAnotherKey":
		return dataOrKeyAtRisk, "Sei" + c.Reason
	case c.Type == "UpgradesReady" && slices.Contains(upgradeImages, c.Reason):
		return upgradeNotPrepared, "SeiUpgradeImagePull"
	case c.Type == "UpgradesReady" && c.Reason == "NotListed":
		return upgradeNotPrepared, "SeiUpgradeNotListed"
	case c.Type == "UpgradesReady" && c.Reason != "UpgradesPaused":
		return upgradeNotPrepared, c.Reason
	case c.Type == "CaughtUp" && c.Reason == "NoPeers":
		return peersLost, "SeiPeersLost"
	case c.Reason == "Recreate":
		return 0, ""
	}
	switch c.Type {
	case "DataVolumeResized", "DataVolumeRestored", "SnapshotsHealthy", "UpdatesInPlace":
		return operationFailed, c.Reason
	}
	return 0, ""
}

// print writes one line for each problem; objects with the same one share it.
func (d diagnosis) print(out io.Writer, runbooks, indent string) {
	switch {
	case len(d.problems) > 0:
		printProblems(out, d.problems, runbooks, indent)
	case len(d.unwell) > 0:
		fmt.Fprintf(out, "%sNo problem is known, but these are not Ready or not up to date:\n", indent)
		printProblems(out, d.unwell, runbooks, indent)
	default:
		fmt.Fprintf(out, "%sNothing is wrong.\n", indent)
	}
}

func printProblems(out io.Writer, problems []problem, runbooks, indent string) {
	for len(problems) > 0 {
		first, same := problems[0], 0
		var who []string
		for same < len(problems) && problems[same].isLike(first) {
			who = append(who, problems[same].object.Metadata.Namespace+"/"+problems[same].object.ref())
			same++
		}
		problems = problems[same:]
		fmt.Fprintf(out, "%s%s  ", indent, strings.Join(who, ", "))
		paint(out, first.rank.color(), first.reason)
		fmt.Fprintf(out, ": %s", oneLine(first.message))
		if isRunbook(first.page) {
			fmt.Fprintf(out, "  (%s/%s.md)", runbooks, first.page)
		}
		fmt.Fprintln(out)
	}
}

func (p problem) isLike(other problem) bool {
	return p.rank == other.rank && p.reason == other.reason && p.message == other.message && p.page == other.page
}

// problemItem is an item of kubectl sei why -o json.
type problemItem struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Reason    string `json:"reason"`
	Message   string `json:"message"`
	Machine   string `json:"machine,omitempty"`
	Runbook   string `json:"runbook,omitempty"`
}

func (d diagnosis) items(runbooks string) []problemItem {
	items := make([]problemItem, 0, len(d.problems))
	for _, p := range d.problems {
		item := problemItem{
			Kind: p.object.Kind, Namespace: p.object.Metadata.Namespace, Name: p.object.Metadata.Name,
			Reason: p.reason, Message: p.message, Machine: p.machine,
		}
		if isRunbook(p.page) {
			item.Runbook = fmt.Sprintf("%s/%s.md", runbooks, p.page)
		}
		items = append(items, item)
	}
	return items
}
