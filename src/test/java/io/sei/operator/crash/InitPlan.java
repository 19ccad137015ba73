package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.testkit.SidecarTask;
import java.util.List;

/** A node is created whose sidecar has much to do before it may start. */
final class InitPlan implements Scenario {

  private static final String IMAGE = "sei:a";
  private static final List<String> SIDECAR_TASKS =
      List.of(
          "configure-genesis",
          "config-apply",
          "config-apply",
          "configure-state-sync",
          "config-validate",
          "mark-ready");

  private final World world;
  private int rounds;

  InitPlan(World world) {
    this.world = world;
  }

  @Override
  public void prepare() {}

  @Override
  public void begin() {
    rounds++;
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
                  peers: [{static: {addresses: ["86f7e437faa5a7fce15d1ddcb9eaeaea377667b8@h:1", "e9d71f5ee7c92d6dc9e92ffdad17b8bd49418f98@i:1"]}}]
                """
                    .formatted(name(), world.namespace(), IMAGE),
                SeiNode.class))
        .create();
  }

  @Override
  public void assertDone() {
    world.assertSettled(name(), IMAGE);
  }

  @Override
  public void assertSound() {
    assertThat(world.pods(name())).hasSize(1);
    assertThat(world.operator().requests().deleted()).isEmpty();
    assertThat(world.sidecar().tasks(world.namespace(), name()))
        .extracting(SidecarTask::type)
        .containsExactlyElementsOf(SIDECAR_TASKS);
    world.assertNoTaskRanTwice(name());
    assertThat(world.node(name()).getStatus().planHistory()).as("one plan, resumed").hasSize(1);
    assertThat(world.node(name()).getStatus().config()).isNotNull();
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
