package io.sei.operator.node.feature;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Constants;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.health.InformerHealthIndicator;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.TransformingItemStore;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.base.Unreadable;
import io.sei.operator.kube.ListPages;
import io.sei.operator.kube.OwnItems;
import io.sei.operator.kube.ReconcileTrigger;
import io.sei.operator.kube.RefusedException;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Watches of everything a node owns. All of it carries the node's name in a label, which is what is
 * watched by: objects of others never enter memory.
 */
public final class NodeCaches implements PeerNodes {

  /** Index of nodes by the namespaces in which they seek peers. */
  private static final String SEEKERS = "peer-seekers";

  private final Predicate<HasMetadata> isOwn;
  private final ReconcileTrigger<SeiNode> wakes;

  /** Uids of pods for whose deletion the operator awaits the answer. */
  private final Set<String> deleting = ConcurrentHashMap.newKeySet();

  private final PodEnds ends = new PodEnds();

  private final InformerEventSource<StatefulSet, SeiNode> statefulSets;
  private final InformerEventSource<Pod, SeiNode> pods;
  private final InformerEventSource<PersistentVolumeClaim, SeiNode> claims;
  private final InformerEventSource<Service, SeiNode> services;
  private final InformerEventSource<ConfigMap, SeiNode> configMaps;
  private final InformerEventSource<PodDisruptionBudget, SeiNode> budgets;
  private final ImportedClaims importedClaims;
  private final IndexerResourceCache<SeiNode> nodes;

  /**
   * @param isOwn what this process manages; of other nodes only the node and its pods are kept, as
   *     they may be peers
   * @param wakes for what is seen together with what follows at once
   */
  public NodeCaches(
      EventSourceContext<SeiNode> context,
      Predicate<HasMetadata> isOwn,
      ReconcileTrigger<SeiNode> wakes,
      PerObjectState<ResourceID> memory) {
    this.isOwn = isOwn;
    this.wakes = wakes;
    nodes = context.getPrimaryCache();
    nodes.addIndexers(Map.of(SEEKERS, PeerSelection::namespaces));
    statefulSets =
        new InformerEventSource<>(
            kept(StatefulSet.class, context)
                .withOnUpdateFilter((after, before) -> UpdatePredicate.of(before, after))
                .build(),
            context);
    pods =
        new InformerEventSource<>(
            trimmed(configuration(Pod.class), context)
                .withOnAddFilter(this::isAdditionUrgent)
                .withOnUpdateFilter((after, before) -> isRelevant(before, after))
                .withOnDeleteFilter((pod, unknown) -> isEndUrgent(ends.note(pod)))
                .build(),
            context);
    claims =
        new InformerEventSource<>(
            kept(PersistentVolumeClaim.class, context)
                .withOnUpdateFilter((after, before) -> UpdatePredicate.of(before, after))
                .build(),
            context);
    services = watch(Service.class, context);
    configMaps = watch(ConfigMap.class, context);
    budgets = watch(PodDisruptionBudget.class, context);
    importedClaims = new ImportedClaims(context.getClient(), memory);
  }

  private boolean isAdditionUrgent(Pod pod) {
    return Labels.isOfBootstrap(pod) || wakeSoon(pod);
  }

  private boolean isEndUrgent(Pod pod) {
    return !UpdatePredicate.isExpectedEnd(pod) || wakeSoon(pod);
  }

  private boolean isRelevant(Pod before, Pod after) {
    boolean isOurs =
        deleting.contains(after.getMetadata().getUid())
            && UpdatePredicate.isDeletion(before, after);
    return !isOurs && UpdatePredicate.of(before, after);
  }

  /** A pod that goes is followed by the next one, and that one by what a plan waits for. */
  private boolean wakeSoon(Pod pod) {
    nodeOf(pod).forEach(wakes::soon);
    return false;
  }

  private <T extends HasMetadata> InformerEventSource<T, SeiNode> watch(
      Class<T> type, EventSourceContext<SeiNode> context) {
    return new InformerEventSource<>(kept(type, context).build(), context);
  }

  private <T extends HasMetadata> InformerEventSourceConfiguration.Builder<T> kept(
      Class<T> type, EventSourceContext<SeiNode> context) {
    return OwnItems.kept(configuration(type), context, isOwn);
  }

  private <T extends HasMetadata> InformerEventSourceConfiguration.Builder<T> configuration(
      Class<T> type) {
    return InformerEventSourceConfiguration.from(type, SeiNode.class)
        .withName(type.getSimpleName().toLowerCase(Locale.ROOT))
        .withLabelSelector(Labels.NODE)
        .withInformerListLimit(ListPages.SIZE)
        .withSecondaryToPrimaryMapper(this::nodeOf);
  }

  private static InformerEventSourceConfiguration.Builder<Pod> trimmed(
      InformerEventSourceConfiguration.Builder<Pod> pods, EventSourceContext<SeiNode> context) {
    return OwnItems.mayHaveStore(context)
        ? pods.withItemStore(new TransformingItemStore<>(TrimmedPod::of))
        : pods;
  }

  private Set<ResourceID> nodeOf(HasMetadata object) {
    if (!isOwn.test(object)) {
      return Set.of();
    }
    return Labels.of(object, Labels.NODE)
        .map(node -> Set.of(new ResourceID(node, object.getMetadata().getNamespace())))
        .orElseGet(Set::of);
  }

  /** The watches, for the framework to run. */
  public List<EventSource<?, SeiNode>> eventSources() {
    return List.of(
        statefulSets, pods, claims, services, configMaps, budgets, importedClaims, wakes);
  }

  /** Begins to observe a node: what was to wake it is seen now. */
  public void observe(ResourceID node) {
    wakes.seen(node);
  }

  /**
   * Runs a deletion of a pod. Its caller continues with the answer, so that the event that reports
   * the same deletion, before or after, causes no reconcile.
   */
  public <A> A deleting(Pod pod, Supplier<A> deletion) {
    String uid = pod.getMetadata().getUid();
    deleting.add(uid);
    boolean answered = false;
    try {
      A answer = deletion.get();
      answered = true;
      return answer;
    } finally {
      deleting.remove(uid);
      if (!answered) {
        wakeSoon(pod);
      }
    }
  }

  /** Returns whether a pod of a validator, by its uid, went after its kubelet reported its end. */
  public boolean hasReportedEnd(String podUid) {
    return ends.isReported(podUid);
  }

  /** Returns whether changes of a namespace's pods are heard of at this moment. */
  public boolean isWatchingPods(String namespace) {
    return isWatching(pods, namespace);
  }

  /** Returns whether changes of a node's claim are heard of at this moment. */
  public boolean isWatchingClaim(SeiNode node) {
    return Names.importedClaim(node).isPresent()
        ? importedClaims.isWatching(node)
        : isWatching(claims, node.getMetadata().getNamespace());
  }

  private static boolean isWatching(InformerEventSource<?, SeiNode> source, String namespace) {
    Map<String, InformerHealthIndicator> informers = source.informerHealthIndicators();
    InformerHealthIndicator ofAll = informers.get(Constants.WATCH_ALL_NAMESPACES);
    InformerHealthIndicator informer = informers.getOrDefault(namespace, ofAll);
    return informer != null && informer.hasSynced() && informer.isWatching();
  }

  /** The node of that name. */
  public Optional<SeiNode> node(ResourceID node) {
    return nodes.get(node);
  }

  @Override
  public boolean isOwn(SeiNode node) {
    return isOwn.test(node);
  }

  /** Every node there is that could be read, those of other shards included. */
  public Stream<SeiNode> nodes() {
    return nodes.list().filter(node -> !Unreadable.isStub(node));
  }

  @Override
  public Stream<SeiNode> unreadableNodes() {
    return nodes.list().filter(Unreadable::isStub);
  }

  /**
   * Reads nothing; makes sure that every object of a node could be read, so that none of them is
   * taken for missing.
   *
   * @throws RefusedException names one that could not
   */
  public void requireReadable(SeiNode node) {
    Stream<Optional<? extends HasMetadata>> named =
        Stream.of(
            statefulSet(node),
            claim(node),
            budget(node),
            service(node),
            signerService(node),
            proxyConfig(node));
    Stream.concat(named.flatMap(Optional::stream), podsMatching(node, Map.of()).stream())
        .forEach(RefusedException::ifUnreadable);
  }

  @Override
  public Stream<SeiNode> nodes(String namespace) {
    return nodes.byIndex(Cache.NAMESPACE_INDEX, namespace).stream();
  }

  @Override
  public Stream<SeiNode> peerSeekers(String namespace) {
    return nodes.byIndex(SEEKERS, namespace).stream();
  }

  /**
   * Wakes the nodes that have other peers since another node changed: label sources select it that
   * did not before, or no longer do.
   *
   * @param after empty if it is gone
   */
  public void wakeSeekers(SeiNode before, Optional<SeiNode> after) {
    Set<ResourceID> had = seekersOf(before);
    Set<ResourceID> have = after.map(this::seekersOf).orElse(Set.of());
    Stream.concat(
            had.stream().filter(seeker -> !have.contains(seeker)),
            have.stream().filter(seeker -> !had.contains(seeker)))
        .forEach(wakes::soon);
  }

  private Set<ResourceID> seekersOf(SeiNode node) {
    return PeerSelection.seekersOf(node, this::peerSeekers)
        .filter(isOwn)
        .map(ResourceID::fromResource)
        .collect(Collectors.toSet());
  }

  /** A node as the watch has it, with what the framework's copies lack: its managedFields. */
  public Optional<SeiNode> node(SeiNode copy) {
    return nodes.get(ResourceID.fromResource(copy));
  }

  /** The StatefulSet with the node's name. */
  public Optional<StatefulSet> statefulSet(SeiNode node) {
    return statefulSets.get(id(node, Names.statefulSet(node)));
  }

  @Override
  public Optional<Pod> pod(SeiNode node) {
    return anyPod(node).filter(pod -> !Unreadable.isStub(pod));
  }

  private Optional<Pod> anyPod(SeiNode node) {
    return pods.get(id(node, Names.pod(node)));
  }

  /** The pods of the node's bootstrap Job. */
  public List<Pod> bootstrapPods(SeiNode node) {
    return podsMatching(node, Labels.ofBootstrap(node.getMetadata().getName()));
  }

  /** The node's data claim. */
  public Optional<PersistentVolumeClaim> claim(SeiNode node) {
    return claims.get(id(node, Names.claim(node)));
  }

  /** Returns any claim of the node, also an imported one, which {@link #claim} does not know. */
  public Optional<PersistentVolumeClaim> anyClaim(SeiNode node) {
    return Names.importedClaim(node)
        .map(name -> importedClaims.claim(node, name))
        .orElseGet(() -> claim(node));
  }

  /** The PodDisruptionBudget of the node alone. */
  public Optional<PodDisruptionBudget> budget(SeiNode node) {
    return budgets.get(id(node, Names.disruptionBudget(node)));
  }

  /** The Service with the node's name. */
  public Optional<Service> service(SeiNode node) {
    return services.get(id(node, Names.service(node)));
  }

  /** The Service that the node's remote signer dials. */
  public Optional<Service> signerService(SeiNode node) {
    return services.get(id(node, Names.signerService(node)));
  }

  /** The configuration of the node's proxy. */
  public Optional<ConfigMap> proxyConfig(SeiNode node) {
    return configMaps.get(id(node, Names.rbacProxyConfig(node)));
  }

  /** Every pod with the node's label that a selector of labels matches. */
  public List<Pod> podsMatching(SeiNode node, Map<String, String> labels) {
    var ofNode = new TreeMap<String, Pod>();
    pods.getSecondaryResources(node).forEach(pod -> ofNode.put(pod.getMetadata().getName(), pod));
    // What tells the node of a pod is filled from the events of the cache, and so after it.
    anyPod(node).ifPresent(pod -> ofNode.put(pod.getMetadata().getName(), pod));
    return ofNode.values().stream()
        .filter(pod -> pod.getMetadata().getLabels().entrySet().containsAll(labels.entrySet()))
        .toList();
  }

  /**
   * Makes a write of ours readable at once, before its watch event arrives.
   *
   * @param before the object that was written to; empty if it was created
   */
  public <T extends HasMetadata> void remember(T written, Optional<T> before) {
    OwnItems.remember(sourceOf(written), written, before);
  }

  @SuppressWarnings("unchecked")
  private <T extends HasMetadata> InformerEventSource<T, SeiNode> sourceOf(T object) {
    return (InformerEventSource<T, SeiNode>)
        List.of(statefulSets, pods, claims, services, configMaps, budgets).stream()
            .filter(source -> source.resourceType().isInstance(object))
            .findFirst()
            .orElseThrow();
  }

  private static ResourceID id(SeiNode node, String name) {
    return new ResourceID(name, node.getMetadata().getNamespace());
  }
}
