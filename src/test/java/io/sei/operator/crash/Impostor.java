package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.client.dsl.RollableScalableResource;
import io.sei.operator.testkit.UidRecorder;

/** A user deletes a node's StatefulSet and creates another one of that name. */
final class Impostor extends NodeScenario {

  private String own;
  private String impostor;
  private UidRecorder seen;

  Impostor(World world) {
    super(world);
  }

  @Override
  String image() {
    return "sei:a";
  }

  @Override
  public void begin() {
    StatefulSet original = statefulSet().get();
    own = original.getMetadata().getUid();
    seen = UidRecorder.of(statefulSet());
    world.killSwitch().hold();
    statefulSet().withPropagationPolicy(DeletionPropagation.BACKGROUND).delete();
    World.eventually(() -> assertThat(statefulSet().get()).isNull());
    impostor =
        world
            .client()
            .resource(
                new StatefulSetBuilder()
                    .withNewMetadata()
                    .withName(NODE)
                    .withNamespace(world.namespace())
                    .withLabels(original.getMetadata().getLabels())
                    .endMetadata()
                    .withSpec(original.getSpec())
                    .build())
            .create()
            .getMetadata()
            .getUid();
    world.killSwitch().release();
  }

  @Override
  public void assertDone() {
    assertThat(statefulSet().get().getMetadata().getUid()).isNotIn(own, impostor);
    world.assertSettled(NODE, image());
  }

  @Override
  public void assertSound() {
    String third = statefulSet().get().getMetadata().getUid();
    World.eventually(() -> assertThat(seen.uids()).last().isEqualTo(third));
    assertThat(seen.uids()).containsExactly(own, impostor, third);
    assertThat(world.operator().requests().deleted())
        .as("pods are the controllers' business here")
        .noneMatch(path -> path.contains("/pods/"));
    world.assertNoTaskRanTwice(NODE);
  }

  @Override
  public void tidy() {
    seen.close();
  }

  private RollableScalableResource<StatefulSet> statefulSet() {
    return world.client().apps().statefulSets().inNamespace(world.namespace()).withName(NODE);
  }
}
