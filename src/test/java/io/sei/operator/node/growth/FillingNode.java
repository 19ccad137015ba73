package io.sei.operator.node.growth;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.DataVolume.Storage;
import io.sei.operator.api.v1alpha1.DataVolume.Storage.AutoGrow;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StatefulSetRef;
import io.sei.operator.node.model.NodePass;
import io.sei.operator.testkit.samples.NodeSample;
import io.sei.operator.testkit.samples.PodSample;
import java.util.Optional;

/**
 * A node whose volume may grow by itself.
 *
 * @param rule how it grows
 * @param capacity of its volume, which the claim asks for
 * @param pod empty while it is stopped
 */
record FillingNode(AutoGrow rule, String capacity, Optional<Pod> pod) {

  private static final String IMAGE = "sei:a";

  /** One with a pod that is Ready or not. */
  static FillingNode of(AutoGrow rule, String capacity, boolean ready) {
    PodSample pod = aPod(aNode(IMAGE)).condition("Ready", ready ? "True" : "False");
    return new FillingNode(rule, capacity, Optional.of(pod.build()));
  }

  FillingNode stopped() {
    return new FillingNode(rule, capacity, Optional.empty());
  }

  /** A pass of it. */
  NodePass pass() {
    SeiNodeStatus status =
        aNode(IMAGE)
            .running()
            .status()
            .withStatefulSet(new StatefulSetRef("node", NodeSample.STATEFUL_SET_UID));
    SeiNode node = aNode(IMAGE).build();
    var storage = new Storage(null, null, null, rule);
    node.setSpec(node.getSpec().withDataVolume(new DataVolume(null, null, storage, null, null)));
    node.setStatus(status);
    return aNode(node).status(status).pod(pod).claim(claim()).pass();
  }

  private PersistentVolumeClaim claim() {
    return new PersistentVolumeClaimBuilder()
        .withNewMetadata()
        .withName("data-node")
        .withUid("claim")
        .endMetadata()
        .withNewSpec()
        .withNewResources()
        .addToRequests("storage", new Quantity(capacity))
        .endResources()
        .endSpec()
        .withNewStatus()
        .withPhase("Bound")
        .addToCapacity("storage", new Quantity(capacity))
        .endStatus()
        .build();
  }
}
