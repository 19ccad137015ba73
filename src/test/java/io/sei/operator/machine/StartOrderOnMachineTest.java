package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Isolated;

/** The network of the samples makes blocks whichever of its objects is applied first. */
@Tag("long")
@Isolated
class StartOrderOnMachineTest extends MachineTestCase {

  private static final Path SAMPLE = Path.of("manifests", "samples", "local-network.yaml");
  private static final List<String> VALIDATORS =
      IntStream.range(0, 4).mapToObj(i -> "local-" + i + "-0").toList();
  private static final String RPC = "local-network-rpc-0";

  /** A node that starts before any validator has a pod finds no peers, and is restarted. */
  @RepeatedTest(20)
  void theNodeForRpcFollowsTheChain(RepetitionInfo run) throws IOException {
    String[] objects = Files.readString(SAMPLE).split("(?m)^---$");
    assertThat(objects).as("the validators, and the node for RPC").hasSize(2);
    switch (run.getCurrentRepetition() % 3) {
      case 0 -> apply(objects[0] + "---" + objects[1]);
      case 1 -> {
        apply(objects[1]);
        apply(objects[0]);
      }
      default -> {
        apply(objects[0]);
        awaitHeight(VALIDATORS.getFirst(), 2);
        apply(objects[1]);
      }
    }

    VALIDATORS.forEach(validator -> awaitHeight(validator, 2));
    awaitHeight(RPC, 2);
  }
}
