package io.sei.operator.node.signing;

import static io.sei.operator.testkit.samples.PodSample.aPod;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.PlannedTaskBuilder;
import io.sei.operator.api.v1alpha1.Reason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SigningKeyHold;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskPlanBuilder;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.render.Labels;
import io.sei.operator.testkit.samples.Samples;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Validators and what they made, as they may be found in a namespace. */
public final class KeyUsers {

  public static final String KEY = "key";
  public static final String EARLY = "2026-06-01T10:00:00Z";
  public static final String LATE = "2026-06-01T10:00:01Z";

  private KeyUsers() {}

  /** A validator that signs with the key of a Secret, and that was never reconciled. */
  public static SeiNode validator(String name, String created, String secret) {
    var node = Samples.node("default", name, null);
    node.getMetadata().setUid("uid-" + name);
    node.getMetadata().setCreationTimestamp(created);
    node.getMetadata().setGeneration(1L);
    node.setSpec(
        SeiNodeSpecBuilder.builder()
            .chainId("local-1")
            .image("sei:a")
            .validator(
                new Validator(
                    null,
                    null,
                    new Validator.SigningKey(new Validator.KeySecret(secret)),
                    new Validator.NodeKey(new Validator.KeySecret("identity-" + name)),
                    null,
                    null,
                    null,
                    null))
            .build());
    return node;
  }

  public static SeiNode with(SeiNode node, UnaryOperator<SeiNodeStatus> change) {
    SeiNodeStatus status = node.getStatus() == null ? SeiNodeStatus.empty() : node.getStatus();
    node.setStatus(change.apply(status));
    return node;
  }

  public static SeiNode claiming(SeiNode node) {
    return recording(KEY, node);
  }

  public static SeiNode recording(String secret, SeiNode node) {
    return with(
        node, status -> status.withSigningKey(new SigningKeyHold(secret, Instant.parse(LATE))));
  }

  public static SeiNode saying(SeiNode node, NodeConditionType type, ConditionStatus value) {
    return with(
        node,
        status ->
            status.withConditions(
                Conditions.with(
                    status.conditions(),
                    type,
                    value,
                    new Reason.Stored("Any"),
                    "",
                    1L,
                    Instant.parse(LATE))));
  }

  /** Returns the node in the middle of an init plan, which may wait. */
  public static SeiNode initializing(SeiNode node, String waitsFor) {
    TaskPlan plan =
        TaskPlanBuilder.builder()
            .id("plan")
            .phase(PlanPhase.ACTIVE)
            .tasks(
                List.of(
                    PlannedTaskBuilder.builder()
                        .type("any")
                        .id("any")
                        .status(TaskStatus.PENDING)
                        .reason(waitsFor)
                        .build()))
            .build();
    return with(node, status -> status.withPhase(NodePhase.INITIALIZING).withPlan(plan));
  }

  public static SeiNode running(SeiNode node) {
    return with(node, status -> status.withPhase(NodePhase.RUNNING));
  }

  public static SeiNode paused(SeiNode node) {
    node.setSpec(node.getSpec().withPaused(true));
    return node;
  }

  public static StatefulSet statefulSet(String node, int replicas, String secret) {
    return new StatefulSetBuilder()
        .withNewMetadata()
        .withName(node)
        .withLabels(Map.of(Labels.NODE, node))
        .endMetadata()
        .withNewSpec()
        .withReplicas(replicas)
        .withNewTemplate()
        .withSpec(podSpec(secret))
        .endTemplate()
        .endSpec()
        .build();
  }

  public static Pod pod(String node, String secret) {
    return aPod(node + "-0")
        .label(Labels.NODE, node)
        .phase("Running")
        .edit(builder -> builder.withSpec(podSpec(secret)))
        .build();
  }

  public static PodSpec podSpec(String secret) {
    return new PodSpecBuilder()
        .addNewVolume()
        .withName("signing-key")
        .withNewSecret()
        .withSecretName(secret)
        .endSecret()
        .endVolume()
        .build();
  }
}
