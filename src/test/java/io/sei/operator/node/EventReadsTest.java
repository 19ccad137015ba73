package io.sei.operator.node;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.EventListBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.node.feature.ProgressDeadline;
import io.sei.operator.testkit.ApiFault;
import io.sei.operator.testkit.FaultyApiServer;
import io.sei.operator.testkit.WrongClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An API server with many Events takes seconds to find those of one object. */
class EventReadsTest {

  private static final Event FOUND =
      new EventBuilder().withNewMetadata().withName("found").endMetadata().build();
  private static final String ANSWER =
      Serialization.asJson(new EventListBuilder().withItems(FOUND).build());

  private final CountDownLatch answered = new CountDownLatch(1);
  private final FaultyApiServer server = new FaultyApiServer(Config.empty());
  private final KubernetesClient client = KubernetesClients.create(server.config());
  private final WrongClock clock = new WrongClock();
  private final LiveEvidence evidence =
      new LiveEvidence(
          new KubeApi(client),
          new KubernetesNodes(new KubeApi(client), clock),
          new ProgressDeadline(Duration.ofMinutes(10)),
          new PerObjectState<>(),
          clock);

  @AfterEach
  void close() {
    answered.countDown();
    client.close();
    server.close();
  }

  @Test
  void oneReadThatIsNotAnsweredKeepsNoOtherReconcileWaiting() {
    server.inject(
        request -> true,
        request -> {
          answered.await();
          return Optional.of(new ApiFault.Answer(200, Map.of(), ANSWER));
        });
    assertThat(look("a")).isEmpty();
    assertThat(look("b")).isEmpty();
    clock.jumpTo(Duration.ofSeconds(6));

    var first = CompletableFuture.supplyAsync(() -> look("a"));
    await().until(() -> server.received().size() == 1);
    assertThat(look("b")).isEmpty();
    assertThat(server.received()).hasSize(1);

    answered.countDown();
    assertThat(first.join()).containsExactly(FOUND);
    clock.jumpTo(Duration.ofSeconds(60));
    assertThat(look("b")).containsExactly(FOUND);
  }

  private List<Event> look(String name) {
    return evidence.ofWaiting(
        aNode("sei:a").named("default", name).running().pass(), Optional.empty());
  }
}
