package io.sei.operator.node.feature;

import static io.sei.operator.testkit.samples.ClaimSample.aClaim;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.sei.operator.api.v1alpha1.Maintenance;
import io.sei.operator.api.v1alpha1.RestoredFrom;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.api.v1alpha1.UpgradeStatusBuilder;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.api.v1alpha1.ValidatorBuilder;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Names;
import io.sei.operator.testkit.samples.NodeSample;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Fields of a spec that are set aside, in any order. */
class EffectiveNodeTest {

  private static final String A = "sei:a";
  private static final String B = "sei:b";

  private static final UpgradeStatus APPLIED =
      UpgradeStatusBuilder.builder(UpgradeStatus.scheduled(new Upgrade("v2", 9L, B, null)))
          .state(UpgradeState.APPLIED)
          .supersededImage(A)
          .build();

  /** Every overlay has something to set aside of it. */
  private static final SeiNodeSpec ASKING =
      aNode(A)
          .build()
          .getSpec()
          .with(
              builder ->
                  builder
                      .fullNode(null)
                      .validator(signing())
                      .dataResetGeneration(3L)
                      .maintenance(new Maintenance(Maintenance.Hold.AFTER_EXIT)));

  static Stream<Arguments> pods() {
    return Stream.of(
        Arguments.of("ends", Optional.empty(), true, Maintenance.Hold.AFTER_EXIT),
        Arguments.of("is kept", Optional.of(pod(false)), null, null),
        Arguments.of(
            "is kept and held", Optional.of(pod(true)), null, Maintenance.Hold.AFTER_EXIT));
  }

  @ParameterizedTest(name = "pod {0}")
  @MethodSource("pods")
  void anyOrderGivesOneResult(
      String name, Optional<Pod> kept, Boolean paused, Maintenance.Hold hold) {
    SeiNode declared = stopped();
    List<Overlay> overlays =
        EffectiveNode.overlays(
            declared, restored(), List.of(APPLIED), NodeSample.NOW, OfflineNode.FEATURES);

    List<SeiNodeSpec> results =
        orders(overlays).stream()
            .map(order -> applied(order, declared.getSpec(), kept))
            .distinct()
            .toList();

    assertThat(results).hasSize(1);
    SeiNodeSpec effective = results.get(0);
    assertThat(effective.image()).isEqualTo(B);
    assertThat(effective.initialSnapshot()).isEmpty();
    assertThat(effective.dataResetGeneration()).isNull();
    assertThat(effective.paused()).isEqualTo(paused);
    assertThat(effective.holding()).isEqualTo(Optional.ofNullable(hold));
  }

  @Test
  void whatWouldEndThePodIsTakenBack() {
    SeiNode node = aNode(A).build();
    SeiNodeSpec spec = node.getSpec();
    node.setSpec(
        spec.with(
            builder ->
                builder
                    .paused(true)
                    .maintenance(new Maintenance(Maintenance.Hold.AFTER_EXIT))
                    .dataResetGeneration(3L)
                    .image(B)));

    assertThat(effective(node, pod(false)).getSpec()).isEqualTo(spec.withImage(B));
  }

  @Test
  void podThatIsHeldStaysHeld() {
    assertThat(effective(aNode(A).build(), pod(true)).getSpec().holding())
        .contains(Maintenance.Hold.IMMEDIATE);
  }

  private static SeiNode effective(SeiNode node, Pod kept) {
    return EffectiveNode.of(
            node, Optional.empty(), Optional.of(kept), NodeSample.NOW, OfflineNode.FEATURES)
        .node();
  }

  private static SeiNode stopped() {
    SeiNode node = aNode(A).spec(ASKING).status(SeiNodeStatus.empty()).build();
    node.getMetadata()
        .setAnnotations(
            Map.of(Annotations.STOPPED_UNTIL, NodeSample.NOW.plusSeconds(60).toString()));
    return node;
  }

  private static Validator signing() {
    return ValidatorBuilder.builder()
        .snapshot(new Snapshot(new Snapshot.S3(9L), null, null, null, null))
        .signingKey(new Validator.SigningKey(new Validator.KeySecret("key")))
        .build();
  }

  private static Optional<PersistentVolumeClaim> restored() {
    var from = new RestoredFrom("name", "uid", A, 9L);
    return Optional.of(
        aClaim().annotation(Annotations.RESTORED_FROM, RestoredVolume.annotation(from)).build());
  }

  private static Pod pod(boolean held) {
    var pod = new PodBuilder().withNewSpec().endSpec();
    return held
        ? pod.editSpec()
            .addNewReadinessGate()
            .withConditionType(Names.RELEASED_GATE)
            .endReadinessGate()
            .endSpec()
            .build()
        : pod.build();
  }

  private static SeiNodeSpec applied(
      List<Overlay> overlays, SeiNodeSpec declared, Optional<Pod> kept) {
    SeiNodeSpec spec = declared;
    for (Overlay overlay : overlays) {
      spec = overlay.overlay(spec, SeiNodeStatus.empty(), kept);
    }
    return spec;
  }

  /** Returns orders in which, of each two, each comes before the other in some. */
  private static <T> List<List<T>> orders(List<T> items) {
    var orders = new ArrayList<List<T>>();
    for (int first = 0; first < items.size(); first++) {
      var order = new ArrayList<>(items);
      Collections.rotate(order, first);
      orders.add(order);
      orders.add(order.reversed());
    }
    return orders;
  }
}
