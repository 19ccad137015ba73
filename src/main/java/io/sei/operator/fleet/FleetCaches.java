package io.sei.operator.fleet;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.fleet.model.Revisions;
import io.sei.operator.kube.Ownership;
import io.sei.operator.render.Labels;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Watches of the nodes, revisions and Services of deployments. */
public final class FleetCaches {

  /** Without the headless Services of nodes, which have the deployment's label too. */
  private static final String OWN_SERVICES = Labels.NODE_DEPLOYMENT + ",!" + Labels.NODE;

  private static final long LIST_LIMIT = 500L;

  private final InformerEventSource<SeiNode, SeiNodeDeployment> nodes;
  private final InformerEventSource<ControllerRevision, SeiNodeDeployment> revisions;
  private final InformerEventSource<Service, SeiNodeDeployment> services;
  private final KubernetesSerialization serialization;

  public FleetCaches(EventSourceContext<SeiNodeDeployment> context) {
    serialization = context.getClient().getKubernetesSerialization();
    nodes = watch(SeiNode.class, context, "nodes", Labels.NODE_DEPLOYMENT);
    revisions = watch(ControllerRevision.class, context, "revisions", Labels.NODE_DEPLOYMENT);
    services = watch(Service.class, context, "services", OWN_SERVICES);
  }

  private static <T extends HasMetadata> InformerEventSource<T, SeiNodeDeployment> watch(
      Class<T> type, EventSourceContext<SeiNodeDeployment> context, String name, String selector) {
    return new InformerEventSource<>(
        InformerEventSourceConfiguration.from(type, SeiNodeDeployment.class)
            .withName(name)
            .withLabelSelector(selector)
            .withInformerListLimit(LIST_LIMIT)
            .withSecondaryToPrimaryMapper(FleetCaches::deploymentOf)
            .build(),
        context);
  }

  private static Set<ResourceID> deploymentOf(HasMetadata object) {
    String deployment = object.getMetadata().getLabels().get(Labels.NODE_DEPLOYMENT);
    return Set.of(new ResourceID(deployment, object.getMetadata().getNamespace()));
  }

  /** The watches, for the framework to run. */
  public List<EventSource<?, SeiNodeDeployment>> eventSources() {
    return List.of(nodes, revisions, services);
  }

  /** Nodes that carry the deployment's label, whoever owns them. */
  public List<SeiNode> nodes(SeiNodeDeployment deployment) {
    return nodes
        .list(deployment.getMetadata().getNamespace(), node -> isLabelled(node, deployment))
        .toList();
  }

  /** The node of a name, if it carries the label of any deployment. */
  public Optional<SeiNode> node(SeiNodeDeployment deployment, String name) {
    return nodes.get(new ResourceID(name, deployment.getMetadata().getNamespace()));
  }

  /** The revisions the deployment owns. */
  public Revisions revisions(SeiNodeDeployment deployment) {
    return new Revisions(
        revisions
            .list(
                deployment.getMetadata().getNamespace(),
                revision -> isLabelled(revision, deployment))
            .filter(revision -> Ownership.of(revision, deployment) instanceof Ownership.Ours)
            .toList(),
        serialization);
  }

  /** Services that carry the deployment's label, whoever owns them; none of a node alone. */
  public List<Service> services(SeiNodeDeployment deployment) {
    return services
        .list(deployment.getMetadata().getNamespace(), service -> isLabelled(service, deployment))
        .toList();
  }

  /** The Service of a name, if it carries the label of any deployment. */
  public Optional<Service> service(SeiNodeDeployment deployment, String name) {
    return services.get(new ResourceID(name, deployment.getMetadata().getNamespace()));
  }

  /** Makes a node just written readable at once; {@code before} is empty if it was created. */
  public void remember(SeiNode node, Optional<SeiNode> before) {
    remember(nodes, node, before);
  }

  /** The same for a Service. */
  public void remember(Service service, Optional<Service> before) {
    remember(services, service, before);
  }

  private static <T extends HasMetadata> void remember(
      InformerEventSource<T, SeiNodeDeployment> source, T written, Optional<T> before) {
    ResourceID id = ResourceID.fromResource(written);
    if (before.isPresent()) {
      source.handleRecentResourceUpdate(id, written, before.get());
    } else {
      source.handleRecentResourceCreate(id, written);
    }
  }

  private static boolean isLabelled(HasMetadata object, SeiNodeDeployment deployment) {
    return deployment
        .getMetadata()
        .getName()
        .equals(object.getMetadata().getLabels().get(Labels.NODE_DEPLOYMENT));
  }
}
