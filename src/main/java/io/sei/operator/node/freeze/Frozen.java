package io.sei.operator.node.freeze;

import com.fasterxml.jackson.databind.node.LongNode;
import io.sei.operator.api.v1alpha1.ConfigValue;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.node.model.ConfigParts;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.PlanShape;
import io.sei.operator.render.PodParts;

/**
 * Has seid stop at a height and serve queries there. A sidecar may be older than sei-config's key
 * for it, so that of seid's own file is set.
 */
public record Frozen() implements NodeFeature {

  /** On the pod, as upstream has it. */
  static final String LABEL = "sei.io/frozen";

  /** seid does not start with a height to halt at as well, which a bootstrap Job gives it. */
  @Override
  public void config(NodeSnapshot snapshot, ConfigParts parts) {
    if (parts.shape() != PlanShape.JOB) {
      snapshot
          .node()
          .getSpec()
          .freeze()
          .ifPresent(
              it ->
                  parts.set(
                      new ConfigValue("app.toml", "freeze-height", LongNode.valueOf(it.height()))));
    }
  }

  /** Its peers go on without it, and by its lag it would never be ready again. */
  @Override
  public void pod(SeiNode node, PodParts pod) {
    if (node.getSpec().freeze().isPresent()) {
      pod.label(LABEL, "true");
      pod.readyBy("/status");
    }
  }
}
