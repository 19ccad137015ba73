package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeConditionBuilder;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.NodeStatusBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one Node alive: without the object the pod garbage collector deletes the pods bound to it,
 * and without heartbeats the node lifecycle controller marks them unready after 40 s.
 */
final class NodeHeartbeat implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeHeartbeat.class);
  private static final String LEASE_NAMESPACE = "kube-node-lease";
  private static final int LEASE_SECONDS = 40;

  /** Enough for thousands of Sei nodes, which ask for tens of gigabytes each. */
  private static final Map<String, Quantity> CAPACITY =
      Map.of(
          "cpu", new Quantity("100000"),
          "memory", new Quantity("1000Ti"),
          "pods", new Quantity("100000"));

  private final KubernetesClient client;
  private final String name;
  private final Clock clock;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("kubelet-heartbeat").factory());
  private Instant since;
  private boolean lost;

  NodeHeartbeat(KubernetesClient client, String name, Clock clock) {
    this.client = client;
    this.name = name;
    this.clock = clock;
    this.since = clock.instant();
  }

  /** Registers the node, and heartbeats from now on. */
  void start(Duration interval) {
    register();
    beat();
    long millis = interval.toMillis();
    timer.scheduleWithFixedDelay(this::beatOrLog, millis, millis, TimeUnit.MILLISECONDS);
  }

  /**
   * Stops the heartbeats, and sets the conditions that the node's lifecycle controller will set.
   */
  synchronized void lose() {
    lost = true;
    since = clock.instant();
    writeStatus("Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.");
  }

  synchronized void recover() {
    lost = false;
    since = clock.instant();
    beat();
  }

  /** Says where the API server finds the kubelet. */
  void listenAt(int port) {
    patchStatus(
        new NodeStatusBuilder()
            .addNewAddress("127.0.0.1", "InternalIP")
            .withNewDaemonEndpoints()
            .withNewKubeletEndpoint(port)
            .endDaemonEndpoints()
            .build());
  }

  private void beatOrLog() {
    try {
      beat();
    } catch (RuntimeException e) {
      LOG.debug("The heartbeat of {} failed: {}", name, e.toString());
    }
  }

  private synchronized void beat() {
    if (lost) {
      return;
    }
    try {
      writeReady();
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
        throw e;
      }
      register();
      writeReady();
    }
    renewLease();
  }

  private void register() {
    createUnlessThere(() -> client.resource(node()).create());
    createUnlessThere(() -> client.resource(lease(clock.instant())).create());
  }

  private Node node() {
    return new NodeBuilder()
        .withNewMetadata()
        .withName(name)
        .addToLabels("kubernetes.io/hostname", name)
        .endMetadata()
        .build();
  }

  private void writeReady() {
    writeStatus("True", "KubeletReady", "kubelet is posting ready status");
  }

  private void writeStatus(String ready, String reason, String message) {
    String now = ContainerStatuses.time(clock.instant());
    NodeCondition condition =
        new NodeConditionBuilder()
            .withType("Ready")
            .withStatus(ready)
            .withReason(reason)
            .withMessage(message)
            .withLastHeartbeatTime(now)
            .withLastTransitionTime(ContainerStatuses.time(since))
            .build();
    patchStatus(
        new NodeStatusBuilder()
            .withConditions(condition)
            .withCapacity(CAPACITY)
            .withAllocatable(CAPACITY)
            .build());
  }

  private void patchStatus(NodeStatus status) {
    client
        .resource(node())
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE), Serialization.asJson(Map.of("status", status)));
  }

  private void renewLease() {
    Instant now = clock.instant();
    client
        .resource(lease(now))
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            Serialization.asJson(Map.of("spec", Map.of("renewTime", MicroTime.of(now)))));
  }

  private Lease lease(Instant renewed) {
    return new LeaseBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(LEASE_NAMESPACE)
        .endMetadata()
        .withNewSpec()
        .withHolderIdentity(name)
        .withLeaseDurationSeconds(LEASE_SECONDS)
        .withRenewTime(renewed.atZone(ZoneOffset.UTC))
        .endSpec()
        .build();
  }

  private static void createUnlessThere(Runnable create) {
    try {
      create.run();
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
        throw e;
      }
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
