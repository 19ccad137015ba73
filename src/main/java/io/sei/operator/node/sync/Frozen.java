package io.sei.operator.node.sync;

import com.fasterxml.jackson.databind.node.LongNode;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.sei.operator.api.v1alpha1.ConfigValue;
import io.sei.operator.api.v1alpha1.Freeze;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.node.feature.ConfigParts;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.PlanShape;
import io.sei.operator.render.PodParts;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Has seid stop at a height and serve queries there. A sidecar may be older than sei-config's key
 * for it, so that of seid's own file is set.
 */
public record Frozen() implements NodeFeature {

  /** Label of the pod, as in the Go operator. */
  static final String LABEL = "sei.io/frozen";

  /** seid takes each key of its file from a variable as well, and first. */
  static final String VARIABLE = "SEID_FREEZE_HEIGHT";

  private static final String FILE = "app.toml";
  private static final String KEY = "freeze-height";

  /** seid does not start with a height to halt at as well, which a bootstrap Job gives it. */
  @Override
  public void config(NodeView view, ConfigParts parts) {
    if (parts.shape() != PlanShape.JOB) {
      view.node()
          .getSpec()
          .freeze()
          .ifPresent(
              freeze -> parts.set(new ConfigValue(FILE, KEY, LongNode.valueOf(freeze.height()))));
    }
  }

  /**
   * Its peers go on without it, and by its lag it would never be ready again. The file lacks the
   * height for seconds whenever it is written again, and a seid may start just then.
   */
  @Override
  public void pod(SeiNode node, PodParts pod) {
    if (node.getSpec().freeze().isPresent()) {
      pod.label(LABEL, "true");
      pod.readyBy("/status");
    }
    height(node.getSpec())
        .ifPresent(height -> pod.seidVariable(new EnvVar(VARIABLE, String.valueOf(height), null)));
  }

  /** Empty if the user has set the key otherwise, over which a variable would win. */
  private static Optional<Long> height(SeiNodeSpec spec) {
    boolean isSet =
        Stream.ofNullable(spec.configValues())
            .flatMap(List::stream)
            .anyMatch(value -> value.fileName().equals(FILE) && value.key().equals(KEY));
    return spec.freeze().map(Freeze::height).filter(height -> !isSet);
  }
}
