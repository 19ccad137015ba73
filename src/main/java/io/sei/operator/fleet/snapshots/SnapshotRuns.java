package io.sei.operator.fleet.snapshots;

import static io.sei.operator.kube.ApiErrors.isForbidden;
import static io.sei.operator.kube.ApiErrors.isNotFound;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshot;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshotClass;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.FleetDataVolume.Snapshots;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.FleetSnapshots;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Phase;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Run;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeStop;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.base.Unreadable;
import io.sei.operator.fleet.disruption.Disruptions;
import io.sei.operator.fleet.feature.Disruption;
import io.sei.operator.fleet.feature.FleetConditionParts;
import io.sei.operator.fleet.feature.FleetFeature;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.fleet.feature.FleetView.DisruptionSource;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubeApi.Propagation;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.kube.RefusedException;
import io.sei.operator.reconcile.ApiRejections;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.reconcile.Next;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Names;
import io.sei.operator.render.SnapshotRenderer;
import io.sei.operator.render.SnapshotStop;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes snapshots of a fleet's volumes. The API of snapshots need not be there, so nothing of it is
 * watched: it is asked only while a snapshot is due or in progress.
 */
public record SnapshotRuns(KubeApi api) implements FleetFeature, DisruptionSource {

  private static final Logger log = LoggerFactory.getLogger(SnapshotRuns.class);

  /** Interval while an obstacle remains; most of them end with an event of a node. */
  private static final Duration WAITING = Duration.ofMinutes(1);

  /** A class, or the whole API, is installed by hand. */
  private static final Duration UNAVAILABLE = Duration.ofMinutes(5);

  private static final String RETAIN = "Retain";

  @Override
  public Next operations(FleetPass pass) {
    SnapshotStep step =
        pass.decide(SnapshotRuns::decide, decided -> decided instanceof SnapshotStep.Begin);
    return switch (step) {
      case SnapshotStep.Persist persist -> persist(pass, persist.record());
      case SnapshotStep.Rest rest -> rest.until().map(Next::rest).orElseGet(Next::goOn);
      case SnapshotStep.Wait wait -> wait(pass, FleetReason.SNAPSHOT_WAITING, wait.why(), WAITING);
      case SnapshotStep.Begin begin -> begin(pass, begin);
      case SnapshotStep.Advance advance -> advance(pass, advance.run());
    };
  }

  static SnapshotStep decide(FleetView view) {
    return SnapshotPlanner.decide(view, Disruptions.of(view).isMakingProgress(Disruption.ROLLOUT));
  }

  @Override
  public Disruption disruption() {
    return Disruption.SNAPSHOT;
  }

  @Override
  public List<FleetNode> inFlight(FleetView view) {
    return view.fleet().stream().filter(FleetNode::snapshotting).toList();
  }

  @Override
  public void conditions(FleetConditionParts conditions) {
    SnapshotsHealthy.addTo(conditions);
  }

  /** Starts a node that may outlive its fleet, and deletes a snapshot that no fleet waits for. */
  @Override
  public void release(SeiNodeDeployment fleet, List<SeiNode> nodes, ApiRejections rejections) {
    Optional<Run> run = FleetView.statusOf(fleet).runningSnapshot().filter(Run::needsNode);
    run.ifPresent(begun -> rejections.run(() -> release(fleet, nodes, begun)));
  }

  private void release(SeiNodeDeployment fleet, List<SeiNode> nodes, Run run) {
    if (run.creationTime() == null) {
      delete(fleet, run);
    }
    nodes.stream()
        .filter(node -> run.node().equals(node.getMetadata().getName()))
        .forEach(node -> release(node, run));
  }

  private Next begin(FleetPass pass, SnapshotStep.Begin begin) {
    SeiNodeDeployment fleet = pass.deployment();
    String namespace = fleet.getMetadata().getNamespace();
    String className = schedule(fleet).volumeSnapshotClassName();
    String name = begin.begun().active().snapshot();
    try {
      boolean isThere =
          api.list(VolumeSnapshot.class, namespace, SnapshotRenderer.labels(fleet)).stream()
              .anyMatch(snapshot -> snapshot.getMetadata().getName().equals(name));
      Optional<VolumeSnapshotClass> found = isThere ? Optional.empty() : find(className);
      if (isThere) {
        return persist(pass, begin.skipped());
      }
      if (found.isEmpty()) {
        String why =
            "VolumeSnapshotClass %s does not exist; create it, or correct spec.dataVolume.snapshots.volumeSnapshotClassName"
                .formatted(className);
        return wait(pass, FleetReason.SNAPSHOT_CLASS_NOT_FOUND, why, UNAVAILABLE);
      }
      boolean retains = RETAIN.equals(found.get().getDeletionPolicy());
      return persist(pass, begin.begun().withRetainingClass(retains ? className : null));
    } catch (KubernetesClientException e) {
      return switch (e.getCode()) {
        case HttpURLConnection.HTTP_NOT_FOUND ->
            wait(
                pass,
                FleetReason.SNAPSHOT_API_MISSING,
                "the VolumeSnapshot CRDs are not installed; install them and the snapshot"
                    + " controller",
                UNAVAILABLE);
        case HttpURLConnection.HTTP_FORBIDDEN ->
            wait(pass, FleetReason.SNAPSHOT_REFUSED, e.getMessage(), UNAVAILABLE);
        default -> throw e;
      };
    }
  }

  /**
   * The class. Where the operator may read namespaces alone, the class is assumed to exist; if it
   * does not, the snapshot controller reports that.
   */
  private Optional<VolumeSnapshotClass> find(String className) {
    try {
      return api.get(VolumeSnapshotClass.class, className);
    } catch (KubernetesClientException e) {
      if (isForbidden(e)) {
        return Optional.of(new VolumeSnapshotClass());
      }
      throw e;
    }
  }

  private Next advance(FleetPass pass, Run run) {
    FleetView view = pass.view();
    Optional<SeiNode> node = node(view, run);
    FleetSnapshots record = view.snapshots();
    if (run.phase() == Phase.STARTING) {
      start(pass, node, run);
    }
    SnapshotRun.Seen seen = look(view, node, run);
    FleetSnapshots next = SnapshotRun.next(record, seen, view.now());
    if (!next.equals(record)) {
      if (next.latest() != null && !next.latest().equals(record.latest())) {
        retain(pass.deployment());
      }
      return persist(pass, next);
    }
    seen.snapshot()
        .map(ObservedSnapshot::error)
        .ifPresent(why -> pass.note(ConditionProposal.no(FleetReason.SNAPSHOT_IN_PROGRESS, why)));
    try {
      node.ifPresent(stopped -> proceed(pass.deployment(), stopped, run, view.now()));
      return Next.rest(interval(run, view.now()));
    } catch (KubernetesClientException e) {
      if (!(e instanceof RefusedException) && !isNotFound(e)) {
        throw e;
      }
      Run failed =
          run.phase() == Phase.TAKING
              ? SnapshotRun.failedByDriver(run, e.getMessage(), view.now())
              : SnapshotRun.failed(run, e.getMessage(), view.now());
      return persist(pass, record.withActive(failed));
    }
  }

  private void proceed(SeiNodeDeployment fleet, SeiNode node, Run run, Instant now) {
    if (run.phase() == Phase.STOPPING && !isStopped(node, run, now)) {
      annotate(node, run.deadline().toString(), run.snapshot());
    } else if (run.phase() == Phase.TAKING && find(fleet, run).isEmpty()) {
      String namespace = fleet.getMetadata().getNamespace();
      // By what is live: another replica may lead by now, and have started the node again.
      api.get(SeiNode.class, namespace, run.node())
          .filter(child -> isStopped(child, run, now) && !Unreadable.isStub(child))
          .ifPresent(
              seiNode ->
                  api.create(
                      SnapshotRenderer.render(
                          fleet, seiNode, run, schedule(fleet).volumeSnapshotClassName())));
    }
  }

  /** The node first; what the API server refuses of one keeps it from nothing else. */
  private void start(FleetPass pass, Optional<SeiNode> node, Run run) {
    node.ifPresent(seiNode -> pass.refusals().run(() -> release(seiNode, run)));
    if (run.error() != null) {
      pass.refusals().run(() -> delete(pass.deployment(), run));
    }
  }

  private SnapshotRun.Seen look(FleetView view, Optional<SeiNode> node, Run run) {
    boolean stopped = node.filter(candidate -> isStopped(candidate, run, view.now())).isPresent();
    boolean podGone =
        stopped
            && (run.phase() == Phase.TAKING
                || run.phase() == Phase.STOPPING && hasStopped(node.get()))
            && api.get(Pod.class, namespace(node.get()), Names.pod(node.get())).isEmpty();
    Optional<ObservedSnapshot> found =
        run.phase() == Phase.STOPPING
            ? Optional.empty()
            : find(view.deployment(), run).map(snapshot -> observed(view.deployment(), snapshot));
    return new SnapshotRun.Seen(
        view.deployment().getSpec().snapshotSchedule().isPresent(),
        node.isPresent(),
        stopped,
        podGone,
        !stopped && node.filter(child -> isBack(view, child)).isPresent(),
        node.map(SeiNode::getStatus).map(SeiNodeStatus::stopped).map(NodeStop::height).orElse(null),
        found);
  }

  private static boolean isBack(FleetView view, SeiNode child) {
    return view.fleet().stream()
        .filter(member -> member.name().equals(child.getMetadata().getName()))
        .anyMatch(member -> isBack(member, child));
  }

  /** The pod of a node may be Ready, from before its stop, until the node records its start. */
  static boolean isBack(FleetNode node, SeiNode child) {
    boolean isReadyAgain = node.isReady() && child.getStatus().stopped() == null;
    return isReadyAgain || node.pausedOrHeld() || node.stall() != null;
  }

  private static Optional<SeiNode> node(FleetView snapshot, Run run) {
    return snapshot
        .wanted()
        .map(FleetView.Child::node)
        .filter(node -> node.getMetadata().getName().equals(run.node()))
        .filter(node -> !node.isMarkedForDeletion())
        .findFirst();
  }

  private static boolean isStopped(SeiNode node, Run run, Instant now) {
    return SnapshotStop.of(node, now)
        .equals(Optional.of(new SnapshotStop(run.snapshot(), run.deadline())));
  }

  /**
   * Returns whether no controller creates a pod any more: the StatefulSet controller has observed
   * zero replicas.
   */
  private boolean hasStopped(SeiNode node) {
    boolean saysSo =
        FleetNode.says(node, NodeConditionType.PAUSED).filter(Condition::isTrue).isPresent();
    return saysSo
        && api.get(StatefulSet.class, namespace(node), Names.statefulSet(node))
            .filter(statefulSet -> statefulSet.getSpec().getReplicas() == 0)
            .filter(
                statefulSet ->
                    statefulSet
                        .getMetadata()
                        .getGeneration()
                        .equals(statefulSet.getStatus().getObservedGeneration()))
            .isPresent();
  }

  private static String namespace(SeiNode node) {
    return node.getMetadata().getNamespace();
  }

  private void release(SeiNode node, Run run) {
    if (Annotations.has(node, Annotations.STOPPED_FOR, run.snapshot())) {
      annotate(node, null, null);
    }
  }

  /** A node that cannot be read stays as it is, and starts again by itself at its deadline. */
  private void annotate(SeiNode node, String until, String snapshot) {
    if (Unreadable.isStub(node)) {
      return;
    }
    Map<String, String> annotations = new HashMap<>();
    annotations.put(Annotations.STOPPED_UNTIL, until);
    annotations.put(Annotations.STOPPED_FOR, snapshot);
    api.mergePatch(node, MetadataPatch.annotations(node, annotations));
  }

  private void delete(SeiNodeDeployment fleet, Run run) {
    find(fleet, run)
        .filter(snapshot -> observed(fleet, snapshot).ours() && !snapshot.isMarkedForDeletion())
        .ifPresent(snapshot -> api.delete(snapshot, Propagation.BACKGROUND, false));
  }

  /** Deletes what is surplus, but nothing that a volume is being made from. */
  private void retain(SeiNodeDeployment fleet) {
    String namespace = fleet.getMetadata().getNamespace();
    try {
      List<VolumeSnapshot> surplus =
          SnapshotRetention.surplus(
              api.list(VolumeSnapshot.class, namespace, SnapshotRenderer.labels(fleet)),
              schedule(fleet).kept());
      if (!surplus.isEmpty()) {
        Set<String> needed =
            SnapshotRetention.needed(api.list(PersistentVolumeClaim.class, namespace));
        surplus.stream()
            .filter(snapshot -> !needed.contains(snapshot.getMetadata().getName()))
            .forEach(snapshot -> api.delete(snapshot, Propagation.BACKGROUND, false));
      }
    } catch (RefusedException e) {
      log.warn("Cannot delete old snapshots: {}", e.getMessage());
    }
  }

  private Optional<VolumeSnapshot> find(SeiNodeDeployment fleet, Run run) {
    return api.get(VolumeSnapshot.class, fleet.getMetadata().getNamespace(), run.snapshot());
  }

  private static ObservedSnapshot observed(SeiNodeDeployment fleet, VolumeSnapshot snapshot) {
    return ObservedSnapshot.of(snapshot, SnapshotRenderer.labels(fleet));
  }

  private static Snapshots schedule(SeiNodeDeployment fleet) {
    return fleet.getSpec().snapshotSchedule().orElseThrow();
  }

  /** Most storage takes seconds; a node that is stopped for longer is asked after less often. */
  private static Duration interval(Run run, Instant now) {
    boolean early = now.isBefore(run.stoppedAt().plus(Duration.ofMinutes(1)));
    return switch (run.phase()) {
      case STOPPING, TAKING -> Duration.ofSeconds(early ? 1 : 5);
      case STARTING -> Duration.ofSeconds(10);
      case FINISHING -> Duration.ofMinutes(1);
    };
  }

  private static Next persist(FleetPass pass, FleetSnapshots record) {
    pass.update(status -> status.withSnapshots(record));
    return Next.writeFirst("snapshots");
  }

  private static Next wait(FleetPass pass, FleetReason reason, String why, Duration recheck) {
    pass.note(ConditionProposal.no(reason, why));
    return Next.rest(recheck);
  }
}
