package io.sei.operator.fleet.feature;

import static io.sei.operator.testkit.samples.FleetSample.A;
import static io.sei.operator.testkit.samples.FleetSample.B;
import static io.sei.operator.testkit.samples.FleetSample.C;
import static io.sei.operator.testkit.samples.FleetSample.aFleet;
import static io.sei.operator.testkit.samples.FleetSample.hash;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.Maintenance;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.testkit.samples.FleetSample;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which template each node is to have. */
class TemplateAssignmentTest {

  private static final Maintenance HOLD = new Maintenance(Maintenance.Hold.IMMEDIATE);

  @Test
  void aNodeThatIsThereKeepsItsTemplateUntilItsTurnHasCome() {
    FleetSample fleet = rolling(B).child(0, A).child(1, A).kept(A).kept(B);

    assertThat(image(fleet, 0)).contains(A);
    assertThat(image(fleet, 1)).contains(B);
  }

  @Test
  void aNodeOfWhichNothingIsKeptIsLeftAsItIs() {
    assertThat(image(rolling(B).child(0, A).kept(B), 0)).isEmpty();
  }

  @Test
  void aNodeThatIsMadeAgainComesBackAsItWas() {
    FleetSample fleet = rolling(B).kept(A).kept(B);

    assertThat(image(fleet, 0)).contains(A);
    assertThat(image(fleet, 1)).contains(B);
  }

  @Test
  void aNewNodeIsMadeFromWhatTheOthersAreBroughtTo() {
    assertThat(image(rolling(B).kept(A).kept(B), 2)).contains(B);
    assertThat(image(aFleet(3, B), 2)).contains(B);
  }

  @Test
  void belowThePartitionEveryNodeIsOfTheCompletedTemplate() {
    FleetSample fleet =
        aFleet(3, B)
            .kept(A)
            .kept(B)
            .status(status -> status.withCompletedTemplateHash(hash(A)))
            .spec(
                spec ->
                    spec.withUpdateStrategy(
                        new UpdateStrategy(
                            UpdateStrategy.Type.IN_PLACE,
                            new InPlace(null, 2, null, null, null),
                            null)));

    assertThat(image(fleet, 0)).contains(A);
    assertThat(image(fleet, 1)).contains(A);
    assertThat(image(fleet, 2)).contains(B);
  }

  @Test
  void whileHeldEveryNodeIsOfTheCompletedTemplate() {
    FleetSample fleet =
        aFleet(2, B)
            .kept(A)
            .kept(B)
            .child(0, A)
            .status(status -> status.withCompletedTemplateHash(hash(A)))
            .spec(spec -> spec.withPaused(true));

    assertThat(image(fleet, 0)).contains(A);
    assertThat(image(fleet, 1)).contains(A);
  }

  @Test
  void rolledBackTemplateIsAssignedToNoNode() {
    FleetSample fleet =
        aFleet(2, B)
            .kept(A)
            .kept(B)
            .status(
                status ->
                    status.with(s -> s.completedTemplateHash(hash(A)).failedTemplateHash(hash(B))));

    assertThat(image(fleet, 1)).contains(A);
  }

  @Test
  void aNewNodeIsMadeFromTheTemplateInForceIfNothingElseIsKept() {
    FleetSample fleet =
        aFleet(1, C)
            .status(status -> status.withCompletedTemplateHash(hash(A)))
            .spec(spec -> spec.withPaused(true));

    assertThat(image(fleet, 0)).contains(C);
  }

  @Test
  void fieldsOfOneNodeInAKeptTemplateAreAssignedToNoNode() {
    FleetSample fleet =
        rolling(B)
            .child(0, A)
            .kept(
                A,
                spec ->
                    spec.with(
                        builder ->
                            builder
                                .externalAddress("other:26656")
                                .paused(true)
                                .maintenance(HOLD)
                                .dataVolume(new DataVolume(null, null, null, null, "uid"))))
            .kept(B);

    NodeTemplate template = TemplateAssignment.of(fleet.view(), 0).orElseThrow();

    assertThat(template).isEqualTo(FleetSample.template(A));
  }

  @Test
  void fieldsOfEachNodeInTheTemplateInForceAreAssignedToNodesOnOlderOnesToo() {
    FleetSample fleet =
        rolling(B)
            .child(0, A)
            .kept(A, spec -> spec.withExternalAddress("other:26656"))
            .kept(B)
            .spec(
                spec ->
                    spec.withTemplate(
                        spec.template()
                            .withSpec(
                                spec.template()
                                    .spec()
                                    .with(
                                        s ->
                                            s.externalAddress("host:26656")
                                                .paused(true)
                                                .maintenance(HOLD)))));

    NodeTemplate template = TemplateAssignment.of(fleet.view(), 0).orElseThrow();

    assertThat(template.spec().image()).isEqualTo(A);
    assertThat(template.spec().externalAddress()).isEqualTo("host:26656");
    assertThat(template.spec().paused()).isTrue();
    assertThat(template.spec().maintenance()).isEqualTo(HOLD);
  }

  /** The first of two nodes waits for its turn, the second has had it. */
  private static FleetSample rolling(String image) {
    var nodes =
        List.of(
            new RolloutNode("fleet-0", null, true),
            new RolloutNode("fleet-1", NodeSample.NOW, true));
    Instant startedAt = NodeSample.LONG_AGO;
    return aFleet(3, image)
        .status(
            status ->
                status.with(
                    s ->
                        s.completedTemplateHash(hash(A))
                            .rollout(new Rollout(hash(image), startedAt, nodes))));
  }

  private static Optional<String> image(FleetSample fleet, int ordinal) {
    return TemplateAssignment.of(fleet.view(), ordinal)
        .map(NodeTemplate::spec)
        .map(spec -> spec.image());
  }
}
