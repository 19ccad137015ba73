package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

// pageSize is the number of objects in one answer of the API server, so that memory does not grow with the cluster.
const pageSize = "500"

// resourceType is a kind of object by its path.
type resourceType struct {
	prefix string
	plural string
	kind   string
}

var (
	fleets     = resourceType{"/apis/sei.io/v1alpha1", "seinodedeployments", "SeiNodeDeployment"}
	nodes      = resourceType{"/apis/sei.io/v1alpha1", "seinodes", "SeiNode"}
	tasks      = resourceType{"/apis/sei.io/v1alpha1", "seinodetasks", "SeiNodeTask"}
	pods       = resourceType{"/api/v1", "pods", "Pod"}
	claims     = resourceType{"/api/v1", "persistentvolumeclaims", "PersistentVolumeClaim"}
	configMaps = resourceType{"/api/v1", "configmaps", "ConfigMap"}
	volumes    = resourceType{"/api/v1", "persistentvolumes", "PersistentVolume"}
	snapshots  = resourceType{"/apis/snapshot.storage.k8s.io/v1", "volumesnapshots", "VolumeSnapshot"}

	deployments         = resourceType{"/apis/apps/v1", "deployments", "Deployment"}
	revisions           = resourceType{"/apis/apps/v1", "controllerrevisions", "ControllerRevision"}
	leases              = resourceType{"/apis/coordination.k8s.io/v1", "leases", "Lease"}
	clusterRoleBindings = resourceType{"/apis/rbac.authorization.k8s.io/v1", "clusterrolebindings", "ClusterRoleBinding"}
	roleBindings        = resourceType{"/apis/rbac.authorization.k8s.io/v1", "rolebindings", "RoleBinding"}
)

// qualified returns the name by which kubectl and RBAC know a resource.
func (r resourceType) qualified() string {
	group := r.groupVersion().Group
	if group == "" {
		return r.plural
	}
	return r.plural + "." + group
}

func (r resourceType) groupVersion() schema.GroupVersion {
	path := r.prefix[len("/api/"):]
	if r.prefix != "/api/v1" {
		path = r.prefix[len("/apis/"):]
	}
	version, err := schema.ParseGroupVersion(path)
	if err != nil {
		panic(err) // The prefixes are literals of this file, or come from discovery.
	}
	return version
}

// query selects objects of a list. An empty namespace means all.
type query struct {
	namespace string
	labels    string
	fields    string
}

// cluster makes requests to the API server with the user's rights.
type cluster struct {
	ctx    context.Context
	client rest.Interface
	// namespace is that of the command line or of the kubeconfig.
	namespace string
	warnings  io.Writer
	// warned are objects about which a warning was printed.
	warned map[string]bool
}

func newCluster(ctx context.Context, config *rest.Config, namespace string, warnings io.Writer) (*cluster, error) {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	config = rest.CopyConfig(config)
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	config.GroupVersion = &schema.GroupVersion{}
	config.QPS, config.Burst = 50, 100
	config.WarningHandler = rest.NewWarningWriter(warnings, rest.WarningWriterOptions{Deduplicate: true})
	client, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		return nil, err
	}
	return &cluster{ctx: ctx, client: client, namespace: namespace, warnings: warnings, warned: map[string]bool{}}, nil
}

// within returns the same cluster, whose requests end with a context.
func (c *cluster) within(ctx context.Context) *cluster {
	limited := *c
	limited.ctx = ctx
	return &limited
}

func at(request *rest.Request, kind resourceType, namespace string) *rest.Request {
	return request.AbsPath(kind.prefix).NamespaceIfScoped(namespace, namespace != "").Resource(kind.plural)
}

// answerOf returns the body of an answer, or the error in the API server's words, which Raw leaves out.
func answerOf(result rest.Result) ([]byte, error) {
	if err := result.Error(); err != nil {
		return nil, err
	}
	return result.Raw()
}

// answerOfKind is answerOf for a request about a kind. An API server that has the kind describes a missing object by a
// Status; one without the CRD answers a path that it does not know.
func answerOfKind(kind resourceType, result rest.Result) ([]byte, error) {
	answer, err := answerOf(result)
	isOurs := kind.groupVersion().Group == nodes.groupVersion().Group
	if isOurs && isMissing(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse) {
		return nil, fmt.Errorf("the API server has no %s: its CRD is not installed; kubectl apply -f crds/ of the operator's"+
			" release, or check --context and --server", kind.qualified())
	}
	return answer, err
}

// raw returns what the API server answers for a path.
func (c *cluster) raw(path string) ([]byte, error) {
	return answerOf(c.client.Get().AbsPath(path).Do(c.ctx))
}

// get reads one object.
func (c *cluster) get(kind resourceType, namespace, name string, into any) error {
	answer, err := answerOfKind(kind, at(c.client.Get(), kind, namespace).Name(name).Do(c.ctx))
	if err != nil {
		return err
	}
	if o, isOurs := into.(*object); isOurs {
		o.raw = answer
	}
	return c.decode(kind, answer, into)
}

// decode reads the fields of an object. A stored object may have a field of another type than its CRD has now, which
// json leaves out: the others are read, and a warning names that field.
func (c *cluster) decode(kind resourceType, item []byte, into any) error {
	err := json.Unmarshal(item, into)
	var mistyped *json.UnmarshalTypeError
	if !errors.As(err, &mistyped) {
		return err
	}
	var known struct {
		Metadata metadata `json:"metadata"`
	}
	if err := json.Unmarshal(item, &known); err != nil || known.Metadata.Name == "" {
		return fmt.Errorf("an object of %s cannot be read: %w", kind.qualified(), mistyped)
	}
	unread := mistyped.Field + " is a " + mistyped.Value
	switch read := into.(type) {
	case *object:
		read.unread = unread
	case **object:
		(*read).unread = unread
	}
	name := nameOf(kind, known.Metadata.Name)
	if key := known.Metadata.Namespace + " " + name; !c.warned[key] {
		c.warned[key] = true
		fmt.Fprintf(c.warnings, "kubectl-sei: %s in namespace %s is read without a field of another type: %s\n",
			name, known.Metadata.Namespace, oneLine(unread))
	}
	return nil
}

// listPage is a page of a list whose items are decoded by who asked for them.
type listPage struct {
	Metadata metav1.ListMeta   `json:"metadata"`
	Items    []json.RawMessage `json:"items"`
}

// each calls visit with every object of a list, page by page.
func (c *cluster) each(kind resourceType, selection query, visit func(json.RawMessage) error) error {
	for next := ""; ; {
		answer, err := answerOfKind(kind, listRequest(c, kind, selection, next).Do(c.ctx))
		if err != nil {
			return err
		}
		var page listPage
		if err := json.Unmarshal(answer, &page); err != nil {
			return err
		}
		for _, item := range page.Items {
			if err := visit(item); err != nil {
				return err
			}
		}
		if next = page.Metadata.Continue; next == "" {
			return nil
		}
	}
}

func listRequest(c *cluster, kind resourceType, selection query, next string) *rest.Request {
	request := at(c.client.Get(), kind, selection.namespace).Param("limit", pageSize)
	for name, value := range map[string]string{
		"labelSelector": selection.labels, "fieldSelector": selection.fields, "continue": next,
	} {
		if value != "" {
			request = request.Param(name, value)
		}
	}
	return request
}

// list returns the fields T of every object of a list.
func list[T any](c *cluster, kind resourceType, selection query) ([]T, error) {
	var found []T
	err := c.each(kind, selection, func(item json.RawMessage) error {
		var object T
		if err := c.decode(kind, item, &object); err != nil {
			return err
		}
		found = append(found, object)
		return nil
	})
	return found, err
}

// table returns the columns that the API server prints of a list, without the objects.
func (c *cluster) table(kind resourceType, selection query) (*metav1.Table, error) {
	var whole *metav1.Table
	for next := ""; ; {
		answer, err := answerOfKind(kind, listRequest(c, kind, selection, next).
			SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").Do(c.ctx))
		if err != nil {
			return nil, err
		}
		page := &metav1.Table{}
		if err := json.Unmarshal(answer, page); err != nil {
			return nil, err
		}
		for i := range page.Rows {
			if err := keepIdentity(&page.Rows[i]); err != nil {
				return nil, err
			}
		}
		next = page.Continue
		if whole == nil {
			whole = page
		} else {
			whole.Rows = append(whole.Rows, page.Rows...)
		}
		if next == "" {
			return whole, nil
		}
	}
}

// keepIdentity leaves name and namespace of a row's object, which is all that a printer needs.
func keepIdentity(row *metav1.TableRow) error {
	var object metav1.PartialObjectMetadata
	if err := json.Unmarshal(row.Object.Raw, &object); err != nil {
		return err
	}
	row.Object = runtime.RawExtension{Object: &metav1.PartialObjectMetadata{
		TypeMeta:   object.TypeMeta,
		ObjectMeta: metav1.ObjectMeta{Name: object.Name, Namespace: object.Namespace},
	}}
	return nil
}

// write is a change of an object. With dryRun the API server checks it and stores nothing.
type write struct {
	dryRun bool
	// strict has the API server refuse fields that it does not know.
	strict bool
}

func (w write) apply(request *rest.Request) *rest.Request {
	request = request.Param("fieldManager", "kubectl-sei")
	if w.dryRun {
		request = request.Param("dryRun", "All")
	}
	if w.strict {
		request = request.Param("fieldValidation", "Strict")
	}
	return request
}

func (c *cluster) patch(kind resourceType, namespace, name string, how types.PatchType, body []byte, w write) ([]byte, error) {
	return answerOfKind(kind, w.apply(at(c.client.Patch(how), kind, namespace)).Name(name).Body(body).Do(c.ctx))
}

func (c *cluster) create(kind resourceType, namespace string, body []byte, w write) ([]byte, error) {
	return answerOfKind(kind, w.apply(at(c.client.Post(), kind, namespace)).Body(body).
		SetHeader("Content-Type", "application/json").Do(c.ctx))
}

func isMissing(err error) bool { return apierrors.IsNotFound(err) }
