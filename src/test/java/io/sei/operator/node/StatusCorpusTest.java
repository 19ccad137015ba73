package io.sei.operator.node;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SigningKeyHold;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.validation.FieldError;
import io.sei.operator.api.validation.NodeValidation;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.node.feature.EffectiveNode;
import io.sei.operator.node.feature.KeyUsage;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.PeerResolution;
import io.sei.operator.node.feature.ProgressDeadline;
import io.sei.operator.node.signing.KeyHolders;
import io.sei.operator.node.status.NodeEvents;
import io.sei.operator.node.status.NodeStatus;
import io.sei.operator.plan.PlanDecision;
import io.sei.operator.reconcile.Veto;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.SpecHash;
import io.sei.operator.sidecar.SidecarHealth;
import io.sei.operator.testkit.GoldenLines;
import io.sei.operator.testkit.StatusCorpus;
import io.sei.operator.testkit.StatusCorpus.Stored;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every status that an earlier build has stored of a node is understood: nothing of it is lost, and
 * what is decided on it stays what it was. {@code -Dgolden.update=true} writes the decisions again.
 */
public class StatusCorpusTest {

  private static final ProgressDeadline DEADLINE = new ProgressDeadline(Duration.ofMinutes(10));
  private static final String NEWEST = "revision-2";

  /** Reasons for which a task waits, and no condition has. */
  private static final Set<NodeReason> OF_TASKS_ALONE = Set.of(NodeReason.POD_STARTING);

  private static final Set<StallReason> OF_FLEETS_ALONE =
      Set.of(StallReason.CEREMONY_FAILED, StallReason.ROLLED_BACK);

  /** State of a node beside its status. */
  private enum Found {
    NOTHING,
    READY,
    CRASHING_FOR_AN_HOUR
  }

  static List<Stored<SeiNode>> nodes() {
    return StatusCorpus.nodes();
  }

  /** The stored nodes with the statuses that are written of them next. */
  public static Stream<SeiNode> written() {
    return nodes().stream()
        .map(Stored::resource)
        .filter(node -> !node.isMarkedForDeletion())
        .filter(node -> NodeValidation.validate(node.getSpec()).isEmpty())
        .flatMap(
            node ->
                Stream.of(Found.values())
                    .map(found -> with(node, addDecision(node, found, new ArrayList<>()))));
  }

  private static SeiNode with(SeiNode node, SeiNodeStatus status) {
    var written = new SeiNode();
    written.setMetadata(node.getMetadata());
    written.setSpec(node.getSpec());
    written.setStatus(status);
    return written;
  }

  @Test
  void nothingIsLostOfAnyStatus() {
    for (var stored : nodes()) {
      assertThat(StatusCorpus.json(stored.resource().getStatus()))
          .as("line %d", stored.line())
          .isEqualTo(stored.status());
    }
  }

  @Test
  void everyDecisionIsWhatItWas() {
    GoldenLines.check(
        StatusCorpus.decisions("nodes"), nodes().stream().flatMap(StatusCorpusTest::decisions));
  }

  @Test
  void everyConditionAndReasonIsThere() {
    Set<String> missing =
        Stream.of(
                Stream.of(NodeConditionType.values()),
                Stream.of(NodeReason.values()).filter(reason -> !OF_TASKS_ALONE.contains(reason)),
                Stream.of(StallReason.values()).filter(reason -> !OF_FLEETS_ALONE.contains(reason)))
            .flatMap(other -> other)
            .map(Object::toString)
            .collect(Collectors.toSet());
    for (var stored : nodes()) {
      for (Condition condition : stored.resource().getStatus().conditions()) {
        missing.removeAll(List.of(condition.type(), condition.reason()));
      }
    }
    assertThat(missing).isEmpty();
  }

  private static Stream<String> decisions(Stored<SeiNode> stored) {
    var lines = new ArrayList<String>();
    SeiNode node = stored.resource();
    SeiNodeStatus status = NodeView.statusOf(node);
    lines.add("%d: %s".formatted(stored.line(), about(node)));
    StatusCorpus.changes(node.getStatus(), status)
        .forEach(change -> lines.add("  seeded " + change));
    if (node.isMarkedForDeletion()) {
      return lines.stream();
    }
    List<FieldError> errors = NodeValidation.validate(node.getSpec());
    if (!errors.isEmpty()) {
      lines.add("  the spec is invalid");
      addDifference(status, NodeStatus.invalid(node, errors, StatusCorpus.NOW), lines);
      return lines.stream();
    }
    seenByOthers(node).forEach(lines::add);
    for (Found found : Found.values()) {
      addDecision(node, found, lines);
    }
    return lines.stream();
  }

  private static String about(SeiNode node) {
    SeiNodeStatus status = node.getStatus();
    Optional<TaskPlan> plan = Optional.ofNullable(status.plan());
    return "%s, %s%s"
        .formatted(
            status.phase(),
            status.reason(),
            plan.map(
                    taskPlan ->
                        ", plan %s %s%s".formatted(taskPlan.kind(), taskPlan.phase(), at(taskPlan)))
                .orElse(""));
  }

  private static String at(TaskPlan plan) {
    return plan.currentTask().map(PlannedTask::type).map(type -> " at " + type).orElse("");
  }

  /** Returns the decisions of others on the conditions of a node. */
  private static Stream<String> seenByOthers(SeiNode node) {
    return node
        .getSpec()
        .signingKeySecret()
        .map(secret -> "  a younger one finds its key " + keyUse(node, secret))
        .stream();
  }

  /** Whether a younger node, which has claimed the same key, may sign with it. */
  private static String keyUse(SeiNode node, String secret) {
    var younger = new SeiNode();
    younger.setMetadata(
        new ObjectMetaBuilder(node.getMetadata())
            .withName("younger")
            .withUid("younger")
            .withCreationTimestamp(StatusCorpus.NOW.toString())
            .build());
    younger.setSpec(node.getSpec().withPaused(null));
    younger.setStatus(
        SeiNodeStatus.empty()
            .withSigningKey(new SigningKeyHold(secret, StatusCorpus.NOW))
            .withConditions(
                List.of(
                    new Condition(
                        NodeConditionType.SIGNING_KEY_READY.toString(),
                        ConditionStatus.TRUE,
                        1L,
                        StatusCorpus.NOW,
                        NodeReason.SIGNING_KEY_VALIDATED.toString(),
                        ""))));
    Veto veto =
        KeyHolders.decide(
            younger, secret, new KeyUsage(List.of(node, younger), List.of(), List.of()));
    return switch (veto) {
      case Veto.None _ -> "Free";
      case Veto.WriteFirst _ -> "Unclaimed";
      case Veto.Refusal refusal -> KeyHolders.isContended(refusal) ? "Contended" : "InUse";
    };
  }

  private static SeiNodeStatus addDecision(SeiNode node, Found found, List<String> lines) {
    NodeView view = snapshot(node, found);
    var reconcile = new NodePass(view);
    PlanDecision decision =
        new NodePlanner(OfflineNode.ENGINE::knows, OfflineNode.OPERATIONS).decide(view);
    lines.add(
        "  %s: %s, refused writes again after %s"
            .formatted(
                found.name().toLowerCase().replace('_', ' '),
                decided(decision),
                reconcile.refusalRecheck()));
    if (decision instanceof PlanDecision.Start start) {
      TaskPlan plan =
          OfflineNode.PLANS
              .of(start.kind(), view)
              .supersede(
                  view.stored().plan(),
                  OfflineNode.ENGINE::traits,
                  "plan",
                  start.attempt(),
                  view.now());
      reconcile.update(status -> NodeStatus.planned(status, plan));
      lines.add(
          "    tasks: "
              + plan.tasks().stream().map(task -> task.type() + "/" + task.status()).toList());
    }
    NodeStatus.record(reconcile, OfflineNode.CONDITIONS);
    NodeStatus.derive(reconcile, finding(found), DEADLINE, OfflineNode.CONDITIONS);
    SeiNodeStatus after =
        NodeStatus.concluded(
            view.stored(), reconcile.draft(), node.getMetadata().getGeneration(), view.now());
    addDifference(view.stored(), after, lines);
    return after;
  }

  private static String decided(PlanDecision decision) {
    return switch (decision) {
      case PlanDecision.Start start ->
          "start %s, as %s, attempt %d".formatted(start.kind(), start.why(), start.attempt());
      case PlanDecision.Continue _ -> "continue";
      case PlanDecision.Rest _ -> "rest";
      case PlanDecision.BackOff backOff -> "back off for " + backOff.after();
    };
  }

  private static void addDifference(SeiNodeStatus before, SeiNodeStatus after, List<String> lines) {
    List<ObjectEvent> events = NodeEvents.between(before, after, OfflineNode.CONDITIONS);
    lines.add(
        "    %s, %s; events: %s"
            .formatted(
                after.phase(), after.reason(), events.stream().map(ObjectEvent::reason).toList()));
    List<Condition> earlier = Objects.requireNonNullElse(before.conditions(), List.of());
    after.conditions().stream()
        .filter(condition -> !earlier.contains(condition))
        .map(
            condition ->
                "    %s=%s/%s since %s: %s"
                    .formatted(
                        condition.type(),
                        condition.status(),
                        condition.reason(),
                        condition.lastTransitionTime(),
                        condition.message()))
        .forEach(lines::add);
    StatusCorpus.changes(before, after).forEach(change -> lines.add("    " + change));
  }

  private static Optional<Finding> finding(Found found) {
    return found == Found.CRASHING_FOR_AN_HOUR
        ? Optional.of(new Finding(StallReason.CRASH_LOOP, "seid exits with 1", "look", false))
        : Optional.empty();
  }

  private static NodeView snapshot(SeiNode declared, Found found) {
    Instant now =
        found == Found.CRASHING_FOR_AN_HOUR
            ? StatusCorpus.NOW.plus(Duration.ofHours(1))
            : StatusCorpus.NOW;
    EffectiveNode effective =
        EffectiveNode.of(declared, Optional.empty(), Optional.empty(), now, OfflineNode.FEATURES);
    SeiNode node = effective.node();
    SidecarHealth health = found == Found.READY ? SidecarHealth.READY : SidecarHealth.NOT_READY;
    return aNode(node)
        .status(NodeView.statusOf(declared))
        .sidecar(health)
        .peers(PeerResolution.NONE)
        .view()
        .with(
            builder ->
                builder
                    .effective(effective)
                    .stored(NodeView.statusOf(declared))
                    .statefulSet(found == Found.NOTHING ? Optional.empty() : statefulSet(node))
                    .pod(found == Found.NOTHING ? Optional.empty() : pod(node, found))
                    .sidecar(found == Found.NOTHING ? Optional.empty() : Optional.of(health))
                    .now(now));
  }

  private static Optional<StatefulSet> statefulSet(SeiNode node) {
    return tracked(node)
        .map(
            uid ->
                new StatefulSetBuilder()
                    .withNewMetadata()
                    .withName(node.getMetadata().getName())
                    .withUid(uid)
                    .withGeneration(1L)
                    .endMetadata()
                    .withNewStatus()
                    .withObservedGeneration(1L)
                    .withUpdateRevision(NEWEST)
                    .endStatus()
                    .build());
  }

  private static Optional<String> tracked(SeiNode node) {
    return Optional.ofNullable(node.getStatus().statefulSet()).map(ref -> ref.uid());
  }

  /** The pod that is recorded, or that of the spec, of a template that is no longer the newest. */
  private static Optional<Pod> pod(SeiNode node, Found found) {
    if (tracked(node).isEmpty()) {
      return Optional.empty();
    }
    boolean ready = found == Found.READY;
    SeiNodeStatus status = node.getStatus();
    String image = ready ? status.currentImage() : node.getSpec().image();
    Pod pod =
        new PodBuilder(aPod(aNode(image)).build())
            .editMetadata()
            .withName(node.getMetadata().getName() + "-0")
            .addToAnnotations(
                Annotations.SPEC_HASH, ready ? status.podSpecHash() : SpecHash.of(node))
            .addToLabels("controller-revision-hash", ready ? NEWEST : "revision-1")
            .editFirstOwnerReference()
            .withUid(tracked(node).get())
            .endOwnerReference()
            .endMetadata()
            .build();
    return Optional.of(ready ? aPod(pod).ready().build() : pod);
  }
}
