package io.sei.operator.takeover;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SidecarSpec;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Names;
import io.sei.operator.render.SpecHash;
import java.util.Optional;

/** What a pod made by another operator stands for. */
public final class Baseline {

  private Baseline() {}

  /**
   * The hash of the node's spec with the images the pod runs: only images are compared, as anything
   * else of a foreign pod cannot be told from what its operator's defaults made of it.
   */
  public static String of(SeiNode node, Pod pod) {
    SeiNodeSpec spec = node.getSpec();
    String image = PodFacts.image(pod, Names.SEID).orElse(spec.image());
    SidecarSpec sidecar = spec.sidecar();
    if (sidecar != null && sidecar.image() != null) {
      Optional<String> running = PodFacts.image(pod, Names.SIDECAR);
      sidecar =
          new SidecarSpec(running.orElse(sidecar.image()), sidecar.port(), sidecar.resources());
    }
    SidecarSpec observed = sidecar;
    return SpecHash.of(
        spec.with(it -> it.image(image).sidecar(observed)),
        Annotations.restartRequestedAt(node).orElse(null));
  }
}
