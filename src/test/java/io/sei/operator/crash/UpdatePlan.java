package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.stream.Collectors;

/** A running node is given another image. */
final class UpdatePlan extends NodeScenario {

  UpdatePlan(World world) {
    super(world);
  }

  @Override
  public void begin() {
    rounds++;
    patch("{'spec':{'image':'%s'}}".formatted(image()));
  }

  @Override
  public void assertSound() {
    assertThat(world.pods(NODE)).hasSize(1 + rounds).last().extracting("image").isEqualTo(image());
    assertThat(world.executions(NODE, "mark-ready")).isEqualTo(1 + rounds);
    world.assertNoTaskRanTwice(NODE);
    var history = node().getStatus().planHistory();
    assertThat(history).last().asString().contains("Update to " + image());
    Set<String> targets =
        history.stream()
            .map(line -> line.replaceAll(".* to (\\S+) .*", "$1"))
            .collect(Collectors.toSet());
    assertThat(targets).as("one plan each, resumed").hasSameSizeAs(history);
  }
}
