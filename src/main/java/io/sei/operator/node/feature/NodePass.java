package io.sei.operator.node.feature;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.Reason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StatefulSetRef;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.reconcile.ConditionsDraft;
import io.sei.operator.reconcile.Pass;
import io.sei.operator.render.Names;
import io.sei.operator.sidecar.SidecarAddress;
import io.sei.operator.sidecar.SidecarHealth;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One pass of a node: its view, the findings since, and the draft of its status. */
public final class NodePass extends Pass<SeiNodeStatus> {

  private NodeView view;
  private Optional<StatefulSetRef> tracked = Optional.empty();
  private Optional<String> conflict = Optional.empty();
  private Optional<String> obstacle = Optional.empty();
  private Optional<String> claimRefusal = Optional.empty();
  private final Map<FindingRank, Finding> found = new EnumMap<>(FindingRank.class);
  private final Map<NodeConditionType, ConditionProposal> offers =
      new EnumMap<>(NodeConditionType.class);
  private final Map<Rank, ConditionProposal> ranked = new HashMap<>();
  private final ConditionsDraft conditions;
  private LogAccess logAccess = LogAccess.UNKNOWN;
  private Optional<Long> firstBlock = Optional.empty();
  private Optional<SeidRestartDue> seidRestartDue = Optional.empty();
  private Optional<String> deadlineSuspension = Optional.empty();
  private Optional<Finding> finding = Optional.empty();

  public NodePass(NodeView view) {
    super(view.stored(), view.stored().stalledSince());
    this.view = view;
    this.conditions =
        new ConditionsDraft(
            view.stored().conditions(), node().getMetadata().getGeneration(), view.now());
  }

  @Override
  public Instant now() {
    return view.now();
  }

  @Override
  public TaskPlan plan() {
    return draft().plan();
  }

  /** State that the pass has observed, with the objects that it has written since. */
  public NodeView view() {
    return view;
  }

  /** View with the draft as its stored status, as the next pass will have it; for reports. */
  public NodeView drafted() {
    return view.withStored(draft());
  }

  public SeiNode node() {
    return view.node();
  }

  public String namespace() {
    return node().getMetadata().getNamespace();
  }

  public String name() {
    return node().getMetadata().getName();
  }

  /** Address of the node's sidecar, with the run that it belongs to. */
  public SidecarAddress sidecar() {
    Optional<Pod> pod = view.sidecarPod();
    return new SidecarAddress(
        namespace(),
        name(),
        pod.map(live -> live.getMetadata().getUid()),
        pod.flatMap(PodFacts::address),
        pod.flatMap(live -> PodFacts.containerId(live, Names.SIDECAR)),
        Optional.ofNullable(stored().plan()).map(TaskPlan::id));
  }

  /** Returns whether the active plan asks for another pod than this one. */
  public boolean isStale(Pod pod) {
    return view.statefulSet()
        .map(StatefulSet::getStatus)
        .map(StatefulSetStatus::getUpdateRevision)
        .filter(revision -> view.isStale(pod, revision, stored().plan().target().specHash()))
        .isPresent();
  }

  /** Returns whether the current task of the active plan, if there is one, waits for a reason. */
  public boolean waitsFor(Reason reason) {
    return waitingTask().filter(task -> task.waitsFor(reason)).isPresent();
  }

  /** The current task of the active plan; empty if there is none. */
  public Optional<PlannedTask> waitingTask() {
    return Optional.ofNullable(plan()).filter(TaskPlan::isActive).flatMap(TaskPlan::currentTask);
  }

  /** Reports that the run of seid that is Ready has caught up with its chain, at this height. */
  public void firstBlock(long height) {
    firstBlock = Optional.of(height);
  }

  /** The height at which the run that is Ready has caught up; empty while it is not known to. */
  public Optional<Long> firstBlock() {
    return firstBlock;
  }

  /** Reports that seid has to be restarted in its present pod. */
  public void seidRestartDue(SeidRestartDue due) {
    seidRestartDue = Optional.of(due);
  }

  /** The restart of seid in its present pod that is due; empty if none is. */
  public Optional<SeidRestartDue> seidRestartDue() {
    return seidRestartDue;
  }

  /** Notes why the node does not progress, if the diagnosis found a cause. */
  public void diagnosed(Optional<Finding> cause) {
    finding = cause;
  }

  /** Why the node does not progress; empty before the diagnosis, and without a cause. */
  public Optional<Finding> finding() {
    return finding;
  }

  /** Suspends the progress deadline; the first reason counts. */
  public void suspendDeadline(String why) {
    deadlineSuspension = deadlineSuspension.or(() -> Optional.of(why));
  }

  /** Reason for suspending the progress deadline; empty if the deadline applies. */
  public Optional<String> deadlineSuspension() {
    return deadlineSuspension;
  }

  /** Offers a proposal for a condition of a feature; the last one counts. */
  public void offer(NodeConditionType type, ConditionProposal proposal) {
    offers.put(type, proposal);
  }

  /** Proposals offered in this pass. */
  public Map<NodeConditionType, ConditionProposal> offers() {
    return offers;
  }

  /** Offers a proposal for a condition of the core; at each rank the first one counts. */
  public void offer(Rank rank, ConditionProposal proposal) {
    ranked.putIfAbsent(rank, proposal);
  }

  /** Proposal of a feature at a rank. */
  public Optional<ConditionProposal> offered(Rank rank) {
    return Optional.ofNullable(ranked.get(rank));
  }

  /** Sets the offered conditions; the owner of a condition may still replace it. */
  public void takeOffers() {
    offers.forEach(conditions::offer);
    update(before -> before.withConditions(conditions.conditions()));
  }

  /** Sets a condition of the draft, and what is recorded of it. */
  public void put(NodeConditionType type, ConditionProposal proposal) {
    conditions.put(type, proposal);
    update(
        before ->
            ConditionRecord.of(
                before.withConditions(conditions.conditions()), type, proposal, now()));
  }

  /** The drafted condition of a type, for a message that quotes or repeats it. */
  public Optional<ConditionProposal> draftedCondition(NodeConditionType type) {
    return draft().condition(type).map(ConditionProposal::kept);
  }

  /** Notes the StatefulSet as just read or applied. */
  public void observed(Optional<StatefulSet> latest) {
    view = view.withStatefulSet(latest);
  }

  /** Notes a pod as just written; one that is not the node's own changes nothing. */
  public void observed(Pod written) {
    if (view.pod()
        .filter(pod -> pod.getMetadata().getUid().equals(written.getMetadata().getUid()))
        .isPresent()) {
      view = view.withPod(Optional.of(written));
    }
  }

  /** Notes the node's claim as just written. */
  public void observed(PersistentVolumeClaim written) {
    view = view.claimed(written);
  }

  /** Records a StatefulSet as the node's own. */
  public void track(StatefulSet own) {
    observed(Optional.of(own));
    var reference = new StatefulSetRef(own.getMetadata().getName(), own.getMetadata().getUid());
    tracked = Optional.of(reference);
    update(before -> before.with(next -> next.statefulSet(reference).replacing(null)));
  }

  /** The node's own StatefulSet: the one that this pass has applied, else the recorded one. */
  public Optional<StatefulSetRef> tracked() {
    return tracked.isPresent() ? tracked : Optional.ofNullable(stored().statefulSet());
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

  /** Offers a problem that none of the node's objects shows; at each rank the first one counts. */
  public void offer(FindingRank rank, Finding finding) {
    found.putIfAbsent(rank, finding);
  }

  /** The offered problem with the highest rank; its message names the others. */
  public Optional<Finding> found() {
    if (found.containsKey(FindingRank.AWAITED_INPUT)) {
      return Optional.of(found.get(FindingRank.AWAITED_INPUT));
    }
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

  /** The right to read the log of seid; not known before it was requested. */
  public LogAccess logAccess() {
    return logAccess;
  }

  /** Notes what the sidecar must answer now, as of something that was just done with it. */
  public void sidecarBecame(SidecarHealth health) {
    view = view.withSidecar(Optional.of(health));
  }
}
