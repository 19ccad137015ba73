package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node that the operator cannot read is missed by its fleet, and left as it is. */
@Order(1)
class UnreadableChildTest extends FleetTestCase {

  private static final String DEEP = "[".repeat(1_100) + "]".repeat(1_100);

  /** Larger than a spec may be: not even its image is known. */
  private static final String LARGE = "\"" + "x".repeat(300_000) + "\"";

  @Tag("long")
  @Test
  void aRolloutCountsItAsUnavailableAndComesBackToIt() {
    createReady(3);
    List<List<String>> pods = podUids(3);
    spoil(0, LARGE);
    eventually(() -> assertThat(status().readyReplicas()).isEqualTo(2));
    long generation = node(0).getMetadata().getGeneration();

    setImage(B);

    eventually(() -> assertCondition(FleetConditionType.UP_TO_DATE, ConditionStatus.FALSE));
    stays(
        () -> {
          assertThat(podUids(3)).as("maxUnavailable is used up").isEqualTo(pods);
          assertThat(node(0).getMetadata().getGeneration()).isEqualTo(generation);
        });
    patch("{'spec':{'updateStrategy':{'type':'InPlace','inPlace':{'maxUnavailable':2}}}}");
    eventually(() -> assertThat(podImages(2)).containsExactly(A, B));
    eventually(() -> assertThat(podImages(1)).containsExactly(A, B));
    assertThat(podImages(0)).containsExactly(A);

    mend(0);

    awaitUpToDate(3, B);
    assertThat(podImages(0)).containsExactly(A, B);
  }

  @Test
  void scalingDownAndAnUnreadableFleetDeleteNothing() {
    createReady(2);
    List<List<String>> pods = podUids(2);
    spoil(1, DEEP);
    eventually(
        () ->
            assertThat(nodeCondition(1, NodeConditionType.STALLED).reason())
                .isEqualTo("InvalidSpec"));

    patch("{'spec':{'replicas':1}}");

    stays(() -> assertThat(node(1)).isNotNull());
    patch(
        "{'spec':{'template':{'spec':{'configValues':[{'fileName':'app.toml','key':'a.b','value':%s}]}}}}"
            .formatted(LARGE));
    eventually(
        () -> assertCondition(FleetConditionType.STALLED, ConditionStatus.TRUE, "InvalidSpec"));
    assertCondition(FleetConditionType.READY, ConditionStatus.FALSE, "InvalidSpec");
    assertThat(status().incumbentNodes()).hasSize(2);
    operator.restart();
    stays(() -> assertThat(podUids(2)).isEqualTo(pods));

    patch("{'spec':{'replicas':2,'template':{'spec':{'configValues':null}}}}");
    mend(1);
    awaitUpToDate(2, A);
    assertThat(podUids(2)).isEqualTo(pods);
  }

  private void spoil(int ordinal, String value) {
    patch(
        node(ordinal),
        "{'spec':{'configValues':[{'fileName':'app.toml','key':'a.b','value':%s}]}}"
            .formatted(value));
  }

  private void mend(int ordinal) {
    SeiNode node = node(ordinal);
    patch(node, "{'spec':{'configValues':null}}");
  }
}
