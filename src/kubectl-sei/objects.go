package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

const (
	fleetLabel        = "sei.io/nodedeployment"
	nodeLabel         = "sei.io/node"
	restartAnnotation = "sei.io/restart-requested-at"
	retryAnnotation   = "sei.io/retry"
	appliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration"
	// prefixOfOperator begins the labels that the operator does not set on pods.
	prefixOfOperator = "sei.io/"
)

// metadata has the fields of an object's metadata that this program reads.
type metadata struct {
	Name              string            `json:"name"`
	GenerateName      string            `json:"generateName"`
	Namespace         string            `json:"namespace"`
	UID               string            `json:"uid"`
	Generation        int64             `json:"generation"`
	Labels            map[string]string `json:"labels"`
	Annotations       map[string]string `json:"annotations"`
	CreationTimestamp string            `json:"creationTimestamp"`
	DeletionTimestamp string            `json:"deletionTimestamp"`
}

// object is a SeiNode, a SeiNodeDeployment or a SeiNodeTask, with the fields that this program reads.
type object struct {
	Kind     string   `json:"kind"`
	Metadata metadata `json:"metadata"`
	Spec     spec     `json:"spec"`
	Status   status   `json:"status"`
	// unread is the field that could not be read because its type is another one; empty if every field was.
	unread string
	// raw is the whole object, where it was read by its name.
	raw json.RawMessage
}

type spec struct {
	ChainID        string          `json:"chainId"`
	Image          string          `json:"image"`
	Paused         bool            `json:"paused"`
	UpgradesPaused bool            `json:"upgradesPaused"`
	Maintenance    maintenance     `json:"maintenance"`
	Peers          []peerSource    `json:"peers"`
	Upgrades       []upgradeEntry  `json:"upgrades"`
	Validator      *struct{}       `json:"validator"`
	Replicas       int             `json:"replicas"`
	UpdateStrategy updateStrategy  `json:"updateStrategy"`
	Template       templateOfNodes `json:"template"`
}

type templateOfNodes struct {
	Spec struct {
		ChainID        string      `json:"chainId"`
		Image          string      `json:"image"`
		Paused         bool        `json:"paused"`
		UpgradesPaused bool        `json:"upgradesPaused"`
		Maintenance    maintenance `json:"maintenance"`

		Upgrades []upgradeEntry `json:"upgrades"`
	} `json:"spec"`
}

type maintenance struct {
	Hold string `json:"hold"`
}

type updateStrategy struct {
	Paused  bool `json:"paused"`
	InPlace struct {
		Partition int `json:"partition"`
	} `json:"inPlace"`
}

type peerSource struct {
	Label *struct {
		Namespace string            `json:"namespace"`
		Selector  map[string]string `json:"selector"`
	} `json:"label"`
}

type status struct {
	Phase              string          `json:"phase"`
	ObservedGeneration int64           `json:"observedGeneration"`
	Conditions         []condition     `json:"conditions"`
	CurrentImage       string          `json:"currentImage"`
	Plan               *plan           `json:"plan"`
	PlanHistory        []string        `json:"planHistory"`
	Upgrades           []upgrade       `json:"upgrades"`
	ReadyReplicas      int             `json:"readyReplicas"`
	UpdatedReplicas    int             `json:"updatedReplicas"`
	Updated            string          `json:"updated"`
	Nodes              []nodeOfFleet   `json:"nodes"`
	Rollout            *rollout        `json:"rollout"`
	PausedRollout      *rollout        `json:"pausedRollout"`
	TemplateHash       string          `json:"templateHash"`
	FailedTemplateHash string          `json:"failedTemplateHash"`
	Snapshots          *snapshotStatus `json:"snapshots"`
}

type condition struct {
	Type               string `json:"type"`
	Status             string `json:"status"`
	Reason             string `json:"reason"`
	Message            string `json:"message"`
	ObservedGeneration int64  `json:"observedGeneration"`
	LastTransitionTime string `json:"lastTransitionTime"`
}

func (c condition) isTrue() bool { return c.Status == "True" }

type plan struct {
	Kind      string `json:"kind"`
	Phase     string `json:"phase"`
	StartedAt string `json:"startedAt"`
	Target    *struct {
		Image string `json:"image"`
		Retry string `json:"retry"`
	} `json:"target"`
	Tasks []planTask `json:"tasks"`
}

type planTask struct {
	Type       string `json:"type"`
	Status     string `json:"status"`
	Reason     string `json:"reason"`
	Message    string `json:"message"`
	Error      string `json:"error"`
	RetryCount int    `json:"retryCount"`
}

type upgrade struct {
	Name            string `json:"name"`
	Height          int64  `json:"height"`
	Image           string `json:"image"`
	SupersededImage string `json:"supersededImage"`
	State           string `json:"state"`
	Reached         string `json:"reached"`
	Source          string `json:"source"`

	// Of a node, how it is prepared.
	PulledAt        string                `json:"pulledAt"`
	PullError       string                `json:"pullError"`
	SeidVersion     string                `json:"seidVersion"`
	InspectionError string                `json:"inspectionError"`
	Configuration   *upgradeConfiguration `json:"configuration"`
	ExpectedAt      string                `json:"expectedAt"`
}

type upgradeConfiguration struct {
	State   string `json:"state"`
	Message string `json:"message,omitempty"`
}

type nodeOfFleet struct {
	Name         string `json:"name"`
	Phase        string `json:"phase"`
	Ready        bool   `json:"ready"`
	CurrentImage string `json:"currentImage"`
	Reason       string `json:"reason"`
}

type rollout struct {
	TargetHash    string `json:"targetHash"`
	Configuration string `json:"configuration"`
	StartedAt     string `json:"startedAt"`
	Nodes         []struct {
		Name         string `json:"name"`
		AdmittedAt   string `json:"admittedAt"`
		WasAvailable bool   `json:"wasAvailable"`
	} `json:"nodes"`
}

type snapshotStatus struct {
	NextScheduleTime string `json:"nextScheduleTime"`
}

func (o *object) isFleet() bool { return o.Kind == fleets.kind }

// ref returns an object as the user types it.
func (o *object) ref() string {
	switch o.Kind {
	case fleets.kind:
		return "snd/" + o.Metadata.Name
	case tasks.kind:
		return "snt/" + o.Metadata.Name
	}
	return "snode/" + o.Metadata.Name
}

func (o *object) phase() string { return orElse(o.Status.Phase, "Pending") }

func (o *object) chainID() string {
	if o.isFleet() {
		return o.Spec.Template.Spec.ChainID
	}
	return o.Spec.ChainID
}

// isReconciled reports whether the status is about the newest spec.
func (o *object) isReconciled() bool { return o.Status.ObservedGeneration == o.Metadata.Generation }

// condition returns the condition of a type, whose status is empty where there is none.
func (o *object) condition(conditionType string) condition {
	for _, condition := range o.Status.Conditions {
		if condition.Type == conditionType {
			return condition
		}
	}
	return condition{Type: conditionType}
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// oneLine joins the lines of a message: what a container or a chain wrote must not look like a line of this program.
func oneLine(text string) string { return strings.ReplaceAll(text, "\n", " ") }

// target is an object that the user named, with or without its type.
type target struct {
	kind *resourceType
	name string
}

func (t target) isNamed() bool { return t.name != "" }

// isOf reports whether a target may be an object of a kind.
func (t target) isOf(kind resourceType) bool { return t.kind == nil || *t.kind == kind }

// kinds returns those that the target can be of.
func (t target) kinds() []resourceType {
	if t.kind != nil {
		return []resourceType{*t.kind}
	}
	return []resourceType{fleets, nodes}
}

// read returns the fleet and the node of a name, or the object whose type the user gave.
func (c *cluster) read(t target) ([]*object, error) {
	var found []*object
	for _, kind := range t.kinds() {
		one := &object{}
		err := c.get(kind, c.namespace, t.name, one)
		if isMissing(err) && t.kind == nil {
			continue
		}
		if err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("there is no fleet and no node '%s' in namespace %s", t.name, c.namespace)
	}
	return found, nil
}

// objects returns the fleets and then the nodes of a selection.
func (c *cluster) objects(selection query) ([]*object, error) {
	var found []*object
	for _, kind := range []resourceType{fleets, nodes} {
		some, err := list[*object](c, kind, selection)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	return found, nil
}

// withNodes returns the objects that a target names, and the nodes of the fleets among them. Without a name it
// returns every object of the selection.
func (c *cluster) withNodes(t target, selection query) ([]*object, error) {
	if !t.isNamed() {
		return c.objects(selection)
	}
	found, err := c.read(t)
	if err != nil {
		return nil, err
	}
	for _, one := range found {
		if !one.isFleet() {
			continue
		}
		children, err := list[*object](c, nodes, query{namespace: c.namespace, labels: fleetLabel + "=" + t.name})
		if err != nil {
			return nil, err
		}
		found = append(found, children...)
	}
	return found, nil
}
