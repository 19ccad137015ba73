package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.PodReadinessGate;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import java.util.List;
import java.util.Map;

/** A pod in which seid is not started, for a person who works on its volume. */
public final class IdlePod {

  /** Its readiness gate. Nobody opens it, so that no Service leads to the pod. */
  public static final String GATE = "sei.io/released";

  private static final String SCRIPT =
      """
      echo "spec.maintenance.hold is set, seid is not started"
      exec sleep infinity
      """;

  private IdlePod() {}

  /** Whether the spec asks for it. */
  static boolean isAskedFor(SeiNodeSpec spec) {
    return spec.holding().isPresent();
  }

  static Map<String, String> annotations(SeiNodeSpec spec) {
    return isAskedFor(spec) ? Map.of(Annotations.SAFE_TO_EVICT, "false") : Map.of();
  }

  static List<PodReadinessGate> gates(SeiNodeSpec spec) {
    return isAskedFor(spec) ? List.of(new PodReadinessGate(GATE)) : List.of();
  }

  /** The container of seid, with something to wait in its place. */
  static Container waiting(Container seid) {
    return new ContainerBuilder(seid).withArgs(List.of(SCRIPT)).build();
  }
}
