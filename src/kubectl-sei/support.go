package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

func newSupportCommand(p *plugin) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "support [NAME]",
		Short: "write an archive with what a bug report needs",
		Long: `
Writes sei-support-TIME.tar.gz to the current directory: the fleets and nodes of the namespace, or of
this fleet or node, with what they own, their Events and the end of their logs, and the operator with
its log. Secrets are not read. What you have no right to read is left out; the archive says so.
It has overrides, environment variables and annotations as they are, and logs may have addresses of
your hosts: read it before you send it.`,
		Args: optionalName,
		RunE: p.onTarget(func(cmd *cobra.Command, c *cluster, named target) error {
			return p.support(cmd, c, named)
		}),
	}
	p.completesNames(cmd, false, fleets, nodes)
	return cmd
}

const supportWarning = "It has no Secrets. It has overrides, environment variables and annotations as they are, and its" +
	" logs may have addresses of your hosts."

type pod struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		NodeName            string      `json:"nodeName"`
		ServiceAccountName  string      `json:"serviceAccountName"`
		Containers          []container `json:"containers"`
		InitContainers      []container `json:"initContainers"`
		EphemeralContainers []container `json:"ephemeralContainers"`
	} `json:"spec"`
}

// kinds of what nodes and fleets own.
var (
	ofNode = []resourceType{
		nodes,
		{"/apis/apps/v1", "statefulsets", "StatefulSet"},
		pods,
		claims,
		{"/api/v1", "services", "Service"},
		{"/api/v1", "configmaps", "ConfigMap"},
		{"/apis/batch/v1", "jobs", "Job"},
	}
	ofFleet = []resourceType{
		nodes,
		{"/api/v1", "services", "Service"},
		revisions,
		{"/apis/policy/v1", "poddisruptionbudgets", "PodDisruptionBudget"},
	}
	events = resourceType{"/api/v1", "events", "Event"}
)

const (
	nodeLogLines     = 2000
	operatorLogLines = 20000
)

// support collects what a node owns by the label with its name, and what a fleet owns by that with the fleet's.
func (p *plugin) support(cmd *cobra.Command, c *cluster, named target) error {
	if _, err := c.raw("/version"); err != nil && apierrors.ReasonForError(err) == metav1.StatusReasonUnknown {
		return fmt.Errorf("no archive was written: %w", err)
	}
	byNode, byFleet := nodeLabel, fleetLabel
	var only *object
	if named.isNamed() {
		object, err := c.settle(cmd, named)
		if err != nil {
			return err
		}
		only = object
		if byNode, byFleet, err = labelsOf(c, object); err != nil {
			return err
		}
	}
	archive, err := newArchive("sei-support-" + time.Now().UTC().Format("20060102T150405Z"))
	if err != nil {
		return err
	}
	defer archive.Close()
	fmt.Fprintf(p.Out, "Collecting %s.tar.gz. %s\n", archive.name, supportWarning)
	archive.keep("README.txt", func(out io.Writer) error { _, err := fmt.Fprintln(out, supportWarning); return err })
	archive.keep("versions.txt", func(out io.Writer) error {
		fmt.Fprintf(out, "kubectl-sei   %s\n", facts.Version)
		return p.printVersions(out, c)
	})
	archive.keep("resources.yaml", func(out io.Writer) error { return writeResources(out, c, only) })
	archive.keep("members.yaml", func(out io.Writer) error {
		return writeLists(out, c, ofNode, query{namespace: c.namespace, labels: byNode})
	})
	if byFleet != "" {
		archive.keep("fleet.yaml", func(out io.Writer) error {
			return writeLists(out, c, ofFleet, query{namespace: c.namespace, labels: byFleet})
		})
	}
	archive.keep("events.txt", func(out io.Writer) error { return writeEvents(out, c) })
	members, err := list[pod](c, pods, query{namespace: c.namespace, labels: byNode})
	if err != nil {
		archive.keep("pods.log", func(io.Writer) error { return err })
	}
	for _, member := range members {
		archive.keep(member.Metadata.Name+".log", func(out io.Writer) error { return writeLogs(out, c, member, nodeLogLines) })
	}
	p.keepOperators(c, archive)
	if err := archive.Close(); err != nil {
		return err
	}
	fmt.Fprintf(p.Out, "Wrote %s.tar.gz. Read it before you send it.\n", archive.name)
	return nil
}

// labelsOf selects what a fleet, with its nodes, or a node owns.
func labelsOf(c *cluster, o *object) (byNode, byFleet string, err error) {
	if !o.isFleet() {
		return nodeLabel + "=" + o.Metadata.Name, "", nil
	}
	byFleet = fleetLabel + "=" + o.Metadata.Name
	members, err := list[*object](c, nodes, query{namespace: c.namespace, labels: byFleet})
	if err != nil {
		return "", "", err
	}
	var names []string
	for _, node := range members {
		names = append(names, node.Metadata.Name)
	}
	return fmt.Sprintf("%s in (%s)", nodeLabel, strings.Join(names, ",")), byFleet, nil
}

// keepOperators collects each operator, in its own namespace.
func (p *plugin) keepOperators(c *cluster, archive *archive) {
	for _, operator := range c.operators(p.allNamespaces) {
		prefix := "operator-" + operator.namespace + "-"
		found, err := c.deploymentsOf(operator)
		if err != nil {
			archive.keep(prefix+"deployments.txt", func(io.Writer) error { return err })
		}
		for _, deployment := range found {
			name := deployment.Metadata.Name
			archive.keep(prefix+name+".yaml", func(out io.Writer) error {
				return writeObject(out, c, deployments, operator.namespace, name)
			})
		}
		replicas, err := c.podsOf(operator)
		if err != nil {
			archive.keep(prefix+"pods.txt", func(io.Writer) error { return err })
		}
		for _, replica := range replicas {
			name := replica.Metadata.Name
			archive.keep(prefix+name+".yaml", func(out io.Writer) error { return writeObject(out, c, pods, operator.namespace, name) })
			archive.keep(prefix+name+".log", func(out io.Writer) error { return writeLogs(out, c, replica, operatorLogLines) })
		}
	}
}

// --- What files have --------------------------------------------------------------------------------------

func writeResources(out io.Writer, c *cluster, only *object) error {
	if only != nil {
		return writeObject(out, c, kindOf(only), c.namespace, only.Metadata.Name)
	}
	return writeLists(out, c, []resourceType{fleets, nodes}, query{namespace: c.namespace})
}

func writeObject(out io.Writer, c *cluster, kind resourceType, namespace, name string) error {
	var object map[string]any
	if err := c.get(kind, namespace, name, &object); err != nil {
		return err
	}
	return writeYAML(out, kind, object)
}

// writeLists goes on with the next kind where one cannot be read.
func writeLists(out io.Writer, c *cluster, kinds []resourceType, selected query) error {
	var missing []string
	for _, kind := range kinds {
		err := c.each(kind, selected, func(item json.RawMessage) error {
			var object map[string]any
			if err := json.Unmarshal(item, &object); err != nil {
				return err
			}
			return writeYAML(out, kind, object)
		})
		if err != nil {
			missing = append(missing, kind.qualified()+": "+err.Error())
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s", strings.Join(missing, "; "))
	}
	return nil
}

// writeYAML writes one document. Items of a list of a built-in kind do not name their kind.
func writeYAML(out io.Writer, kind resourceType, object map[string]any) error {
	object["kind"], object["apiVersion"] = kind.kind, kind.groupVersion().String()
	if metadata, isMap := object["metadata"].(map[string]any); isMap {
		delete(metadata, "managedFields")
	}
	text, err := yaml.Marshal(object)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "---\n%s", text)
	return err
}

func writeEvents(out io.Writer, c *cluster) error {
	type event struct {
		LastTimestamp  string `json:"lastTimestamp"`
		EventTime      string `json:"eventTime"`
		Type           string `json:"type"`
		Reason         string `json:"reason"`
		Message        string `json:"message"`
		InvolvedObject struct {
			Kind string `json:"kind"`
			Name string `json:"name"`
		} `json:"involvedObject"`
	}
	found, err := list[event](c, events, query{namespace: c.namespace})
	when := func(e event) string { return orElse(e.LastTimestamp, e.EventTime) }
	slices.SortStableFunc(found, func(a, b event) int { return cmp.Compare(when(a), when(b)) })
	for _, e := range found {
		fmt.Fprintf(out, "%s  %-8s %-24s %s/%s  %s\n", when(e), e.Type, e.Reason, e.InvolvedObject.Kind, e.InvolvedObject.Name,
			oneLine(e.Message))
	}
	return err
}

// writeLogs writes the end of the log of each container, with its name before each line.
func writeLogs(out io.Writer, c *cluster, of pod, lines int) error {
	var missing []string
	for _, container := range slices.Concat(of.Spec.InitContainers, of.Spec.Containers, of.Spec.EphemeralContainers) {
		if err := writeLog(out, c, of, container.Name, lines); err != nil {
			missing = append(missing, container.Name+": "+err.Error())
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s", strings.Join(missing, "; "))
	}
	return nil
}

func writeLog(out io.Writer, c *cluster, of pod, container string, lines int) error {
	log, err := at(c.client.Get(), pods, of.Metadata.Namespace).Name(of.Metadata.Name).SubResource("log").
		Param("container", container).Param("timestamps", "true").Param("tailLines", strconv.Itoa(lines)).Stream(c.ctx)
	if err != nil {
		return err
	}
	defer log.Close()
	text := bufio.NewReader(log)
	for {
		line, err := text.ReadString('\n')
		if line != "" {
			fmt.Fprintf(out, "[pod/%s/%s] %s", of.Metadata.Name, container, line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// --- Archive ----------------------------------------------------------------------------------------------

// archive is a tar.gz in the current directory.
type archive struct {
	name   string
	file   *os.File
	packed *gzip.Writer
	tar    *tar.Writer
	failed error
}

// newArchive creates the archive, with a number after the name if another run has taken it in the same second.
func newArchive(base string) (*archive, error) {
	name := base
	file, err := createArchive(name)
	for number := 2; errors.Is(err, fs.ErrExist); number++ {
		name = fmt.Sprintf("%s-%d", base, number)
		file, err = createArchive(name)
	}
	if err != nil {
		return nil, err
	}
	packed := gzip.NewWriter(file)
	return &archive{name: name, file: file, packed: packed, tar: tar.NewWriter(packed)}, nil
}

// createArchive creates a file that did not exist; it may have what is not for everyone on this machine.
func createArchive(name string) (*os.File, error) {
	return os.OpenFile(name+".tar.gz", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// keep adds a file with what is written, and with the reason where that could not be read in full.
func (a *archive) keep(name string, write func(io.Writer) error) {
	var content bytes.Buffer
	if err := write(&content); err != nil {
		fmt.Fprintf(&content, "This could not be read in full: %s\n", err)
	}
	if a.failed != nil {
		return
	}
	a.failed = a.tar.WriteHeader(&tar.Header{
		Name: a.name + "/" + name, Mode: 0o600, Size: int64(content.Len()), ModTime: time.Now(),
	})
	if a.failed == nil {
		_, a.failed = a.tar.Write(content.Bytes())
	}
}

// Close completes the file; it may be called again.
func (a *archive) Close() error {
	if a.file == nil {
		return a.failed
	}
	for _, close := range []func() error{a.tar.Close, a.packed.Close, a.file.Close} {
		if err := close(); err != nil && a.failed == nil {
			a.failed = err
		}
	}
	a.file = nil
	return a.failed
}
