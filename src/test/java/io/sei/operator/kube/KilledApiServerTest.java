package io.sei.operator.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.node.NodeTestCase;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.ExclusiveControlPlane;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The API server is killed while changes are in flight. */
@ExclusiveControlPlane
class KilledApiServerTest extends NodeTestCase {

  private static final List<String> IMAGES = List.of(B, A);

  @Override
  protected void startOperator() throws Exception {
    operatorAs(controlPlane.config(ControlPlane.OPERATOR)).with("SEI_WATCH_SILENCE", "10s").start();
  }

  /** One watch in about a hundred did not notice the end of its connection. */
  @Test
  @Tag("long")
  void rolloutsContinueOverTwentyKills() {
    createRunning();

    IntStream.range(0, 20)
        .mapToObj(kill -> IMAGES.get(kill % IMAGES.size()))
        .forEach(
            image -> {
              setImage(image);
              controlPlane.restartApiServer();
              awaitUpToDate(image);
            });

    assertThat(events("Stalled")).isEmpty();
    assertThat(operator.watchMonitor().deaf()).isEmpty();
  }
}
