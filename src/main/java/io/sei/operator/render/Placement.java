package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.NodeAffinity;
import io.fabric8.kubernetes.api.model.PodSpecFluent;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import io.fabric8.kubernetes.api.model.TopologySpreadConstraint;
import io.fabric8.kubernetes.api.model.TopologySpreadConstraintBuilder;
import io.sei.operator.api.v1alpha1.Scheduling;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.config.OperatorConfig;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Placement and user of a node's pod: the platform's defaults and {@code spec.scheduling}. */
final class Placement {

  private final SeiNode node;
  private final Scheduling asked;
  private final OperatorConfig config;
  private final Optional<String> nodepool;

  Placement(SeiNode node, OperatorConfig config) {
    this.node = node;
    this.asked = node.getSpec().placement();
    this.config = config;
    this.nodepool = NodeMode.of(node.getSpec()).nodepool(config);
  }

  /** Completes the spec of a pod. */
  <B extends PodSpecFluent<B>> B complete(B pod) {
    return pod.withNodeSelector(asked.nodeSelector())
        .withTolerations(tolerations())
        .withAffinity(affinity())
        .withTopologySpreadConstraints(spread())
        .withPriorityClassName(asked.priorityClassName())
        .withImagePullSecrets(asked.imagePullSecrets())
        .withServiceAccountName(
            Optional.ofNullable(asked.serviceAccountName()).orElse(config.pod().serviceAccount()));
  }

  private List<Toleration> tolerations() {
    return Stream.concat(
            config.pod().tolerationKey().map(this::toleration).stream(),
            Stream.ofNullable(asked.tolerations()).flatMap(List::stream))
        .toList();
  }

  private Toleration toleration(String key) {
    return new TolerationBuilder()
        .withKey(key)
        .withEffect("NoSchedule")
        .withOperator(nodepool.isPresent() ? null : "Exists")
        .withValue(nodepool.orElse(null))
        .build();
  }

  private Affinity affinity() {
    boolean decided = asked.affinity() != null && asked.affinity().getNodeAffinity() != null;
    return decided || nodepool.isEmpty()
        ? asked.affinity()
        : new AffinityBuilder(Optional.ofNullable(asked.affinity()).orElseGet(Affinity::new))
            .withNodeAffinity(boundTo(nodepool.get()))
            .build();
  }

  private static NodeAffinity boundTo(String nodepool) {
    return new AffinityBuilder()
        .withNewNodeAffinity()
        .withNewRequiredDuringSchedulingIgnoredDuringExecution()
        .addNewNodeSelectorTerm()
        .addNewMatchExpression()
        .withKey("karpenter.sh/nodepool")
        .withOperator("In")
        .withValues(nodepool)
        .endMatchExpression()
        .endNodeSelectorTerm()
        .endRequiredDuringSchedulingIgnoredDuringExecution()
        .endNodeAffinity()
        .build()
        .getNodeAffinity();
  }

  /** One lost machine should not take a whole fleet along; a small cluster may have only one. */
  private List<TopologySpreadConstraint> spread() {
    if (asked.topologySpreadConstraints() != null && !asked.topologySpreadConstraints().isEmpty()) {
      return asked.topologySpreadConstraints();
    }
    return Labels.of(node, Labels.NODE_DEPLOYMENT).stream()
        .map(
            fleet ->
                new TopologySpreadConstraintBuilder()
                    .withMaxSkew(1)
                    .withTopologyKey("kubernetes.io/hostname")
                    .withWhenUnsatisfiable("ScheduleAnyway")
                    .withNewLabelSelector()
                    .addToMatchLabels(Labels.NODE_DEPLOYMENT, fleet)
                    .endLabelSelector()
                    .build())
        .toList();
  }
}
