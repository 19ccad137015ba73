package io.sei.operator.node.rollout;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.PodUpdate;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.UpdatePolicy;
import io.sei.operator.node.RolloutTestCase;
import java.util.List;
import java.util.stream.Stream;

/** A node that asks for updates in place. */
abstract class InPlaceTestCase extends RolloutTestCase {

  private static final SeiNodeSpec IN_PLACE =
      spec(A).withUpdatePolicy(new UpdatePolicy(UpdatePolicy.OfPod.IN_PLACE_IF_POSSIBLE, null));

  /** Its spec, with image A. */
  static SeiNodeSpec inPlace() {
    return IN_PLACE;
  }

  /** Creates it with image A, and waits until it is Ready. */
  final void createInPlace() {
    createInPlace(IN_PLACE.resources());
  }

  /** Creates a node in place with these resources. */
  final void createInPlace(ResourceRequirements resources) {
    create(IN_PLACE.withResources(resources));
    awaitUpToDate(A);
    awaitCondition(NodeConditionType.READY, ConditionStatus.TRUE, "PodReady");
  }

  final PodUpdate update() {
    return node().getStatus().podUpdate();
  }

  final ContainerStatus container(String name) {
    var status = pod().getStatus();
    return Stream.of(status.getContainerStatuses(), status.getInitContainerStatuses())
        .flatMap(List::stream)
        .filter(container -> container.getName().equals(name))
        .findFirst()
        .orElseThrow();
  }
}
