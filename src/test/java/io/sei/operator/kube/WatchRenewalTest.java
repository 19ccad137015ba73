package io.sei.operator.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.sei.operator.testkit.FaultyApiServer;
import io.sei.operator.testkit.RequestLog;
import io.sei.operator.testkit.TcpProxy;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.RealControlPlane;
import io.sei.operator.testkit.controlplane.TestNamespace;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An informer whose connections fail misses no change and gets none twice. */
@RealControlPlane
class WatchRenewalTest {

  private static final Duration SILENCE = Duration.ofMinutes(2);

  private final RequestLog requests = new RequestLog();
  private final WatchMonitor monitor = new WatchMonitor(Clock.systemUTC());
  private final List<String> added = new CopyOnWriteArrayList<>();
  private ControlPlane controlPlane;
  private String namespace;
  private TcpProxy proxy;
  private KubernetesClient client;
  private SharedIndexInformer<ConfigMap> informer;

  @BeforeEach
  void prepare(ControlPlane controlPlane, TestNamespace namespace) {
    this.controlPlane = controlPlane;
    this.namespace = namespace.name();
    proxy = new TcpProxy(controlPlane.config(ControlPlane.ADMIN));
  }

  @AfterEach
  void close() {
    informer.stop();
    client.close();
    proxy.close();
  }

  @Test
  void aWatchOnADeadConnectionContinuesFromItsLastVersion() {
    informThrough(proxy.config());
    create("before");
    awaitAdded("before");

    proxy.stopForwarding();
    create("meanwhile-0", "meanwhile-1");
    monitor.renewSilent(Duration.ZERO);

    awaitAdded("before", "meanwhile-0", "meanwhile-1");
    assertThat(monitor.renewals()).isEqualTo(1);
    assertThat(lists()).isEqualTo(1);
  }

  @Test
  void aWatchThatIsSilentAgainIsListedAnew() {
    informThrough(proxy.config());
    create("before");
    awaitAdded("before");

    proxy.stopForwarding();
    awaitListedAnew();
    create("after");

    awaitAdded("before", "after");
    assertThat(monitor.deaf()).isEmpty();
  }

  @Tag("long")
  @Test
  void aConnectionThatIsClosedWithoutAMessageLosesNothing() {
    informThrough(proxy.config());

    for (int cut = 0; cut < 5; cut++) {
      proxy.finish();
      create("after-" + cut);
      awaitAddedRenewing(IntStream.rangeClosed(0, cut).mapToObj("after-%d"::formatted).toList());
    }
  }

  @Tag("long")
  @Test
  void aWatchWithoutWebSocketIsRenewedAndListedAnewToo() {
    try (var door = new FaultyApiServer(controlPlane.config(ControlPlane.ADMIN))) {
      informThrough(door.config());
      create("before");
      awaitAdded("before");

      door.holdWatches();
      create("meanwhile");
      monitor.renewSilent(Duration.ZERO);
      door.releaseWatches();

      awaitAdded("before", "meanwhile");
      assertThat(lists()).isEqualTo(1);
      door.holdWatches();
      create("later");
      awaitListedAnew();
      awaitAdded("before", "meanwhile", "later");
    }
  }

  /** Bookmarks come about once a minute. */
  @Tag("long")
  @Test
  void anIdleWatchIsNotRenewed() {
    informThrough(controlPlane.config(ControlPlane.ADMIN));

    await()
        .during(Duration.ofMinutes(6))
        .atMost(Duration.ofMinutes(7))
        .pollInterval(Duration.ofSeconds(10))
        .untilAsserted(
            () -> {
              monitor.renewSilent(SILENCE);
              assertThat(monitor.renewals()).isZero();
              assertThat(monitor.age()).isLessThan(SILENCE);
            });
  }

  @Tag("long")
  @Test
  void aDeadConnectionIsRenewedAfterTwoMinutes() {
    informThrough(proxy.config());
    create("before");
    awaitAdded("before");

    proxy.stopForwarding();
    create("meanwhile");

    await()
        .atMost(Duration.ofMinutes(3))
        .untilAsserted(
            () -> {
              monitor.renewSilent(SILENCE);
              assertThat(added).containsExactly("before", "meanwhile");
            });
    assertThat(monitor.renewals()).isEqualTo(1);
  }

  private void informThrough(Config config) {
    client =
        KubernetesClients.create(
            config, monitor, http -> http.addOrReplaceInterceptor("requests", requests));
    informer =
        client
            .configMaps()
            .inNamespace(namespace)
            .withLabel("counted")
            .inform(
                new ResourceEventHandler<>() {
                  @Override
                  public void onAdd(ConfigMap object) {
                    added.add(object.getMetadata().getName());
                  }

                  @Override
                  public void onUpdate(ConfigMap before, ConfigMap after) {
                    added.add("update of " + after.getMetadata().getName());
                  }

                  @Override
                  public void onDelete(ConfigMap object, boolean unknown) {
                    added.add("delete of " + object.getMetadata().getName());
                  }
                });
  }

  /** The first renewal continues from the last version, those after it list anew. */
  private void awaitListedAnew() {
    await()
        .untilAsserted(
            () -> {
              monitor.renewSilent(Duration.ofMillis(500));
              assertThat(lists()).isEqualTo(2);
            });
  }

  private void create(String... names) {
    for (String name : names) {
      controlPlane
          .client()
          .resource(
              new ConfigMapBuilder()
                  .withNewMetadata()
                  .withName(name)
                  .withNamespace(namespace)
                  .addToLabels("counted", "yes")
                  .endMetadata()
                  .build())
          .create();
    }
  }

  private void awaitAdded(String... names) {
    await().untilAsserted(() -> assertThat(added).containsExactly(names));
  }

  /** The library misses the end of one connection in about a hundred. */
  private void awaitAddedRenewing(List<String> names) {
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> {
              monitor.renewSilent(Duration.ofSeconds(3));
              assertThat(added).containsExactlyElementsOf(names);
            });
  }

  private long lists() {
    return requests
        .matching(request -> request.path().endsWith("/configmaps") && !request.isWatch())
        .size();
  }
}
