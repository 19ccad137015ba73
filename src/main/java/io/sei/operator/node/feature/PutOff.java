package io.sei.operator.node.feature;

import io.sei.operator.render.SnapshotStop;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** PURE: what waits because a pod's end would take the node's data along. */
public final class PutOff {

  private PutOff() {}

  /** Returns the change that would end the pod and is postponed; empty without one. */
  public static Optional<String> of(NodeView view) {
    if (!view.isKept() || view.pod().isEmpty()) {
      return Optional.empty();
    }
    boolean paused = Boolean.TRUE.equals(view.declared().paused());
    String all =
        Stream.of(
                Stream.of("spec.paused").filter(text -> paused),
                SnapshotStop.of(view.node(), view.now())
                    .map(stop -> "the stop for VolumeSnapshot " + stop.snapshot())
                    .stream(),
                view.effective().setAside().stream(),
                view.podDifference().stream())
            .flatMap(other -> other)
            .collect(Collectors.joining(", "));
    return Optional.of(all).filter(text -> !text.isEmpty());
  }

  /** Returns a message about an operation that waits for this reason. */
  public static String because(NodeView view, String what) {
    return "%s waits: %s, and the chain data would go with the pod; see the condition DataVolumeAtRisk"
        .formatted(what, view.risk().orElseThrow().what());
  }
}
