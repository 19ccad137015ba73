package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Event;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.Bulk;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Fleets as large as an API server takes them, with nodes that it does not take. */
class FleetHugeAnnotationsTest extends FleetTestCase {

  @Tag("long")
  @Test
  void nodesThatAreTooLargeAreNamedAndTheFleetRunsOn() {
    createReady(1);

    // Labels of the template are on the node, and once more in its spec for its pod.
    patch(
        "{'spec':{'template':{'metadata':{'labels':%s},'spec':{'overrides':{'p2p.filler':'%s'}}}}}"
            .formatted(Bulk.labels("a", Bulk.REQUEST / 8), Bulk.text(Bulk.REQUEST / 8 * 5)));
    awaitRefusal(Bulk.REFUSAL);
    patch("{'spec':{'template':{'metadata':null,'spec':{'overrides':null}}}}");
    awaitUpToDate(1, A);

    // The node has annotations of the operator as well.
    patchTemplate("{'annotations':{'filler':'%s'}}".formatted(Bulk.text(Bulk.ALL_ANNOTATIONS - 6)));
    awaitRefusal("metadata.annotations: Too long");
    patchTemplate("null");

    awaitUpToDate(1, A);
    assertThat(pods(0)).hasSize(1);
    eventually(
        () ->
            assertThat(events(FLEET, "Stalled"))
                .extracting(Event::getMessage)
                .anyMatch(message -> message.contains("metadata.annotations: Too long")));
  }

  private void patchTemplate(String metadata) {
    patch("{'spec':{'template':{'metadata':%s}}}".formatted(metadata));
  }

  private void awaitRefusal(String words) {
    eventually(
        () -> {
          assertCondition(
              FleetConditionType.UP_TO_DATE, ConditionStatus.FALSE, StallReason.APPLY_REFUSED);
          assertThat(condition(FleetConditionType.UP_TO_DATE).message())
              .startsWith("the API server refuses SeiNode fleet-0: ")
              .containsPattern(words)
              .hasSizeLessThan(2000);
        });
  }
}
