package main

import (
	"bufio"
	"context"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// operator is an installation, by the ServiceAccount that the binding of its role names. A tenant can create
// Deployments and pods with any label, but not that binding.
type operator struct {
	namespace string
	account   string
}

const ownBindings = "app.kubernetes.io/part-of=sei-operator,app.kubernetes.io/component=operator"

// accountName is what a namespace or a ServiceAccount can be called.
var accountName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*$`)

type binding struct {
	Subjects []struct {
		Kind      string `json:"kind"`
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
	} `json:"subjects"`
}

// operators finds the installations. Where no ClusterRoleBinding is one of an operator, the RoleBindings of the
// namespace that was asked for count. A user without the right to list these finds none.
func (c *cluster) operators(allNamespaces bool) []operator {
	bindings, err := list[binding](c, clusterRoleBindings, query{labels: ownBindings})
	if (err != nil || len(bindings) == 0) && !allNamespaces {
		bindings, err = list[binding](c, roleBindings, query{namespace: c.namespace, labels: ownBindings})
	}
	if err != nil {
		return nil
	}
	var found []operator
	for _, binding := range bindings {
		for _, subject := range binding.Subjects {
			one := operator{namespace: subject.Namespace, account: subject.Name}
			isAccount := subject.Kind == "ServiceAccount" && accountName.MatchString(one.namespace) && accountName.MatchString(one.account)
			if isAccount && !slices.Contains(found, one) {
				found = append(found, one)
			}
		}
	}
	return found
}

type deployment struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Replicas int `json:"replicas"`
		Template struct {
			Spec struct {
				ServiceAccountName string      `json:"serviceAccountName"`
				Containers         []container `json:"containers"`
			} `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
	Status struct {
		Replicas      int `json:"replicas"`
		ReadyReplicas int `json:"readyReplicas"`
	} `json:"status"`
}

type container struct {
	Name    string `json:"name"`
	Image   string `json:"image"`
	EnvFrom []struct {
		ConfigMapRef *named `json:"configMapRef"`
		SecretRef    *named `json:"secretRef"`
	} `json:"envFrom"`
	Env []struct {
		Name      string `json:"name"`
		Value     string `json:"value"`
		ValueFrom struct {
			FieldRef *struct{} `json:"fieldRef"`
		} `json:"valueFrom"`
	} `json:"env"`
}

type named struct {
	Name string `json:"name"`
}

func (c *cluster) deploymentsOf(of operator) ([]deployment, error) {
	found, err := list[deployment](c, deployments, query{namespace: of.namespace})
	return slices.DeleteFunc(found, func(d deployment) bool {
		return orElse(d.Spec.Template.Spec.ServiceAccountName, "default") != of.account
	}), err
}

func (c *cluster) podsOf(of operator) ([]pod, error) {
	return list[pod](c, pods, query{namespace: of.namespace, fields: "spec.serviceAccountName=" + of.account})
}

// --- Runbooks ---------------------------------------------------------------------------------------------

var (
	plainURL   = regexp.MustCompile(`^https?://[A-Za-z0-9._~:/-]+$`)
	plainPlace = regexp.MustCompile(`^[A-Za-z0-9._~:/@%+=, -]+$`)
)

// runbooks returns where the pages are: SEI_RUNBOOKS, else what the chart of an operator says, else the directory of
// the sources. Nothing but the characters of a path or a URL gets anywhere.
func (p *plugin) runbooks(cmd *cobra.Command, c *cluster) (string, error) {
	if place := os.Getenv("SEI_RUNBOOKS"); place != "" {
		if !plainPlace.MatchString(place) {
			return "", misused(cmd, "SEI_RUNBOOKS must be a directory or a URL, not '%s'", place)
		}
		return place, nil
	}
	for _, operator := range c.operators(p.allNamespaces) {
		found, err := c.deploymentsOf(operator)
		if err != nil {
			continue
		}
		for _, deployment := range found {
			if place := deployment.Metadata.Annotations["sei.io/runbooks"]; plainURL.MatchString(place) {
				return place, nil
			}
		}
	}
	return "docs/runbooks", nil
}

// --- Metrics ----------------------------------------------------------------------------------------------

type metric struct {
	name   string
	labels map[string]string
	value  float64
}

// metrics calls visit with each sample of every replica, since only the leader has those of nodes. It needs the right
// to get pods/proxy, and finds nothing without it.
func (p *plugin) metrics(c *cluster, visit func(metric)) {
	for _, operator := range c.operators(p.allNamespaces) {
		found, err := c.podsOf(operator)
		if err != nil {
			continue
		}
		for _, pod := range found {
			c.metricsOf(pod, visit)
		}
	}
}

// metricsTimeout bounds the reading of one replica, whose machine may be gone.
var metricsTimeout = 5 * time.Second

// metricsOf reads what one replica exports, as far as it answers.
func (c *cluster) metricsOf(replica pod, visit func(metric)) {
	limited, cancel := context.WithTimeout(c.ctx, metricsTimeout)
	defer cancel()
	answer, err := at(c.client.Get(), pods, replica.Metadata.Namespace).
		Name(replica.Metadata.Name + ":8080").SubResource("proxy").Suffix("metrics").Stream(limited)
	if err != nil {
		return
	}
	defer answer.Close()
	readMetrics(answer, visit)
}

// longestSample bounds what is read of a line; the operator writes shorter ones.
const longestSample = 64 * 1024

func readMetrics(text io.Reader, visit func(metric)) {
	lines := bufio.NewScanner(text)
	lines.Buffer(make([]byte, 0, 4096), longestSample)
	for lines.Scan() {
		if sample, isSample := parseMetric(lines.Text()); isSample {
			visit(sample)
		}
	}
}

var (
	sampleLine  = regexp.MustCompile(`^(\w+)\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\} +(\S+)`)
	sampleLabel = regexp.MustCompile(`(\w+)="((?:[^"\\]|\\.)*)"`)
	unescape    = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n")
)

func parseMetric(line string) (metric, bool) {
	parts := sampleLine.FindStringSubmatch(line)
	if parts == nil {
		return metric{}, false
	}
	value, err := strconv.ParseFloat(parts[3], 64)
	if err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
		return metric{}, false
	}
	labels := map[string]string{}
	for _, label := range sampleLabel.FindAllStringSubmatch(parts[2], -1) {
		labels[label[1]] = unescape.Replace(label[2])
	}
	return metric{name: parts[1], labels: labels, value: value}, true
}
