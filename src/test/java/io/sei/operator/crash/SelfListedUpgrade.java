package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.UpgradePolicy;
import io.sei.operator.api.v1alpha1.UpgradeSource;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.api.v1alpha1.UpgradeStatusBuilder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The operator has put an upgrade on record that the chain plans; its image is found, pulled by its
 * digest, and run once seid has halted.
 */
final class SelfListedUpgrade extends NodeScenario {

  private int halted;

  SelfListedUpgrade(World world) {
    super(world);
  }

  @Override
  SeiNodeSpec spec() {
    return super.spec().withUpgradePolicy(new UpgradePolicy(List.of("sei:{name}")));
  }

  @Override
  public void begin() {
    rounds++;
    UpgradeStatus planned =
        UpgradeStatusBuilder.builder()
            .name(name())
            .height((long) rounds)
            .image(image())
            .state(UpgradeState.SCHEDULED)
            .source(UpgradeSource.CHAIN)
            .build();
    List<UpgradeStatus> upgrades = Stream.concat(upgrades(node()), Stream.of(planned)).toList();
    // The operator may write at the same time.
    world
        .client()
        .resource(node())
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            Serialization.asJson(Map.of("status", Map.of("upgrades", upgrades))));
    // What others write to a status wakes nobody.
    patch("{'spec':{'progressDeadlineSeconds':%d}}".formatted(600 + rounds));
  }

  @Override
  public void assertDone() {
    Optional<String> found =
        upgrades(node())
            .filter(
                upgrade -> upgrade.name().equals(name()) && upgrade.image().contains("@sha256:"))
            .map(UpgradeStatus::image)
            .findFirst();
    assertThat(found).isPresent();
    if (halted < rounds) {
      world.kubelet().halt(world.namespace(), NODE + "-0", name(), rounds);
      halted = rounds;
    }
    world.assertSettled(NODE, found.get());
    world.assertNothingIsPulled();
  }

  @Override
  public void assertSound() {
    assertThat(world.pods(NODE)).hasSize(1 + rounds);
    assertThat(upgrades(node()).toList())
        .hasSize(rounds)
        .allMatch(
            upgrade ->
                upgrade.state() == UpgradeState.APPLIED && upgrade.source() == UpgradeSource.CHAIN);
  }

  private static Stream<UpgradeStatus> upgrades(SeiNode node) {
    return Stream.ofNullable(node.getStatus().upgrades()).flatMap(List::stream);
  }

  private String name() {
    return "v" + rounds;
  }
}
