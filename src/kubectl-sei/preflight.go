package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func newPreflightCommand(p *plugin) *cobra.Command {
	var crds string
	cmd := answering(&cobra.Command{
		Use:   "preflight",
		Short: "report what a takeover from the Go operator would lose",
		Long: `
Reports what would be lost if this operator took over from the Go operator. Changes nothing. Run it
before you apply the CRDs of this operator. It checks all namespaces for
  - fields of stored nodes and fleets that applying the CRDs would drop
  - variables in the Deployment of the Go operator that this operator does not read
  - a Go operator that still runs, and other kinds of sei.io, which this operator ignores
  - images of nodes and of their upgrades, by what is known of releases of seid
  - nodes that find peers in another namespace, where this operator asks for the label sei.io/peers-from

It needs the right to list SeiNodes, SeiNodeDeployments, Deployments and Leases in all namespaces, and to get pods;
ConfigMaps and Secrets in envFrom are named, not read.

The exit code is 0 if nothing would be lost, 1 if something would be, and 2 if a check failed.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return misused(cmd, "preflight checks all objects and takes no name")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := p.connect(cmd)
			if err != nil {
				return err
			}
			check := preflight{plugin: p, cluster: c, crds: crds}
			if err := check.run(); err != nil {
				return failf(exitUnanswered, "preflight failed: %s", err)
			}
			if check.isLost {
				return exitWith(exitNo)
			}
			fmt.Fprintln(p.Out, "Nothing would be lost.")
			return nil
		},
	})
	cmd.Flags().StringVar(&crds, "crds", "crds/", "the CRDs of this operator: a file, a directory or a `URL`")
	return cmd
}

// preflight compares a cluster of the Go operator with what this operator reads.
type preflight struct {
	plugin  *plugin
	cluster *cluster
	crds    string
	served  []resourceType
	isLost  bool
}

func (f *preflight) printf(format string, values ...any) {
	fmt.Fprintf(f.plugin.Out, format, values...)
}

func (f *preflight) run() error {
	served, err := f.kindsOfGroup()
	if err != nil {
		return fmt.Errorf("cannot list the kinds of sei.io: %w", err)
	}
	f.served = served
	for _, check := range []func() error{f.fields, f.settings, f.lease, f.peers, f.otherKinds, f.releases} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// kindsOfGroup returns the kinds of sei.io that the API server has.
func (f *preflight) kindsOfGroup() ([]resourceType, error) {
	var group struct {
		PreferredVersion struct {
			GroupVersion string `json:"groupVersion"`
		} `json:"preferredVersion"`
	}
	answer, err := f.cluster.raw("/apis/sei.io")
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(answer, &group); err != nil {
		return nil, err
	}
	prefix := "/apis/" + group.PreferredVersion.GroupVersion
	if answer, err = f.cluster.raw(prefix); err != nil {
		return nil, err
	}
	var kinds struct {
		Resources []struct {
			Name string `json:"name"`
			Kind string `json:"kind"`
		} `json:"resources"`
	}
	if err := json.Unmarshal(answer, &kinds); err != nil {
		return nil, err
	}
	var found []resourceType
	for _, kind := range kinds.Resources {
		if !strings.Contains(kind.Name, "/") {
			found = append(found, resourceType{prefix, kind.Name, kind.Kind})
		}
	}
	return found, nil
}

func (f *preflight) serves(kind resourceType) bool { return slices.Contains(f.served, kind) }

// --- Fields -----------------------------------------------------------------------------------------------

// fields lists those of stored objects that the schemas of this operator's CRDs lack.
func (f *preflight) fields() error {
	kinds := slices.DeleteFunc([]resourceType{fleets, nodes, tasks}, func(kind resourceType) bool { return !f.serves(kind) })
	if len(kinds) == 0 {
		return nil
	}
	schemas, err := readSchemas(f.crds)
	if err != nil {
		return fmt.Errorf("cannot read the CRDs of this operator in %s; set --crds=PATH: %w", f.crds, err)
	}
	var dropped []string
	for _, kind := range kinds {
		known, isKnown := schemas[kind.kind]
		if !isKnown {
			return fmt.Errorf("no CRD of kind %s in %s", kind.kind, f.crds)
		}
		err := f.cluster.each(kind, query{}, func(item json.RawMessage) error {
			fields, err := droppedFields(known, kind, item)
			dropped = append(dropped, fields...)
			return err
		})
		if err != nil {
			return fmt.Errorf("cannot list %s: %w", kind.qualified(), err)
		}
	}
	if len(dropped) > 0 {
		f.isLost = true
		f.printf("Applying the CRDs in %s would drop:\n%s", f.crds, strings.Join(dropped, ""))
	}
	return nil
}

// fieldSchema is an OpenAPI schema of a CRD, as far as it decides which fields are kept.
type fieldSchema struct {
	Properties           map[string]*fieldSchema `json:"properties"`
	Items                *fieldSchema            `json:"items"`
	AdditionalProperties *anyOrSchema            `json:"additionalProperties"`
	PreservesUnknown     bool                    `json:"x-kubernetes-preserve-unknown-fields"`
}

// anyOrSchema is additionalProperties, which is a boolean or a schema.
type anyOrSchema struct {
	isAllowed bool
	of        *fieldSchema
}

func (a *anyOrSchema) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &a.isAllowed) == nil {
		return nil
	}
	a.of = &fieldSchema{}
	return json.Unmarshal(text, a.of)
}

// readSchemas returns those of CRDs by kind.
func readSchemas(file string) (map[string]*fieldSchema, error) {
	manifests, err := readManifests(file)
	if err != nil {
		return nil, err
	}
	schemas := map[string]*fieldSchema{}
	for _, manifest := range manifests {
		text, err := manifest.MarshalJSON()
		if err != nil {
			return nil, err
		}
		var crd struct {
			Spec struct {
				Names struct {
					Kind string `json:"kind"`
				} `json:"names"`
				Versions []struct {
					Schema struct {
						OpenAPIV3Schema *fieldSchema `json:"openAPIV3Schema"`
					} `json:"schema"`
				} `json:"versions"`
			} `json:"spec"`
		}
		if err := json.Unmarshal(text, &crd); err != nil {
			return nil, err
		}
		for _, version := range crd.Spec.Versions {
			schemas[crd.Spec.Names.Kind] = version.Schema.OpenAPIV3Schema
		}
	}
	return schemas, nil
}

func droppedFields(known *fieldSchema, kind resourceType, item json.RawMessage) ([]string, error) {
	var object map[string]any
	if err := json.Unmarshal(item, &object); err != nil {
		return nil, err
	}
	of := unstructured.Unstructured{Object: object}
	ref := map[string]string{fleets.kind: "snd/", nodes.kind: "snode/", tasks.kind: "snt/"}[kind.kind] + of.GetName()
	namespace := of.GetNamespace()
	for _, ofEveryKind := range []string{"apiVersion", "kind", "metadata"} {
		delete(object, ofEveryKind)
	}
	var lines []string
	for _, path := range unknownFields(known, object, "") {
		lines = append(lines, fmt.Sprintf("  %s in %s: %s\n", ref, namespace, path))
	}
	return lines, nil
}

// unknownFields returns the paths that a schema lacks, without what is below them. What a schema leaves open is known.
func unknownFields(of *fieldSchema, value any, path string) []string {
	if of == nil || value == nil {
		return nil
	}
	var unknown []string
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			inner := strings.TrimPrefix(path+"."+name, ".")
			field, isKnown := of.field(name)
			switch {
			case isKnown:
				unknown = append(unknown, unknownFields(field, value[name], inner)...)
			case value[name] != nil:
				unknown = append(unknown, inner)
			}
		}
	case []any:
		for i, element := range value {
			unknown = append(unknown, unknownFields(of.Items, element, fmt.Sprintf("%s[%d]", path, i))...)
		}
	}
	return unknown
}

// field returns the schema of a field, nil where anything may be in it.
func (s *fieldSchema) field(name string) (*fieldSchema, bool) {
	if property, isKnown := s.Properties[name]; isKnown {
		return property, true
	}
	if more := s.AdditionalProperties; more != nil && (more.isAllowed || more.of != nil) {
		return more.of, true
	}
	return nil, s.PreservesUnknown
}

// --- Settings ---------------------------------------------------------------------------------------------

// settings lists the variables of a Go operator that this one does not read. Variables that the Go operator requires
// identify it. Those of the downward API are no settings.
func (f *preflight) settings() error {
	found, err := list[deployment](f.cluster, deployments, query{labels: "app.kubernetes.io/part-of!=sei-operator"})
	if err != nil {
		return fmt.Errorf("cannot list Deployments: %w", err)
	}
	var hasAny bool
	for _, d := range found {
		variables := variablesOf(d)
		if !slices.Contains(variables, "SEI_SIDECAR_IMAGE") && !slices.Contains(variables, "SEI_CONTROLLER_CONFIG") {
			continue
		}
		hasAny = true
		unread := slices.DeleteFunc(variables, func(name string) bool { return slices.Contains(facts.Settings, name) })
		if len(unread) > 0 {
			f.isLost = true
			f.printf("This operator does not read these settings of deployment/%s in %s:\n  %s\n",
				d.Metadata.Name, d.Metadata.Namespace, strings.Join(unread, "\n  "))
		}
		if d.Status.Replicas > 0 {
			f.printf("A Go operator runs. Before you start this one: kubectl -n %s scale deployment %s --replicas=0\n",
				d.Metadata.Namespace, d.Metadata.Name)
		}
	}
	if !hasAny {
		f.printf("Found no Deployment of a Go operator, so its settings were not compared.\n")
	}
	return nil
}

// variablesOf returns the names of the variables of a Deployment's containers, and the objects that have more of them.
func variablesOf(d deployment) []string {
	var variables []string
	for _, container := range d.Spec.Template.Spec.Containers {
		for _, from := range container.EnvFrom {
			if from.ConfigMapRef != nil {
				variables = append(variables, "(ConfigMap/"+from.ConfigMapRef.Name+")")
			}
			if from.SecretRef != nil {
				variables = append(variables, "(Secret/"+from.SecretRef.Name+")")
			}
		}
		for _, variable := range container.Env {
			if variable.ValueFrom.FieldRef == nil {
				variables = append(variables, variable.Name)
			}
		}
	}
	return variables
}

// --- Lease ------------------------------------------------------------------------------------------------

// podName is what a Lease of an operator can name; a user who may write Leases in a namespace chooses the words.
var podName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*$`)

// lease finds a Go operator by its Lease, which this operator has too. After a kill it still names the pod.
func (f *preflight) lease() error {
	type holding struct {
		Metadata metadata `json:"metadata"`
		Spec     struct {
			HolderIdentity string `json:"holderIdentity"`
		} `json:"spec"`
	}
	found, err := list[holding](f.cluster, leases, query{fields: "metadata.name=bc1f5b0a.sei.io"})
	if err != nil {
		return fmt.Errorf("cannot list Leases: %w", err)
	}
	if len(found) == 0 {
		return nil
	}
	ours := f.cluster.operators(true)
	for _, lease := range found {
		identity := lease.Spec.HolderIdentity
		if end := strings.LastIndex(identity, "_"); end >= 0 {
			identity = identity[:end]
		}
		if !podName.MatchString(identity) {
			continue
		}
		var holder pod
		err := f.cluster.get(pods, lease.Metadata.Namespace, identity, &holder)
		if isMissing(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("cannot get pods: %w", err)
		}
		if !slices.Contains(ours, operator{lease.Metadata.Namespace, holder.Spec.ServiceAccountName}) {
			f.printf("A Go operator runs: pod/%s in %s holds its Lease. Scale its Deployment to 0 before you start this one.\n",
				identity, lease.Metadata.Namespace)
		}
	}
	return nil
}

// --- Peers ------------------------------------------------------------------------------------------------

// peers matches label sources with the nodes of other namespaces that do not consent.
func (f *preflight) peers() error {
	if !f.serves(nodes) {
		return nil
	}
	found, err := list[*object](f.cluster, nodes, query{})
	if err != nil {
		return fmt.Errorf("cannot list %s: %w", nodes.qualified(), err)
	}
	var lines []string
	for _, seeker := range found {
		for _, source := range seeker.Spec.Peers {
			if source.Label == nil || source.Label.Namespace == "" || source.Label.Namespace == seeker.Metadata.Namespace {
				continue
			}
			for _, node := range found {
				if node.Metadata.Namespace != source.Label.Namespace || !isPeer(seeker, node, source.Label.Selector) {
					continue
				}
				line := fmt.Sprintf("  %s in %s: %s in %s\n", seeker.ref(), seeker.Metadata.Namespace, node.ref(), node.Metadata.Namespace)
				if !slices.Contains(lines, line) {
					lines = append(lines, line)
				}
			}
		}
	}
	if len(lines) > 0 {
		f.isLost = true
		f.printf("Nodes would lose these peers, unless those get the label sei.io/peers-from with the namespace, or All:\n%s",
			strings.Join(lines, ""))
	}
	return nil
}

// isPeer reports whether a selector finds a node of the same chain that has not consented.
func isPeer(seeker, node *object, selector map[string]string) bool {
	consent := node.Metadata.Labels["sei.io/peers-from"]
	if consent == "All" || consent == seeker.Metadata.Namespace || node.Spec.ChainID != seeker.Spec.ChainID {
		return false
	}
	for name, value := range selector {
		has := node.Metadata.Labels[name]
		if name == "sei.io/chain" {
			has = node.Spec.ChainID
		}
		if has != value {
			return false
		}
	}
	return true
}

// --- Other kinds ------------------------------------------------------------------------------------------

func (f *preflight) otherKinds() error {
	for _, kind := range f.served {
		if slices.Contains([]resourceType{fleets, nodes, tasks}, kind) {
			continue
		}
		number := 0
		err := f.cluster.each(kind, query{}, func(json.RawMessage) error {
			number++
			return nil
		})
		if err != nil {
			return fmt.Errorf("cannot list %s: %w", kind.qualified(), err)
		}
		if number > 0 {
			f.printf("This operator ignores the %d %s.\n", number, kind.qualified())
		}
	}
	return nil
}

// --- Releases ---------------------------------------------------------------------------------------------

// releases prints what the list of releases says of the images of nodes, and of the upgrades that they list, once for
// the nodes that it says the same of.
func (f *preflight) releases() error {
	if !f.serves(nodes) {
		return nil
	}
	found, err := list[nodeWithImages](f.cluster, nodes, query{})
	if err != nil {
		return fmt.Errorf("cannot list %s: %w", nodes.qualified(), err)
	}
	known := f.plugin.releases(f.cluster)
	var order []string
	concerned := map[string][]string{}
	for _, node := range found {
		lines := known.advice(node.Spec.Image, node.Spec.Image, node.Spec)
		for _, upgrade := range node.Spec.Upgrades {
			lines = append(lines, known.advice(node.Spec.Image, upgrade.Image, node.Spec)...)
		}
		if len(lines) == 0 {
			continue
		}
		text := "    " + strings.Join(lines, "\n    ") + "\n"
		if concerned[text] == nil {
			order = append(order, text)
		}
		concerned[text] = append(concerned[text], fmt.Sprintf("  snode/%s in %s\n", node.Metadata.Name, node.Metadata.Namespace))
	}
	if len(order) > 0 {
		f.printf("What is known of the releases of seid that nodes run and list:\n")
	}
	for _, text := range order {
		f.printf("%s%s", strings.Join(concerned[text], ""), text)
	}
	return nil
}

type nodeWithImages struct {
	Metadata metadata `json:"metadata"`
	Spec     nodeSpec `json:"spec"`
}
