package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.testkit.ApiFault;
import io.sei.operator.testkit.FaultyApiServer;
import io.sei.operator.testkit.WrongClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How old an answer about a Kubernetes node may be. */
class KubernetesNodesTest {

  private static final String MACHINE = "machine-1";

  private final FaultyApiServer server = new FaultyApiServer(Config.empty());
  private final KubernetesClient client = KubernetesClients.create(server.config());
  private final WrongClock clock = new WrongClock();
  private final KubernetesNodes nodes = new KubernetesNodes(new KubeApi(client), clock);

  @BeforeEach
  void answer() {
    String node =
        Serialization.asJson(
            new NodeBuilder().withNewMetadata().withName(MACHINE).endMetadata().build());
    server.inject(
        request -> true, request -> Optional.of(new ApiFault.Answer(200, Map.of(), node)));
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  @Test
  void answerStandsForTenSeconds() {
    nodes.of(MACHINE);
    nodes.of(MACHINE);
    assertThat(server.received()).hasSize(1);

    clock.jumpTo(Duration.ofSeconds(10));
    nodes.of(MACHINE);

    assertThat(server.received()).hasSize(2);
  }

  /** The answer of a drain, a moment before the machine was lost, hid the loss for a minute. */
  @Test
  void answerFromBeforeAChangeOfAPodDoesNotStandForIt() {
    Instant before = clock.instant().minusSeconds(2);
    nodes.of(MACHINE);
    nodes.of(MACHINE, before);
    assertThat(server.received()).hasSize(1);

    nodes.of(MACHINE, clock.instant());

    assertThat(server.received()).hasSize(2);
  }
}
