package io.sei.operator.node.model;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StatefulSetRef;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.plan.Backoff;
import io.sei.operator.reconcile.Refusals;
import io.sei.operator.reconcile.StatusDraft;
import io.sei.operator.reconcile.Verdict;
import io.sei.operator.sidecar.SidecarAddress;
import io.sei.operator.sidecar.SidecarHealth;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * One reconcile of one node: what was observed, and the status as it comes to be. Nothing of it
 * outlives the reconcile but the status, which is written once, at the end.
 */
public final class NodeReconcile {

  private NodeSnapshot snapshot;
  private SeiNodeStatus status;
  private Optional<StatefulSet> statefulSet;
  private Optional<String> conflict = Optional.empty();
  private Optional<String> obstacle = Optional.empty();
  private Optional<String> claimRefusal = Optional.empty();
  private final Refusals refusals = new Refusals();
  private final Map<NodeConditionType, Verdict> offers = new EnumMap<>(NodeConditionType.class);
  private final StatusDraft draft;
  private Optional<SidecarHealth> sidecarHealth;
  private LogAccess logAccess = LogAccess.UNKNOWN;
  private Optional<Long> caughtUpAt = Optional.empty();
  private Duration recheck;

  public NodeReconcile(NodeSnapshot snapshot) {
    this.snapshot = snapshot;
    this.status = snapshot.status();
    this.statefulSet = snapshot.statefulSet();
    this.sidecarHealth = snapshot.sidecar();
    this.draft =
        new StatusDraft(status.conditions(), node().getMetadata().getGeneration(), snapshot.now());
  }

  /** The same reconcile once its status was written. */
  public NodeReconcile written(SeiNode saved) {
    return new NodeReconcile(snapshot.written(saved, statefulSet, sidecarHealth));
  }

  /** What was observed at the start, with the node's pod as the reconcile has left it. */
  public NodeSnapshot snapshot() {
    return snapshot;
  }

  public SeiNode node() {
    return snapshot.node();
  }

  public String namespace() {
    return node().getMetadata().getNamespace();
  }

  public String name() {
    return node().getMetadata().getName();
  }

  /** Where the node's sidecar is. */
  public SidecarAddress sidecar() {
    Optional<Pod> pod = snapshot.sidecarPod();
    return new SidecarAddress(
        namespace(),
        name(),
        pod.map(it -> it.getMetadata().getUid()),
        pod.flatMap(PodFacts::address));
  }

  /** The status as it stands by now. */
  public SeiNodeStatus status() {
    return status;
  }

  /** Whether the active plan asks for another pod than this one. */
  public boolean isStale(Pod pod) {
    return statefulSet
        .map(StatefulSet::getStatus)
        .map(StatefulSetStatus::getUpdateRevision)
        .filter(revision -> snapshot.isStale(pod, revision, status.plan().target().specHash()))
        .isPresent();
  }

  /** Changes the status to be written. */
  public void update(UnaryOperator<SeiNodeStatus> change) {
    status = change.apply(status);
  }

  /** Reports that the run of seid that is Ready has caught up with its chain, at this height. */
  public void caughtUpAt(long height) {
    caughtUpAt = Optional.of(height);
  }

  /** The height at which the run that is Ready has caught up; empty while it is not known to. */
  public Optional<Long> caughtUpAt() {
    return caughtUpAt;
  }

  /** Offers a verdict, which {@code node.status} makes a condition of; the last one counts. */
  public void offer(NodeConditionType type, Verdict verdict) {
    offers.put(type, verdict);
  }

  /** The verdicts offered in this reconcile. */
  public Map<NodeConditionType, Verdict> offers() {
    return offers;
  }

  /** Sets the conditions that verdicts were offered on, for their owners to overrule. */
  public void takeOffers() {
    offers.forEach(draft::offer);
    update(before -> before.withConditions(draft.conditions()));
  }

  /** Sets a condition of the status to be written. */
  public void put(NodeConditionType type, Verdict verdict) {
    draft.put(type, verdict);
    update(before -> before.withConditions(draft.conditions()));
  }

  /** The StatefulSet with the node's name as last read or applied. */
  public Optional<StatefulSet> statefulSet() {
    return statefulSet;
  }

  /** Notes the StatefulSet as just read or applied. */
  public void observed(Optional<StatefulSet> latest) {
    statefulSet = latest;
  }

  /** Notes a pod as just written; one that is not the node's own changes nothing. */
  public void observed(Pod written) {
    if (snapshot
        .pod()
        .filter(it -> it.getMetadata().getUid().equals(written.getMetadata().getUid()))
        .isPresent()) {
      snapshot = snapshot.withPod(Optional.of(written));
    }
  }

  /** Notes the node's claim as just created. */
  public void observed(PersistentVolumeClaim created) {
    snapshot = snapshot.claimed(created);
  }

  /** Records a StatefulSet as the node's own. */
  public void track(StatefulSet own) {
    statefulSet = Optional.of(own);
    var reference = new StatefulSetRef(own.getMetadata().getName(), own.getMetadata().getUid());
    update(before -> before.with(it -> it.statefulSet(reference).replacing(null)));
  }

  /** Notes that the StatefulSet with the node's name belongs to somebody else. */
  public void conflict(String description) {
    conflict = Optional.of(description);
  }

  /** Notes that another object with one of the node's names belongs to somebody else. */
  public void obstacle(String description) {
    obstacle = Optional.of(description);
  }

  /**
   * Notes that the node's claim has no record of what it has signed.
   *
   * @param why what is wrong with the claim, such as "is gone"
   */
  public void claimRefused(String why) {
    claimRefusal = Optional.of(why);
  }

  /** Why the node's claim has no record of what it has signed; empty if it has. */
  public Optional<String> claimRefusal() {
    return claimRefusal;
  }

  /** What the API server refuses of the node. */
  public Refusals refusals() {
    return refusals;
  }

  /** When to ask again for what is refused: the longer it has been, the later. */
  public Duration refusalRecheck() {
    return Backoff.OF_TASKS.whileStalled(snapshot.status().conditions(), snapshot.now());
  }

  /** The object other than a StatefulSet that is in the node's way, if there is one. */
  public Optional<String> obstacle() {
    return obstacle;
  }

  /** The StatefulSet in the node's way, if there is one. */
  public Optional<String> conflict() {
    return conflict;
  }

  /** Notes whether the log of seid can be read. */
  public void logAccess(LogAccess access) {
    logAccess = access;
  }

  /** Whether the log of seid can be read; not known where nobody asked. */
  public LogAccess logAccess() {
    return logAccess;
  }

  /** Notes what the sidecar must answer now, as of something that was just done with it. */
  public void sidecarBecame(SidecarHealth health) {
    sidecarHealth = Optional.of(health);
  }

  /** What the sidecar of the running pod answers, as far as is known. */
  public Optional<SidecarHealth> sidecarHealth() {
    return sidecarHealth;
  }

  /** Asks for another reconcile after {@code delay} at the latest. */
  public void recheckAfter(Duration delay) {
    if (recheck == null || delay.compareTo(recheck) < 0) {
      recheck = delay;
    }
  }

  /** When to reconcile again if no event comes first. */
  public Optional<Duration> recheck() {
    return Optional.ofNullable(recheck);
  }
}
