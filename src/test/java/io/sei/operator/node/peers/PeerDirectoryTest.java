package io.sei.operator.node.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sei.operator.config.OperatorConfig;
import io.sei.operator.sidecar.Audience;
import io.sei.operator.sidecar.HttpSidecarClient;
import io.sei.operator.sidecar.OpenAccess;
import io.sei.operator.sidecar.SidecarAddress;
import io.sei.operator.testkit.SidecarSimulator;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PeerDirectoryTest {

  private static final ResourceID PEER = new ResourceID("peer", "default");
  private static final OpenAccess OPEN = new OpenAccess(Audience.SIDECAR);
  private static final ResourceID ONE = new ResourceID("one", "default");
  private static final ResourceID OTHER = new ResourceID("other", "default");
  private static final String ID = SidecarSimulator.nodeId("default", "peer");

  private final SidecarSimulator sidecar = new SidecarSimulator();
  private HttpSidecarClient client;
  private PeerDirectory directory;

  @BeforeEach
  void open() {
    var config =
        OperatorConfig.fromEnvironment(Map.of("SEI_SIDECAR_URL_TEMPLATE", sidecar.urlTemplate()));
    client = new HttpSidecarClient(config.sidecar(), OPEN, new SimpleMeterRegistry());
    directory = new PeerDirectory(client);
    sidecar.initHome("default", "peer");
  }

  @AfterEach
  void close() {
    directory.stop();
    client.close();
    sidecar.close();
  }

  @Test
  void sidecarIsAskedOncePerPodHoweverManyWantToKnow() {
    sidecar.podStarted("default", "peer", "pod-1");

    awaitKnown("pod-1");
    assertThat(directory.nodeId(PEER, sidecarOf("pod-1"), ONE)).contains(ID);
    assertThat(directory.nodeId(PEER, sidecarOf("pod-1"), OTHER)).contains(ID);
    assertThat(sidecar.requests("default", "peer")).hasSize(1);

    sidecar.podStarted("default", "peer", "pod-2");
    await()
        .untilAsserted(
            () -> {
              assertThat(directory.nodeId(PEER, sidecarOf("pod-2"), ONE)).contains(ID);
              assertThat(sidecar.requests("default", "peer")).hasSize(2);
            });
  }

  @Test
  void newAddressOfAPodThatHasNotAnsweredIsAsked() {
    String template = sidecar.urlTemplate().replace("127.0.0.1", "{podIP}");
    var atPods = OperatorConfig.fromEnvironment(Map.of("SEI_SIDECAR_URL_TEMPLATE", template));
    try (var byAddress = new HttpSidecarClient(atPods.sidecar(), OPEN, new SimpleMeterRegistry())) {
      var peers = new PeerDirectory(byAddress);
      sidecar.podStarted("default", "peer", "pod-1");

      assertThat(peers.nodeId(PEER, at("127.0.0.2"), ONE)).isEmpty();

      await()
          .untilAsserted(() -> assertThat(peers.nodeId(PEER, at("127.0.0.1"), ONE)).contains(ID));
      peers.stop();
    }
  }

  @Test
  void whoeverAskedBeforeThePodGotItsAddressIsWokenToo() {
    String template = sidecar.urlTemplate().replace("127.0.0.1", "{podIP}");
    var atPods = OperatorConfig.fromEnvironment(Map.of("SEI_SIDECAR_URL_TEMPLATE", template));
    var woken = new CopyOnWriteArrayList<ResourceID>();
    try (var byAddress = new HttpSidecarClient(atPods.sidecar(), OPEN, new SimpleMeterRegistry())) {
      var peers = new PeerDirectory(byAddress);
      peers.setEventHandler(event -> woken.add(event.getRelatedCustomResourceID()));
      peers.start();

      assertThat(peers.nodeId(PEER, sidecarOf("pod-1"), ONE)).isEmpty();
      sidecar.podStarted("default", "peer", "pod-1");
      peers.nodeId(PEER, at("127.0.0.1"), OTHER);

      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(() -> assertThat(woken).containsExactlyInAnyOrder(ONE, OTHER));
      peers.stop();
    }
  }

  private static SidecarAddress at(String address) {
    return new SidecarAddress("default", "peer", Optional.of("pod-1"), Optional.of(address));
  }

  private static SidecarAddress sidecarOf(String podUid) {
    return new SidecarAddress("default", "peer", Optional.of(podUid), Optional.empty());
  }

  @Test
  void identityOfTheLastPodStandsUntilTheNextOneAnswers() {
    sidecar.podStarted("default", "peer", "pod-1");
    awaitKnown("pod-1");
    sidecar.podStopped("default", "peer");

    assertThat(directory.nodeId(PEER, sidecarOf("pod-2"), ONE)).contains(ID);
    assertThat(directory.nodeId(PEER)).contains(ID);
  }

  @Test
  void sidecarThatDoesNotAnswerIsAskedAgain() {
    assertThat(directory.nodeId(PEER, sidecarOf("pod-1"), ONE)).isEmpty();
    sidecar.podStarted("default", "peer", "pod-1");

    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(directory.nodeId(PEER)).contains(ID));
  }

  @Test
  void nodeThatIsGoneIsForgotten() {
    sidecar.podStarted("default", "peer", "pod-1");
    awaitKnown("pod-1");

    directory.forget(PEER);

    assertThat(directory.nodeId(PEER)).isEqualTo(Optional.empty());
  }

  private void awaitKnown(String podUid) {
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> assertThat(directory.nodeId(PEER, sidecarOf(podUid), ONE)).contains(ID));
  }
}
