package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.testkit.TestSnapshots;
import java.time.Duration;
import java.time.Instant;

/** A node is created from a VolumeSnapshot that has been through an upgrade. */
final class Restore implements Scenario {

  private static final String OLD = "sei:a";
  private static final String NEW = "sei:b";

  /** Recent enough to be believed; the API server's times of two objects may be the same second. */
  private final Instant first = Instant.now().minus(Duration.ofHours(1));

  private final World world;
  private int rounds;

  Restore(World world) {
    this.world = world;
  }

  @Override
  public void prepare() {}

  /** Takes a newer snapshot each time: a second choice would find that of the next round. */
  @Override
  public void begin() {
    rounds++;
    new TestSnapshots(world.client(), world.namespace())
        .create(
            TestSnapshots.ready(
                TestSnapshots.of("snapshot" + rounds, "atlantic-2", NEW),
                first.plusSeconds(rounds)));
    world
        .client()
        .resource(
            Serialization.unmarshal(
                """
                apiVersion: sei.io/v1alpha1
                kind: SeiNode
                metadata: {name: %s, namespace: %s}
                spec:
                  chainId: atlantic-2
                  image: %s
                  fullNode: {snapshot: {stateSync: {}}}
                  upgrades: [{name: v2, height: 1000, image: "%s"}]
                  dataVolume: {from: {volumeSnapshot: {selector: {matchLabels: {sei.io/chain: atlantic-2}}}}}
                """
                    .formatted(name(), world.namespace(), OLD, NEW),
                SeiNode.class))
        .create();
  }

  @Override
  public void assertDone() {
    world.assertSettled(name(), NEW);
  }

  @Override
  public void assertSound() {
    assertThat(world.pods(name())).singleElement().matches(pod -> NEW.equals(pod.image()));
    world.assertNoTaskRanTwice(name());
    assertThat(world.executions(name(), "configure-state-sync")).isZero();
    var claim =
        world
            .client()
            .resources(PersistentVolumeClaim.class)
            .inNamespace(world.namespace())
            .withName("data-" + name())
            .get();
    assertThat(claim.getSpec().getDataSource().getName()).isEqualTo("snapshot" + rounds);
    assertThat(world.node(name()).getStatus().restoredFrom().volumeSnapshot())
        .isEqualTo("snapshot" + rounds);
  }

  @Override
  public void tidy() {
    world.client().resource(world.node(name())).delete();
    World.eventually(() -> assertThat(world.node(name())).isNull());
  }

  private String name() {
    return "node" + rounds;
  }
}
