package io.sei.operator.takeover;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetStatus;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SidecarSpec;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Names;
import io.sei.operator.render.SpecHash;
import java.util.Objects;
import java.util.Optional;

/** Baseline of a pod that another operator made. */
public final class Baseline {

  private Baseline() {}

  /**
   * Returns the hash of the node's spec with the images that the pod was asked to run: only images
   * are compared, as other fields of a foreign pod may be defaults of its operator. If the pod has
   * the StatefulSet's newest revision, those are the images of the template, even if admission
   * rewrote them.
   */
  public static String of(SeiNode node, Pod pod, Optional<StatefulSet> statefulSet) {
    Pod asked =
        statefulSet.filter(owner -> isOfNewest(pod, owner)).map(Baseline::asTemplated).orElse(pod);
    SeiNodeSpec spec = node.getSpec();
    String image = PodFacts.image(asked, Names.SEID).orElse(spec.image());
    SidecarSpec sidecar = spec.sidecar();
    if (sidecar != null && sidecar.image() != null) {
      Optional<String> running = PodFacts.image(asked, Names.SIDECAR);
      sidecar =
          new SidecarSpec(running.orElse(sidecar.image()), sidecar.port(), sidecar.resources());
    }
    SidecarSpec observed = sidecar;
    return SpecHash.of(
        spec.with(builder -> builder.image(image).sidecar(observed)),
        Annotations.restartRequestedAt(node).orElse(null));
  }

  private static boolean isOfNewest(Pod pod, StatefulSet statefulSet) {
    StatefulSetStatus status = statefulSet.getStatus();
    return status != null
        && Objects.equals(status.getObservedGeneration(), statefulSet.getMetadata().getGeneration())
        && PodFacts.revision(pod).equals(Optional.ofNullable(status.getUpdateRevision()));
  }

  private static Pod asTemplated(StatefulSet statefulSet) {
    return new PodBuilder().withSpec(statefulSet.getSpec().getTemplate().getSpec()).build();
  }
}
