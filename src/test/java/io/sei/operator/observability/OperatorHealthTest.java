package io.sei.operator.observability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.LifecycleAware;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@EnableKubernetesMockClient(crud = true, https = false)
class OperatorHealthTest {
  KubernetesMockServer server;
  KubernetesClient client;
  private final ExecutorService threads = Executors.newFixedThreadPool(2);
  private final AtomicBoolean leader = new AtomicBoolean();
  private List<String> deafWatches = List.of();
  private final Watcher watcher = new Watcher();
  private Operator operator;
  private OperatorHealth health;

  @BeforeEach
  void setUp() {
    operator =
        new Operator(
            o ->
                o.withKubernetesClient(client)
                    .withCloseClientOnStop(false)
                    .withUseSSAToPatchPrimaryResource(false)
                    .withExecutorService(threads)
                    .withInformerStoppedHandler((informer, error) -> {}));
    health =
        new OperatorHealth(
            operator, List.of(operator.register(watcher)), leader::get, () -> deafWatches);
  }

  @AfterEach
  void tearDown() {
    operator.stop();
    threads.shutdownNow();
  }

  @Test
  void isAliveButNotReadyBeforeTheStart() {
    assertThat(health.liveness().healthy()).isTrue();
    assertThat(health.readiness().problems())
        .startsWith("the operator has not started")
        .hasSizeGreaterThan(1)
        .allMatch(
            text -> text.matches("the operator has not started|informer .+ has not listed yet"));
  }

  @Test
  void aFollowerIsReadyAndSaysThatItIsOne() {
    operator.start();

    assertThat(health.liveness()).isEqualTo(HealthReport.ok());
    assertThat(health.readiness().text()).isEqualTo("ok\nleader: false\n");
    leader.set(true);
    assertThat(health.readiness().notes()).containsExactly("leader: true");
  }

  @Test
  void namesTheInformersThatStopped() {
    operator.start();

    // As the client does it when a watch ends for good.
    watcher.secrets.informerHealthIndicators().values().forEach(i -> ((LifecycleAware) i).stop());

    await()
        .untilAsserted(
            () ->
                assertThat(health.readiness().problems())
                    .singleElement()
                    .asString()
                    .startsWith("informer watcher/secrets of namespace ")
                    .endsWith(" has stopped"));
    assertThat(health.liveness().healthy()).isTrue();
  }

  @Test
  void isDeadWithoutReconcileThreads() {
    operator.start();

    threads.shutdownNow();

    assertThat(health.liveness().problems()).containsExactly("the reconcile threads have stopped");
  }

  @Test
  void isDeadWhileAWatchCannotBeRevived() {
    operator.start();
    deafWatches = List.of("/api/v1/pods");

    assertThat(health.liveness().problems())
        .containsExactly("the watch of /api/v1/pods stays silent although it was renewed");
    assertThat(health.readiness().healthy()).isTrue();
  }

  @ControllerConfiguration(name = "watcher")
  static final class Watcher implements Reconciler<ConfigMap> {
    private InformerEventSource<Secret, ConfigMap> secrets;

    @Override
    public List<EventSource<?, ConfigMap>> prepareEventSources(
        EventSourceContext<ConfigMap> context) {
      secrets =
          new InformerEventSource<>(
              InformerEventSourceConfiguration.from(Secret.class, ConfigMap.class)
                  .withName("secrets")
                  .build(),
              context);
      return List.of(secrets);
    }

    @Override
    public UpdateControl<ConfigMap> reconcile(ConfigMap object, Context<ConfigMap> context) {
      return UpdateControl.noUpdate();
    }
  }
}
