package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

func newWatchCommand(p *plugin) *cobra.Command {
	return newFollowCommand(p, "watch", "show how it converges, until it has or cannot without a person", true)
}

func newWaitCommand(p *plugin) *cobra.Command {
	return newFollowCommand(p, "wait", "the same without the progress", false)
}

func newFollowCommand(p *plugin, name, short string, showsSteps bool) *cobra.Command {
	var timeout string
	var allow allowed
	cmd := answering(&cobra.Command{
		Use:   name + " NAME",
		Short: short,
		Long: `
Ends once UpToDate and Ready are True for the newest spec: every pod runs what the spec asks for, and serves. It
ends at once where a person is needed: stalled, failed, rolled back, invalid, paused, held, halted at an upgrade that is
not listed, or with its chain data or signing key at risk. A task (snt/NAME) has converged when it is complete. watch
prints each step with its time, and the nodes of a fleet that are not in order.

A restart or retry is an annotation, and no part of the spec: for ten seconds after one the command goes on waiting, so
that the operator can begin. A retry of a failed plan is waited for until the operator has seen it, for two minutes at most.

The exit code is 0 if it has converged, 1 if it does not without a person, 2 for wrong usage or if there is no such
object, and 3 if it is out of time. The last line says why, and the way out.`,
		Args: oneName,
		RunE: func(cmd *cobra.Command, args []string) error {
			named, err := targetOf(cmd, args, tasks)
			if err != nil {
				return err
			}
			if named.kind != nil && *named.kind == tasks && allow != (allowed{}) {
				return misused(cmd, "--allow flags are for a fleet or a node")
			}
			limit, err := timeLimitOf(cmd, timeout)
			if err != nil {
				return err
			}
			c, err := p.connect(cmd)
			if err != nil {
				return err
			}
			object, err := c.settle(cmd, named)
			if err != nil {
				return err
			}
			return p.follow(c, object, following{
				limit: limit, allow: allow, showsSteps: showsSteps, codeOfFailure: exitUnanswered,
			})
		},
	})
	addTimeout(cmd, &timeout, "give up after that `duration`, such as 90s, 15m or 1h30m; by default never")
	flags := cmd.Flags()
	flags.BoolVar(&allow.paused, "allow-paused", false, "count what a user paused as converged: a node, a fleet, its rollouts or single nodes")
	flags.BoolVar(&allow.held, "allow-held", false, "the same for what a user holds with spec.maintenance.hold")
	flags.BoolVar(&allow.halted, "allow-halted", false, "the same for a halt at an upgrade height")
	flags.BoolVar(&allow.partition, "allow-partition", false, "the same for nodes that updateStrategy.inPlace.partition keeps on their template")
	p.completesNames(cmd, false, fleets, nodes, tasks)
	return cmd
}

func addTimeout(cmd *cobra.Command, timeout *string, usage string) {
	cmd.Flags().StringVar(timeout, "timeout", "", usage)
}

// timeLimit is a duration, and how the user typed it.
type timeLimit struct {
	length time.Duration
	typed  string
}

// timeLimitOf reads --timeout; nil means never.
func timeLimitOf(cmd *cobra.Command, text string) (*timeLimit, error) {
	if text == "" {
		return nil, nil
	}
	length, err := time.ParseDuration(text)
	if err != nil || length < 0 {
		return nil, misused(cmd, "--timeout must be a duration with a unit, such as 90s, 15m or 1h30m, not '%s'", text)
	}
	return &timeLimit{length: length, typed: text}, nil
}

// allowed are the states that a user counts as converged.
type allowed struct {
	paused, held, halted, partition bool
}

type following struct {
	limit      *timeLimit
	allow      allowed
	showsSteps bool
	// codeOfFailure is the exit code where the API server does not answer any more.
	codeOfFailure int
}

// follow asks again every second rather than watches: a watch that broke would have to be told from a silent one.
func (p *plugin) follow(c *cluster, o *object, how following) error {
	kind, hint := tasks, "; the task goes on"
	if o.Kind != tasks.kind {
		kind, hint = kindOf(o), "; see kubectl sei why "+o.ref()
	}
	if how.limit != nil && how.limit.length > 0 {
		limited, cancel := context.WithTimeout(c.ctx, how.limit.length)
		defer cancel()
		c = c.within(limited)
	}
	shown, line := "", kind.kind+" "+o.Metadata.Name+" was not read"
	for {
		current := &object{}
		err := c.get(kind, c.namespace, o.Metadata.Name, current)
		if isOutOfTime(c.ctx) {
			return how.timedOut(line, hint)
		}
		if err != nil {
			return failf(how.codeOfFailure, "%s%s", err, hint)
		}
		reached := progressOf(current, how.allow)
		if reached.stoppedNode != "" && c.hasResumed(reached.stoppedNode) {
			reached.word = waiting
		}
		if reached.word != waiting && current.isJustRequested() {
			reached.word, reached.reason = waiting, "the operator may not have seen the restart or retry yet"
			reached.evidence, reached.remedy = "", ""
		}
		line = reached.String()
		switch reached.word {
		case converged:
			fmt.Fprintf(p.Out, "%s%s\n", how.moment(), line)
			return nil
		case over:
			return failf(exitNo, "%s%s", how.moment(), line)
		}
		if how.showsSteps && line != shown {
			fmt.Fprintf(p.Out, "%s%s\n", how.moment(), line)
			shown = line
		}
		if how.limit != nil && how.limit.length == 0 {
			return how.timedOut(line, hint)
		}
		select {
		case <-c.ctx.Done():
			return how.timedOut(line, hint)
		case <-time.After(time.Second):
		}
	}
}

// requestSettles is the time in which the operator begins a restart or a retry. The annotation is no part of the spec, so
// that no status shows whether a restart was seen.
const requestSettles = 10 * time.Second

// retrySettles is the time in which an operator that starts, or is busy, has seen a retry. It may never begin one, as while
// the spec is invalid.
const retrySettles = 2 * time.Minute

// isJustRequested reports whether a restart or a retry was requested so lately that the status may be that of before.
func (o *object) isJustRequested() bool {
	isWithin := func(request string, settles time.Duration) bool {
		at, err := time.Parse(time.RFC3339, o.Metadata.Annotations[request])
		return err == nil && time.Since(at).Abs() < settles
	}
	return isWithin(restartAnnotation, requestSettles) || isWithin(retryAnnotation, requestSettles) ||
		o.hasYetToRetry() && isWithin(retryAnnotation, retrySettles)
}

// hasYetToRetry reports whether the failed plan of a node was made for another retry than the one that is requested.
func (o *object) hasYetToRetry() bool {
	p := o.Status.Plan
	return p != nil && p.Phase == "Failed" && p.Target != nil && !o.isFleet() && !o.Spec.Paused &&
		p.Target.Retry != o.Metadata.Annotations[retryAnnotation]
}

// hasResumed reports whether the spec of a node no longer stops it: the status of its fleet follows seconds later.
func (c *cluster) hasResumed(name string) bool {
	node := &object{}
	err := c.get(nodes, c.namespace, name, node)
	return err == nil && !node.Spec.Paused && node.Spec.Maintenance.Hold == ""
}

// isOutOfTime reports whether a context is past its deadline. The client refuses a request then, and on a busy machine
// the context ends later.
func isOutOfTime(ctx context.Context) bool {
	deadline, isLimited := ctx.Deadline()
	return ctx.Err() != nil || isLimited && !time.Now().Before(deadline)
}

func (f following) timedOut(line, hint string) error {
	return failf(exitTimeout, "%stimed out after %s: %s%s", f.moment(), f.limit.typed, line, hint)
}

func (f following) moment() string {
	if !f.showsSteps {
		return ""
	}
	return time.Now().UTC().Format(time.RFC3339) + " "
}

// --- Convergence ------------------------------------------------------------------------------------------

// convergence is how far an object is.
type convergence string

const (
	// converged is UpToDate and Ready for the newest spec, or a state that a flag allows.
	converged convergence = "converged"
	// over does not converge without a person.
	over    convergence = "over"
	waiting convergence = "waiting"
)

// progress is how far an object is, why, and the way out.
type progress struct {
	word     convergence
	object   string
	state    string
	reason   string
	evidence string
	remedy   string
	// stoppedNode is the node of a fleet that ends the waiting because a user stopped it.
	stoppedNode string
	// troubles are the nodes of a fleet that are not in order.
	troubles []string
}

// shownTroubles is how many nodes a line names.
const shownTroubles = 3

func (p progress) String() string {
	line := p.object + ": " + p.state
	if p.reason != "" {
		line += ", " + p.reason
	}
	if p.evidence != "" {
		line += ": " + oneLine(p.evidence)
	}
	if p.remedy != "" {
		line += "; " + p.remedy
	}
	if p.word != waiting {
		return line
	}
	for i, trouble := range p.troubles {
		if i == shownTroubles {
			return line + fmt.Sprintf("; %d more nodes", len(p.troubles)-i)
		}
		line += "; " + trouble
	}
	return line
}

// end ends the waiting; what is found later goes before what was found earlier.
func (p *progress) end(reason, evidence, remedy string) {
	p.word, p.reason, p.evidence, p.remedy, p.stoppedNode = over, reason, evidence, remedy, ""
}

func progressOf(o *object, allow allowed) progress {
	if o.Kind == tasks.kind {
		return progressOfTask(o)
	}
	j := judgement{object: o, allow: allow, isFleet: o.isFleet()}
	j.readConditions()
	j.readNodes()
	return j.judge()
}

func progressOfTask(o *object) progress {
	p := progress{word: waiting, object: o.ref(), state: o.phase()}
	tells := "TargetReady"
	switch p.state {
	case "Complete":
		p.word, tells = converged, "Ready"
	case "Failed":
		p.word, tells = over, "Failed"
	}
	if c := o.condition(tells); c.Status != "" && (p.word != waiting || !c.isTrue()) {
		p.reason, p.evidence = c.Reason, c.Message
	}
	return p
}

// judgement decides how far a fleet or a node is, from its spec and the conditions of the newest generation. What the
// spec says of stopping counts at once. A stop for a snapshot ends by itself, and so does a halt at a listed upgrade. A
// fleet rolls out around its paused nodes.
type judgement struct {
	object  *object
	allow   allowed
	isFleet bool

	// Those that are not True are empty where they are.
	updated, ready       bool
	outdated, unready    condition
	stalled, atRisk      condition
	isPaused, isHeld     bool
	stoppedForSnapshot   bool
	snapshot             string
	upgradesAreListed    bool
	pausedNode, heldNode string
	haltedNode           string
	keptNodes            int
	isDown               bool
	troubles             []string
}

func (j *judgement) readConditions() {
	j.upgradesAreListed = true
	for _, c := range j.object.Status.Conditions {
		if c.ObservedGeneration != 0 && c.ObservedGeneration != j.object.Metadata.Generation {
			continue
		}
		if ranked, _ := rankOf(j.object, c, condition{}); ranked == dataOrKeyAtRisk {
			j.atRisk = c
		}
		switch c.Type {
		case "UpToDate":
			if j.updated = c.isTrue(); !j.updated {
				j.outdated = c
			}
		case "Ready":
			if j.ready = c.isTrue(); !j.ready {
				j.unready = c
			}
		case "Stalled":
			if c.isTrue() {
				j.stalled = c
			}
		case "Held":
			j.isHeld = c.isTrue()
		case "Paused":
			j.stoppedForSnapshot = c.isTrue() && c.Reason == "StoppedForSnapshot"
			j.isPaused = c.isTrue() && !j.stoppedForSnapshot
			j.snapshot = c.Message
		case "UpgradesReady":
			j.upgradesAreListed = c.Status != "False"
		}
	}
}

func (j *judgement) readNodes() {
	if !j.isFleet {
		if j.unready.Reason != "HaltedAtUpgrade" {
			j.isDown = !j.ready
		} else if !j.allow.halted {
			j.haltedNode = j.object.Metadata.Name
		}
		return
	}
	for _, node := range j.object.Status.Nodes {
		if node.Reason != "" || !node.Ready {
			j.troubles = append(j.troubles, node.Name+" "+orElse(node.Reason, "not ready"))
		}
		switch {
		case strings.HasPrefix(node.Reason, "NodePaus"):
			j.keptNodes++
			if !j.allow.paused {
				j.pausedNode = node.Name
			}
		case strings.HasPrefix(node.Reason, "NodeHeld"):
			j.keptNodes++
			if !j.allow.held {
				j.heldNode = node.Name
			}
		case node.Ready:
		case strings.HasPrefix(node.Reason, "HaltedAt"):
			if !j.allow.halted {
				j.haltedNode = node.Name
			}
		default:
			j.isDown = true
		}
	}
}

// specOfNodes has what the template of a fleet, or a node, says of stopping.
func (j *judgement) specOfNodes() (path string, isPaused bool, hold string, upgradesPaused bool) {
	if j.isFleet {
		of := j.object.Spec.Template.Spec
		return "spec.template.spec", of.Paused, of.Maintenance.Hold, of.UpgradesPaused
	}
	of := j.object.Spec
	return "spec", of.Paused, of.Maintenance.Hold, of.UpgradesPaused
}

// awaitsUpgrade reports whether a listed upgrade is still to come, which ends a halt by itself.
func (j *judgement) awaitsUpgrade() bool {
	if _, _, _, upgradesPaused := j.specOfNodes(); upgradesPaused || !j.upgradesAreListed {
		return false
	}
	everyNode := fmt.Sprintf("%d/%d", j.object.Spec.Replicas, j.object.Spec.Replicas)
	return slices.ContainsFunc(j.object.Status.Upgrades, func(u upgrade) bool {
		if j.isFleet {
			return u.State == "" && u.Reached != everyNode
		}
		return u.State == "Scheduled" || u.State == "Ready"
	})
}

// isInOrder reports whether every node serves, or is in a state that is allowed.
func (j *judgement) isInOrder() bool {
	if j.isDown || j.pausedNode != "" || j.heldNode != "" || j.haltedNode != "" {
		return false
	}
	return !j.isFleet || len(j.object.Status.Nodes) == j.object.Spec.Replicas
}

func (j *judgement) judge() progress {
	p := progress{word: waiting, object: j.object.ref(), state: j.state(), troubles: j.troubles}
	p.reason = orElse(j.outdated.Reason, j.unready.Reason)
	if p.reason == "" && !j.updated && !j.ready {
		p.reason = "not reconciled yet: does the operator run?"
	}
	if j.isConverged() {
		p.word = converged
	}
	j.judgeConditions(&p)
	j.judgeNodesThatStop(&p)
	j.judgeSpec(&p)
	if unread := j.object.unread; unread != "" {
		p.end("Unreadable", unread, "correct that field")
	}
	return p
}

func (j *judgement) state() string {
	o := j.object
	state := o.phase()
	if o.Status.Updated != "" {
		state += ", updated " + o.Status.Updated
	}
	if j.isFleet {
		return fmt.Sprintf("%s, ready %d/%d", state, o.Status.ReadyReplicas, o.Spec.Replicas)
	}
	return state + ", " + orElse(o.Status.CurrentImage, "no image yet")
}

func (j *judgement) isConverged() bool {
	if !j.isInOrder() {
		return false
	}
	if j.updated {
		return true
	}
	o := j.object
	return j.isFleet && j.keptNodes > 0 && j.outdated.Reason == "Outdated" && o.Status.Rollout == nil &&
		j.keptNodes+o.Status.UpdatedReplicas >= o.Spec.Replicas
}

// see points at the command with the evidence.
func (j *judgement) see() string { return "see kubectl sei why " + j.object.ref() }

// judgeConditions ends the waiting for what the operator reports and does not resolve by itself.
func (j *judgement) judgeConditions(p *progress) {
	o := j.object
	if j.updated && j.haltedNode != "" && !j.awaitsUpgrade() {
		p.end("HaltedAtUpgrade", j.unready.Message, j.see())
		if j.isFleet {
			p.evidence = j.haltedNode + " stopped for an upgrade"
		}
	}
	switch j.unready.Reason {
	case "TakeoverNotEnabled", "ChildConflict":
		p.end(j.unready.Reason, j.unready.Message, p.remedy)
	}
	switch reason := j.outdated.Reason; {
	case reason == "InvalidSpec":
		p.end(reason, j.outdated.Message, "correct the spec")
	case reason == "ServiceConflict", reason == "PlanFailed" && o.phase() == "Failed":
		p.end(reason, j.outdated.Message, j.see())
	case reason == "RolledBack", reason == "ImageBehindUpgrade":
		p.end(reason, j.outdated.Message, p.remedy)
	}
	partition := o.Spec.UpdateStrategy.InPlace.Partition
	if j.isFleet && p.word == converged && !j.allow.partition && partition > 0 && o.Status.UpdatedReplicas < o.Spec.Replicas {
		p.end("Partition", fmt.Sprintf(
			"spec.updateStrategy.inPlace.partition is %d, and nodes below it keep their template", partition), "lower it")
	}
	isAllowedHalt := j.allow.halted && j.stalled.Reason == "HaltedAtUpgrade" && p.word == converged
	if j.stalled.Reason != "" && p.word != over && !isAllowedHalt {
		p.end(j.stalled.Reason, j.stalled.Message, j.see())
	}
	if j.atRisk.Reason != "" {
		p.end(j.atRisk.Reason, j.atRisk.Message, j.see())
	}
	if j.stoppedForSnapshot && p.word != over {
		p.word, p.reason, p.evidence = waiting, "StoppedForSnapshot", j.snapshot
	}
}

// judgeNodesThatStop ends the waiting for nodes of a fleet that a user stopped, once no rollout goes on around them.
func (j *judgement) judgeNodesThatStop(p *progress) {
	if p.word != waiting || j.object.Status.Rollout != nil {
		return
	}
	if j.pausedNode != "" {
		p.end("NodePaused", j.pausedNode+" is paused", "kubectl sei resume snode/"+j.pausedNode)
		p.stoppedNode = j.pausedNode
	}
	if j.heldNode != "" {
		p.end("NodeHeld", j.heldNode+" is held", "kubectl sei release snode/"+j.heldNode)
		p.stoppedNode = j.heldNode
	}
}

// judgeSpec ends the waiting for what the spec says of stopping.
func (j *judgement) judgeSpec(p *progress) {
	o := j.object
	path, isPaused, hold, _ := j.specOfNodes()
	if j.isFleet && o.Spec.UpdateStrategy.Paused {
		if j.allow.paused {
			p.stopped(j.isInOrder())
		} else {
			p.end("Paused", "spec.updateStrategy.paused is true: rollouts are paused, nodes keep running",
				"kubectl sei resume "+o.ref())
		}
	}
	if hold != "" && !j.allow.held {
		p.end("Held", fmt.Sprintf("%s.maintenance.hold is %s", path, hold), j.release())
	} else if hold != "" && j.isHeld && p.word != over {
		p.word = converged
	}
	if j.isFleet && isPaused && !j.allow.paused {
		p.end("Paused", path+".paused is true", "unset it")
	}
	if o.Spec.Paused {
		if j.allow.paused {
			p.stopped(j.isPaused)
		} else {
			p.end("Paused", j.stopOfPods(), "kubectl sei resume "+o.ref()+j.orItsFleet())
		}
	}
	if o.Metadata.DeletionTimestamp != "" {
		p.end("Terminating", "it is being deleted", "")
	}
}

// release is the way out of a hold. That of a template is no node's own.
func (j *judgement) release() string {
	if j.isFleet {
		return "unset it"
	}
	return "kubectl sei release " + j.object.ref()
}

// stopped counts a stop that a flag allows, once it is complete.
func (p *progress) stopped(isComplete bool) {
	if p.word == over {
		return
	}
	p.word = waiting
	if isComplete {
		p.word = converged
	}
}

func (j *judgement) stopOfPods() string {
	if j.isFleet {
		return "spec.paused is true, which stops every pod"
	}
	return "spec.paused is true, which stops the pod"
}

func (j *judgement) orItsFleet() string {
	if fleet := j.object.Metadata.Labels[fleetLabel]; fleet != "" {
		return fmt.Sprintf(", or snd/%s if the fleet is paused", fleet)
	}
	return ""
}
