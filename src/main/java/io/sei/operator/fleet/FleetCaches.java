package io.sei.operator.fleet;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.fleet.feature.Revisions;
import io.sei.operator.kube.ListPages;
import io.sei.operator.kube.OwnItems;
import io.sei.operator.kube.Ownership;
import io.sei.operator.kube.RefusedException;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** Watches of what belongs to deployments: nodes, revisions and every {@link OwnedKind}. */
public final class FleetCaches {

  private final EventSourceContext<SeiNodeDeployment> context;
  private final Predicate<HasMetadata> isOwn;
  private final Map<Class<?>, InformerEventSource<?, SeiNodeDeployment>> sources =
      new LinkedHashMap<>();

  /**
   * @param isOwn what this process manages; of other objects nothing is kept
   */
  public FleetCaches(EventSourceContext<SeiNodeDeployment> context, Predicate<HasMetadata> isOwn) {
    this.context = context;
    this.isOwn = isOwn;
    watch(SeiNode.class, Labels.NODE_DEPLOYMENT);
    watch(ControllerRevision.class, Labels.NODE_DEPLOYMENT);
    OwnedKind.ALL.forEach(kind -> watch(kind.type(), kind.selector()));
  }

  private <T extends HasMetadata> void watch(Class<T> type, String selector) {
    sources.put(
        type,
        new InformerEventSource<>(
            OwnItems.kept(
                    InformerEventSourceConfiguration.from(type, SeiNodeDeployment.class)
                        .withName(HasMetadata.getPlural(type))
                        .withLabelSelector(selector)
                        .withInformerListLimit(ListPages.SIZE)
                        .withSecondaryToPrimaryMapper(this::deploymentOf),
                    context,
                    isOwn)
                .build(),
            context));
  }

  private Set<ResourceID> deploymentOf(HasMetadata object) {
    if (!isOwn.test(object)) {
      return Set.of();
    }
    return Labels.of(object, Labels.NODE_DEPLOYMENT)
        .map(fleet -> Set.of(new ResourceID(fleet, object.getMetadata().getNamespace())))
        .orElseGet(Set::of);
  }

  /** The watches, for the framework to run. */
  public List<EventSource<?, SeiNodeDeployment>> eventSources() {
    return List.copyOf(sources.values());
  }

  /** Returns objects with the deployment's label, of any owner. */
  public <T extends HasMetadata> List<T> list(Class<T> type, SeiNodeDeployment deployment) {
    String name = deployment.getMetadata().getName();
    return source(type)
        .list(
            deployment.getMetadata().getNamespace(),
            object -> name.equals(object.getMetadata().getLabels().get(Labels.NODE_DEPLOYMENT)))
        .toList();
  }

  /** The object of a name, if it carries the label of any deployment. */
  public <T extends HasMetadata> Optional<T> get(
      Class<T> type, SeiNodeDeployment deployment, String name) {
    return source(type)
        .get(new ResourceID(name, deployment.getMetadata().getNamespace()))
        .map(RefusedException::ifUnreadable);
  }

  /**
   * The revisions the deployment owns, and those a deployment of its name left behind. Its nodes'
   * StatefulSets leave some with the same labels, but of other names.
   */
  public Revisions revisions(SeiNodeDeployment deployment) {
    return new Revisions(
        list(ControllerRevision.class, deployment).stream()
            .filter(revision -> !(Ownership.of(revision, deployment) instanceof Ownership.Foreign))
            .filter(
                revision ->
                    revision
                        .getMetadata()
                        .getName()
                        .startsWith(Names.revisions(deployment, Revisions.hash(revision))))
            .map(RefusedException::ifUnreadable)
            .toList(),
        context.getClient().getKubernetesSerialization());
  }

  /** Makes an object just written readable at once; {@code before} is empty if it was created. */
  @SuppressWarnings("unchecked")
  public <T extends HasMetadata> void remember(T written, Optional<T> before) {
    OwnItems.remember(source((Class<T>) written.getClass()), written, before);
  }

  @SuppressWarnings("unchecked")
  private <T extends HasMetadata> InformerEventSource<T, SeiNodeDeployment> source(Class<T> type) {
    return (InformerEventSource<T, SeiNodeDeployment>) sources.get(type);
  }
}
