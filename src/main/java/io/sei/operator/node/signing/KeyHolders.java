package io.sei.operator.node.signing;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SigningKeyHold;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.base.Recheck;
import io.sei.operator.base.Unreadable;
import io.sei.operator.node.feature.KeyUsage;
import io.sei.operator.reconcile.Veto;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Decides which of the nodes of a namespace may sign with a key. Two that do at once are punished
 * by the chain forever, so this must hold whatever happens between reading and acting:
 *
 * <p>A node first writes to its status that it claims the key ({@code status.signingKey}), and only
 * then reads what others do. Of two nodes at least one sees the other's claim, and a node that sees
 * one does not start. The younger withdraws, the older waits until it has.
 */
public final class KeyHolders {

  /** Reasons for which a plan waits while its node still wants the key as soon as it can. */
  private static final Set<NodeReason> WAITS_FOR_KEY =
      Set.of(NodeReason.IN_USE, NodeReason.SIGNING_KEY_NOT_READY, NodeReason.SIGNING_KEY_INVALID);

  private static final Comparator<SeiNode> BY_AGE =
      Comparator.comparing((SeiNode node) -> node.getMetadata().getCreationTimestamp())
          .thenComparing(node -> node.getMetadata().getName());

  private KeyHolders() {}

  /** Decides whether {@code self} may start a pod with the key in the Secret of that name. */
  public static Veto decide(SeiNode self, String secret, KeyUsage seen) {
    List<SeiNode> rivals =
        seen.others(self).stream().filter(node -> wants(node, secret)).sorted(BY_AGE).toList();
    Optional<String> inUse = holder(self, secret, seen).or(() -> elder(self, rivals));
    if (inUse.isPresent()) {
      String message = "Secret " + secret + " is used by " + inUse.get();
      return Veto.of(NodeReason.IN_USE, message, Recheck.UNWATCHED);
    }
    if (!hasClaimed(self, secret, seen)) {
      // Other nodes do not know yet that this one wants the key.
      return Veto.writeFirst();
    }
    Optional<SeiNode> contender = rivals.stream().filter(KeyHolders::hasClaim).findFirst();
    if (contender.isPresent()) {
      String message = "Secret " + secret + " is claimed by " + name(contender.get());
      return Veto.of(NodeReason.IN_USE, message, Recheck.RACE);
    }
    return Veto.none();
  }

  /** Returns whether the other node gives way within moments, so that this one keeps its claim. */
  public static boolean isContended(Veto.Refusal refusal) {
    return refusal.recheck().equals(Recheck.RACE);
  }

  /** Returns whether a StatefulSet has pods, or will have, that use the Secret of that name. */
  static boolean holds(StatefulSet statefulSet, String secret) {
    if (Unreadable.isStub(statefulSet)) {
      return true;
    }
    Integer replicas = statefulSet.getSpec().getReplicas();
    // One that is being deleted makes no more pods; those it made are seen by themselves.
    return !statefulSet.isMarkedForDeletion()
        && (replicas == null || replicas > 0)
        && mounts(statefulSet.getSpec().getTemplate().getSpec(), secret);
  }

  /** Whose pod has the key, or will have it. */
  private static Optional<String> holder(SeiNode self, String secret, KeyUsage seen) {
    Stream<Pod> pods =
        seen.livePods().stream()
            .filter(pod -> Unreadable.isStub(pod) || mounts(pod.getSpec(), secret))
            .filter(pod -> !isOf(self, pod, Names.pod(self)));
    Stream<StatefulSet> statefulSets =
        seen.statefulSets().stream()
            .filter(statefulSet -> holds(statefulSet, secret))
            .filter(statefulSet -> !isOf(self, statefulSet, Names.statefulSet(self)));
    return Stream.<HasMetadata>concat(pods, statefulSets)
        .map(KeyHolders::describe)
        .sorted()
        .findFirst();
  }

  /** A node that goes first: an older one with a claim, or on its way to one. */
  private static Optional<String> elder(SeiNode self, List<SeiNode> rivals) {
    return rivals.stream()
        .filter(node -> BY_AGE.compare(node, self) < 0)
        .filter(node -> hasClaim(node) || isStarting(node))
        .findFirst()
        .map(node -> name(node) + ", which is older and takes precedence");
  }

  /** A node that cannot be read wants the key that it claims, or any. */
  private static boolean wants(SeiNode node, String secret) {
    if (Unreadable.isStub(node)) {
      SigningKeyHold claim = status(node).signingKey();
      return claim == null || secret.equals(claim.secret());
    }
    return node.getSpec() != null
        && node.getSpec().signingKeySecret().filter(secret::equals).isPresent();
  }

  /** Whether others see the claim of a node, as it was just read. */
  private static boolean hasClaimed(SeiNode self, String secret, KeyUsage seen) {
    String uid = self.getMetadata().getUid();
    return seen.nodes().stream()
        .filter(node -> uid.equals(node.getMetadata().getUid()))
        .anyMatch(node -> hasClaim(node) && claims(node, secret));
  }

  private static boolean claims(SeiNode node, String secret) {
    SigningKeyHold claim = status(node).signingKey();
    return claim != null && secret.equals(claim.secret());
  }

  /**
   * Whether a node's claim counts. It does not where the node has said itself that it no longer
   * starts pods; what it started before is seen by itself.
   */
  private static boolean hasClaim(SeiNode node) {
    if (!Unreadable.of(node).isOfSpecOnly()) {
      return true;
    }
    SeiNodeStatus status = status(node);
    boolean gaveUp = status.phase() == NodePhase.FAILED && status.statefulSet() == null;
    return status.signingKey() != null
        && !isStopped(node)
        && !gaveUp
        && status.phase() != NodePhase.TERMINATING;
  }

  /** Whether a node is about to claim its key, as far as nothing else keeps it from that. */
  private static boolean isStarting(SeiNode node) {
    if (isPaused(node) || node.isMarkedForDeletion()) {
      return false;
    }
    TaskPlan plan = status(node).plan();
    if (plan == null) {
      return status(node).phase() == null;
    }
    Optional<PlannedTask> task = plan.currentTask().filter(PlannedTask::hasReason);
    return plan.isActive()
        && (task.isEmpty() || WAITS_FOR_KEY.stream().anyMatch(task.get()::waitsFor));
  }

  /** Said of this very spec: one that was resumed and paused again may have run in between. */
  private static boolean isStopped(SeiNode node) {
    return isPaused(node)
        && status(node)
            .condition(NodeConditionType.PAUSED)
            .filter(Condition::isTrue)
            .map(Condition::observedGeneration)
            .filter(node.getMetadata().getGeneration()::equals)
            .isPresent();
  }

  private static boolean isPaused(SeiNode node) {
    return node.getSpec() != null && Boolean.TRUE.equals(node.getSpec().paused());
  }

  private static SeiNodeStatus status(SeiNode node) {
    return node.getStatus() == null ? SeiNodeStatus.empty() : node.getStatus();
  }

  private static boolean isOf(SeiNode self, HasMetadata object, String name) {
    return object.getMetadata().getName().equals(name)
        || Labels.isOfNode(object, self.getMetadata().getName());
  }

  private static boolean mounts(PodSpec pod, String secret) {
    return pod != null && pod.getVolumes().stream().anyMatch(volume -> isFrom(volume, secret));
  }

  private static boolean isFrom(Volume volume, String secret) {
    boolean direct =
        volume.getSecret() != null && secret.equals(volume.getSecret().getSecretName());
    boolean projected =
        volume.getProjected() != null
            && volume.getProjected().getSources().stream()
                .anyMatch(
                    source ->
                        source.getSecret() != null && secret.equals(source.getSecret().getName()));
    return direct || projected;
  }

  private static String describe(HasMetadata object) {
    String unknown = Unreadable.isStub(object) ? ", which cannot be read" : "";
    String what = object.getKind() + " " + object.getMetadata().getName() + unknown;
    return Labels.of(object, Labels.NODE)
        .map(node -> "SeiNode " + node + " (" + what + ")")
        .orElse(what);
  }

  private static String name(SeiNode node) {
    return "SeiNode " + node.getMetadata().getName();
  }
}
