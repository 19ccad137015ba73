package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Event;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.Bulk;
import io.sei.operator.testkit.samples.Samples;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Objects as large as an API server takes them, and a little larger. */
class HugeAnnotationsTest extends RolloutTestCase {

  private static final String FILLER = "example.com/filler";

  @Test
  void annotationsAtTheirLimitAreInNobodysWay() {
    var node = Samples.node(namespace, NODE, spec(A));
    node.getMetadata()
        .setAnnotations(Map.of(FILLER, Bulk.text(Bulk.ALL_ANNOTATIONS - FILLER.length())));
    client.resource(node).create();
    awaitUpToDate(A);

    setImage(B);

    awaitUpToDate(B);
    assertThat(images()).containsExactly(A, B);
    assertThat(events("StatusTooLarge")).isEmpty();
  }

  /** A plan repeats what the sidecar is to be told, so it has no room long before the spec. */
  @Test
  @Tag("long")
  void aNodeWithoutRoomForItsPlanSaysSoAndGoesOnOnceThereIs() {
    createRunning();
    String pod = podUid();

    patch(
        "{'spec':{'image':'%s','overrides':{'p2p.filler':'%s'}}}"
            .formatted(B, Bulk.text(Bulk.REQUEST * 2 / 3)));

    eventually(() -> assertThat(occurrences("StatusTooLarge")).isGreaterThan(1));
    List<Event> said = events("StatusTooLarge");
    assertThat(said).as("what repeats is counted").hasSize(1);
    assertThat(said.get(0).getType()).isEqualTo("Warning");
    assertThat(said.get(0).getMessage()).contains("make", "smaller").containsPattern(Bulk.REFUSAL);
    assertThat(podUid()).isEqualTo(pod);
    patch("{'spec':{'overrides':null}}");

    awaitUpToDate(B);
    assertThat(images()).containsExactly(A, B);
  }

  /** Without its managedFields a node is half of what is made from it: its claim comes first. */
  @Test
  @Tag("long")
  void anObjectOfTheNodeThatIsTooLargeIsNamed() {
    create(spec(A).withPaused(true));
    for (String series : List.of("a", "b")) {
      patch("{'spec':{'podLabels':%s}}".formatted(Bulk.labels(series, Bulk.REQUEST / 4)));
      patch("{'metadata':{'managedFields':[{}]}}");
    }

    patch("{'spec':{'paused':null}}");

    eventually(
        () -> {
          assertCondition(
              NodeConditionType.STALLED, ConditionStatus.TRUE, StallReason.APPLY_REFUSED);
          assertThat(condition(NodeConditionType.STALLED).message())
              .contains("the API server refuses PersistentVolumeClaim data-node")
              .containsPattern(Bulk.REFUSAL);
        });
    assertThat(statefulSet()).isNull();
    patch("{'spec':{'podLabels':null}}");

    awaitUpToDate(A);
  }
}
