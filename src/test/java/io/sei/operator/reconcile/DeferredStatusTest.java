package io.sei.operator.reconcile;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.testkit.ManualExecutor;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class DeferredStatusTest {

  private final ManualExecutor<ResourceID> executor =
      ManualExecutor.lazy(Instant.parse("2026-06-01T10:00:00Z"));
  private final DeferredStatus<SeiNodeStatus> deferred =
      new DeferredStatus<>(new PerObjectState<>(node -> {}), executor.clock());
  private final SeiNode node = ofVersion("1");
  private final SeiNodeStatus reached = SeiNodeStatus.empty().withCurrentImage("sei:reached");

  @Test
  void progressWaitsForTheNextOtherChangeAndAtMostTenSeconds() {
    assertThat(deferred.delay(node, reached, true)).contains(Duration.ofSeconds(10));
    assertThat(deferred.of(node)).contains(reached);

    executor.advance(Duration.ofSeconds(9));
    assertThat(deferred.delay(node, reached, true)).contains(Duration.ofSeconds(1));

    executor.advance(Duration.ofSeconds(1));
    assertThat(deferred.delay(node, reached, true)).isEmpty();
    assertThat(deferred.of(node)).isEmpty();
  }

  @Test
  void progressIsWrittenWithAnotherChangeAndDroppedWithAnotherVersion() {
    deferred.delay(node, reached, true);
    assertThat(deferred.of(ofVersion("2"))).isEmpty();

    assertThat(deferred.delay(node, reached, false)).isEmpty();
    assertThat(deferred.of(node)).isEmpty();
  }

  private static SeiNode ofVersion(String version) {
    SeiNode node = aNode("1").build();
    node.getMetadata().setResourceVersion(version);
    return node;
  }
}
