package main

import (
	"fmt"
	"slices"
	"strings"
)

var machines = resourceType{"/api/v1", "nodes", "Node"}

// nodeLost is the reason of a node whose machine is gone or silent.
const nodeLost = "NodeLost"

// machine is a Kubernetes node.
type machine struct {
	Metadata metadata `json:"metadata"`
	Status   struct {
		Conditions []condition `json:"conditions"`
	} `json:"status"`
}

// losses are the machines that were lost with nodes on them, by name.
type losses map[string]*loss

// loss is one machine, and the nodes whose pods are bound to it.
type loss struct {
	machine string
	// state says what the API server has of the machine.
	state machineState
	// since is when the machine fell silent, or when the first of its nodes did where it cannot be read.
	since string
	nodes []*object
}

type machineState int

const (
	machineReports machineState = iota
	machineSilent
	machineGone
	// machineUnreadable is that of a user who has no right to read it.
	machineUnreadable
)

// isLost reports whether a node is not Ready for the loss of the machine under its pod. One whose last pod may live on
// a lost machine has another pod by now.
func (o *object) isLost() bool {
	if o.isFleet() || o.condition("Ready").Reason != nodeLost && o.condition("Stalled").Reason != nodeLost {
		return false
	}
	return !o.awaitsLastPod()
}

// awaitsLastPod reports whether seid must not start before the end of an earlier pod is certain.
func (o *object) awaitsLastPod() bool {
	const reason = "SigningUncertain"
	if o.condition("SigningKeyReady").Reason == reason {
		return true
	}
	return o.Status.Plan != nil && slices.ContainsFunc(o.Status.Plan.Tasks, func(task planTask) bool { return task.Reason == reason })
}

// lossesOf finds the machines that were lost with the nodes among some objects. It reads pods and machines only if there
// is such a node; a node whose pod cannot be read is on no machine.
func (c *cluster) lossesOf(found []*object) losses {
	lost := map[nodeKey]*object{}
	var namespaces []string
	for _, o := range found {
		if o.isLost() {
			lost[nodeKey{o.Metadata.Namespace, o.Metadata.Name}] = o
			namespaces = append(namespaces, o.Metadata.Namespace)
		}
	}
	slices.Sort(namespaces)
	known := losses{}
	for _, namespace := range slices.Compact(namespaces) {
		inNamespace, err := list[pod](c, pods, query{namespace: namespace, labels: nodeLabel})
		if err != nil {
			continue
		}
		for _, pod := range inNamespace {
			name := strings.TrimSuffix(pod.Metadata.Name, "-0")
			node := lost[nodeKey{namespace, name}]
			if node != nil && pod.Spec.NodeName != "" {
				known.add(c, pod.Spec.NodeName, node)
			}
		}
	}
	return known
}

func (l losses) add(c *cluster, machine string, node *object) {
	one := l[machine]
	if one == nil {
		one = c.lossOf(machine)
		l[machine] = one
	}
	one.nodes = append(one.nodes, node)
	if silent := node.condition("Ready").LastTransitionTime; one.state != machineSilent && (one.since == "" || silent < one.since) {
		one.since = silent
	}
}

func (c *cluster) lossOf(name string) *loss {
	var read machine
	switch err := c.get(machines, "", name, &read); {
	case isMissing(err):
		return &loss{machine: name, state: machineGone}
	case err != nil:
		return &loss{machine: name, state: machineUnreadable}
	}
	for _, c := range read.Status.Conditions {
		if c.Type == "Ready" && c.isTrue() {
			return &loss{machine: name, state: machineReports}
		}
		if c.Type == "Ready" {
			return &loss{machine: name, state: machineSilent, since: c.LastTransitionTime}
		}
	}
	return &loss{machine: name, state: machineSilent, since: read.Metadata.CreationTimestamp}
}

// of returns the loss of the machine under a node; nil for none.
func (l losses) of(node *object) *loss {
	for _, one := range l {
		if one.state != machineReports && slices.Contains(one.nodes, node) {
			return one
		}
	}
	return nil
}

// message says what was lost and what to do about it.
func (l *loss) message() string {
	text := fmt.Sprintf("machine %s is lost since %s: %s; seid may still run%s there; ", l.machine, l.since, l.extent(), l.signs())
	switch l.state {
	case machineGone:
		return text + "its Node is gone, so the pods are deleted within minutes"
	case machineUnreadable:
		return text + "ask an administrator whether it is off"
	}
	return text + "bring it back or, once it is certainly off: kubectl taint node " + l.machine +
		" node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"
}

// extent counts the nodes, and the fleets of those that have one.
func (l *loss) extent() string {
	fleetsOf, alone := map[nodeKey]bool{}, 0
	for _, node := range l.nodes {
		if fleet := node.Metadata.Labels[fleetLabel]; fleet != "" {
			fleetsOf[nodeKey{node.Metadata.Namespace, fleet}] = true
		} else {
			alone++
		}
	}
	text := counted(len(l.nodes), "node")
	switch {
	case len(fleetsOf) == 0:
		return text
	case alone == 0:
		return text + " of " + counted(len(fleetsOf), "fleet")
	}
	return fmt.Sprintf("%s, %d of %s", text, len(l.nodes)-alone, counted(len(fleetsOf), "fleet"))
}

func counted(count int, noun string) string {
	if count != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", count, noun)
}

func (l *loss) signs() string {
	if slices.ContainsFunc(l.nodes, func(node *object) bool { return node.Spec.Validator != nil }) {
		return " and sign"
	}
	return ""
}
