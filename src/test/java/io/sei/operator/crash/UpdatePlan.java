package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import io.sei.operator.testkit.samples.Samples;
import java.util.Set;
import java.util.stream.Collectors;

/** A running node is given another image. */
final class UpdatePlan implements Scenario {

  static final String NODE = "node";

  private final World world;
  private int rounds;

  UpdatePlan(World world) {
    this.world = world;
  }

  @Override
  public void prepare() {
    createNode(world, image());
    World.eventually(this::assertDone);
  }

  static void createNode(World world, String image) {
    createNode(world, image, null);
  }

  /**
   * @param storageClass of its claim; null for the default
   */
  static void createNode(World world, String image, String storageClass) {
    var node =
        Samples.node(
            world.namespace(),
            NODE,
            SeiNodeSpecBuilder.builder()
                .chainId("atlantic-2")
                .image(image)
                .dataVolume(
                    storageClass == null
                        ? null
                        : new DataVolume(
                            null, null, new DataVolume.Storage(storageClass, null), null, null))
                .fullNode(new FullNode(null, null))
                .build());
    world.client().resource(node).create();
  }

  @Override
  public void begin() {
    rounds++;
    world.patch(SeiNode.class, NODE, "{'spec':{'image':'%s'}}".formatted(image()));
  }

  @Override
  public void assertDone() {
    world.assertSettled(NODE, image());
  }

  @Override
  public void assertSound() {
    assertThat(world.pods(NODE)).hasSize(1 + rounds).last().extracting("image").isEqualTo(image());
    assertThat(world.executions(NODE, "mark-ready")).isEqualTo(1 + rounds);
    world.assertNoTaskRanTwice(NODE);
    var history = world.node(NODE).getStatus().planHistory();
    assertThat(history).last().asString().contains("Update to " + image());
    Set<String> targets =
        history.stream()
            .map(line -> line.replaceAll(".* to (\\S+) .*", "$1"))
            .collect(Collectors.toSet());
    assertThat(targets).as("one plan each, resumed").hasSameSizeAs(history);
  }

  private String image() {
    return "sei:v" + rounds;
  }
}
