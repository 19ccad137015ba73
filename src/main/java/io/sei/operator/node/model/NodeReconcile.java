package io.sei.operator.node.model;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StatefulSetRef;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.reconcile.Pass;
import io.sei.operator.reconcile.StatusDraft;
import io.sei.operator.reconcile.Verdict;
import io.sei.operator.render.Names;
import io.sei.operator.sidecar.SidecarAddress;
import io.sei.operator.sidecar.SidecarHealth;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One pass of a node: what was observed and found out, and the status that will be written. */
public final class NodeReconcile extends Pass<SeiNodeStatus> {

  private NodeSnapshot snapshot;
  private Optional<String> conflict = Optional.empty();
  private Optional<String> obstacle = Optional.empty();
  private Optional<String> claimRefusal = Optional.empty();
  private final Map<FindingRank, Finding> found = new EnumMap<>(FindingRank.class);
  private final Map<NodeConditionType, Verdict> offers = new EnumMap<>(NodeConditionType.class);
  private final Map<Rank, Verdict> ranked = new HashMap<>();
  private final StatusDraft draft;
  private LogAccess logAccess = LogAccess.UNKNOWN;
  private Optional<Long> caughtUpAt = Optional.empty();

  public NodeReconcile(NodeSnapshot snapshot) {
    super(snapshot.status(), snapshot.status().stalledSince());
    this.snapshot = snapshot;
    this.draft =
        new StatusDraft(
            snapshot.status().conditions(), node().getMetadata().getGeneration(), snapshot.now());
  }

  @Override
  public Instant now() {
    return snapshot.now();
  }

  @Override
  public TaskPlan plan() {
    return status().plan();
  }

  /**
   * What the pass has observed, with the objects it has written since. Its status is the one that
   * the pass began with.
   */
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
        pod.flatMap(PodFacts::address),
        pod.flatMap(it -> PodFacts.containerId(it, Names.SIDECAR)),
        Optional.ofNullable(status().plan()).map(TaskPlan::id));
  }

  /** Whether the active plan asks for another pod than this one. */
  public boolean isStale(Pod pod) {
    return snapshot
        .statefulSet()
        .map(StatefulSet::getStatus)
        .map(StatefulSetStatus::getUpdateRevision)
        .filter(revision -> snapshot.isStale(pod, revision, status().plan().target().specHash()))
        .isPresent();
  }

  /** The reason that the active plan's current task has for waiting; empty if it waits for none. */
  public Optional<String> waitsFor() {
    return Optional.ofNullable(plan())
        .filter(TaskPlan::isActive)
        .flatMap(TaskPlan::currentTask)
        .map(PlannedTask::reason);
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

  /** Offers a verdict on a condition of the core; at each rank the first one counts. */
  public void offer(Rank rank, Verdict verdict) {
    ranked.putIfAbsent(rank, verdict);
  }

  /** The verdict that a feature has offered at a rank. */
  public Optional<Verdict> offered(Rank rank) {
    return Optional.ofNullable(ranked.get(rank));
  }

  /** Sets the conditions that verdicts were offered on, for their owners to overrule. */
  public void takeOffers() {
    offers.forEach(draft::offer);
    update(before -> before.withConditions(draft.conditions()));
  }

  /** Sets a condition of the status to be written, with what is recorded of it. */
  public void put(NodeConditionType type, Verdict verdict) {
    draft.put(type, verdict);
    update(
        before ->
            ConditionRecord.of(before.withConditions(draft.conditions()), type, verdict, now()));
  }

  /** What a condition says as it stands, to be repeated or quoted. Nothing is decided on it. */
  public Optional<Verdict> said(NodeConditionType type) {
    return Conditions.find(status().conditions(), type).map(Verdict::kept);
  }

  /** Notes the StatefulSet as just read or applied. */
  public void observed(Optional<StatefulSet> latest) {
    snapshot = snapshot.withStatefulSet(latest);
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
    observed(Optional.of(own));
    var reference = new StatefulSetRef(own.getMetadata().getName(), own.getMetadata().getUid());
    update(before -> before.with(it -> it.statefulSet(reference).replacing(null)));
  }

  /** Records that the StatefulSet with the node's name has another owner. */
  public void conflict(String description) {
    conflict = Optional.of(description);
  }

  /** Records that another object with one of the node's names has another owner. */
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

  /** Offers a problem that none of the node's objects shows. */
  public void offer(FindingRank rank, Finding finding) {
    found.put(rank, finding);
  }

  /** The offered problem with the highest rank; its message names the others. */
  public Optional<Finding> found() {
    List<Finding> all = List.copyOf(found.values());
    return all.stream().findFirst().map(first -> first.and(all.subList(1, all.size())));
  }

  /** Why the node's claim has no record of what it has signed; empty if it has. */
  public Optional<String> claimRefusal() {
    return claimRefusal;
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

  /** Whether the log of seid can be read; not known before it was requested. */
  public LogAccess logAccess() {
    return logAccess;
  }

  /** Notes what the sidecar must answer now, as of something that was just done with it. */
  public void sidecarBecame(SidecarHealth health) {
    snapshot = snapshot.withSidecar(Optional.of(health));
  }
}
