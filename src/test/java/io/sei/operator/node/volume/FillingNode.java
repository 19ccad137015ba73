package io.sei.operator.node.volume;

import static io.sei.operator.testkit.samples.ClaimSample.aClaim;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.DataVolume.Storage;
import io.sei.operator.api.v1alpha1.DataVolume.Storage.AutoGrow;
import io.sei.operator.node.feature.NodePass;
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

  static FillingNode of(AutoGrow rule, String capacity, boolean ready) {
    PodSample pod = aPod(aNode(IMAGE)).condition("Ready", ready ? "True" : "False");
    return new FillingNode(rule, capacity, Optional.of(pod.build()));
  }

  FillingNode stopped() {
    return new FillingNode(rule, capacity, Optional.empty());
  }

  NodePass pass() {
    var volume = new DataVolume(null, null, new Storage(null, null, null, rule), null, null);
    return aNode(IMAGE)
        .spec(spec -> spec.withDataVolume(volume))
        .running()
        .pod(pod)
        .claim(aClaim().requests(capacity).capacity(capacity))
        .pass();
  }
}
