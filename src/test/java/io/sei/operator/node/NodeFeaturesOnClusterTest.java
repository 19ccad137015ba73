package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.rollout.PodUpdates;
import io.sei.operator.testkit.controlplane.ControlPlane;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Nodes start, are updated and pause without each feature in turn: every hook runs without it. Only
 * {@link PodUpdates} is no option: it replaces pods and records the image that runs.
 */
@Tag("long")
class NodeFeaturesOnClusterTest extends NodeTestCase {

  static Stream<Class<? extends NodeFeature>> features() {
    return OfflineNode.FEATURES.stream()
        .<Class<? extends NodeFeature>>map(NodeFeature::getClass)
        .filter(feature -> feature != PodUpdates.class);
  }

  /** Each test starts an operator of its own. */
  @Override
  protected void startOperator() {
    operatorAs(controlPlane.config(ControlPlane.OPERATOR));
  }

  @ParameterizedTest(name = "without {0}")
  @MethodSource("features")
  void nodeStartsUpdatesAndPauses(Class<? extends NodeFeature> off) {
    operator.without(off).start();

    createRunning();
    setImage(B);
    awaitUpToDate(B);
    patch("{'spec':{'paused':true}}");

    eventually(
        () -> {
          assertCondition(NodeConditionType.PAUSED, ConditionStatus.TRUE);
          assertThat(pod()).isNull();
        });
  }
}
