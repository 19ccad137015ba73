package io.sei.operator.testkit;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.sei.operator.testkit.controlplane.RealControlPlane;
import io.sei.operator.testkit.controlplane.TestNamespace;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A kubelet and a sidecar simulator on a real control plane, and StatefulSets for them. */
@RealControlPlane
abstract class KubeletTestCase {
  static final String IMAGE = "sei:v1";
  static final String NEW_IMAGE = "sei:v2";
  static final String POD = "node-0";

  /** Longer than anything here takes on a slow machine. */
  static final Duration PATIENCE = Duration.ofSeconds(60);

  private final HttpClient http = HttpClient.newHttpClient();
  KubernetesClient client;
  String namespace;
  SidecarSimulator sidecar;
  KubeletSimulator kubelet;

  @BeforeEach
  void start(KubernetesClient client, TestNamespace namespace) {
    this.client = client;
    this.namespace = namespace.name();
    sidecar = new SidecarSimulator();
    kubelet = KubeletSimulator.inNamespace(client, sidecar, this.namespace);
  }

  @AfterEach
  void stop() {
    kubelet.close();
    sidecar.close();
  }

  void createReady() {
    create("node");
    eventually(() -> assertThat(pod().getStatus().getPhase()).isEqualTo("Running"));
    markReady("node");
    eventually(() -> assertReady("True"));
  }

  void create(String node) {
    create(node, null);
  }

  void create(String node, String claim) {
    StatefulSet set =
        new StatefulSetBuilder()
            .withNewMetadata()
            .withName(node)
            .endMetadata()
            .withNewSpec()
            .withReplicas(1)
            .withServiceName(node)
            .withNewSelector()
            .addToMatchLabels("sei.io/node", node)
            .endSelector()
            .withNewUpdateStrategy()
            .withType("OnDelete")
            .endUpdateStrategy()
            .withNewTemplate()
            .withNewMetadata()
            .addToLabels("sei.io/node", node)
            .endMetadata()
            .withNewSpec()
            .addNewInitContainer()
            .withName("seid-init")
            .withImage(IMAGE)
            .endInitContainer()
            .addNewContainer()
            .withName("seid")
            .withImage(IMAGE)
            .withTerminationMessagePolicy("FallbackToLogsOnError")
            .endContainer()
            .addNewContainer()
            .withName("sei-sidecar")
            .withImage("seictl:v1")
            .withArgs("serve")
            .withEnv(SidecarEnvironment.sample())
            .endContainer()
            .endSpec()
            .endTemplate()
            .endSpec()
            .build();
    if (claim != null) {
      set =
          set.edit()
              .editSpec()
              .editTemplate()
              .editSpec()
              .addNewVolume()
              .withName("data")
              .withNewPersistentVolumeClaim(claim, false)
              .endVolume()
              .endSpec()
              .endTemplate()
              .endSpec()
              .build();
    }
    client.apps().statefulSets().inNamespace(namespace).resource(set).create();
  }

  void setImage(String image) {
    client
        .apps()
        .statefulSets()
        .inNamespace(namespace)
        .withName("node")
        .edit(
            set -> {
              var spec = set.getSpec().getTemplate().getSpec();
              spec.getInitContainers().get(0).setImage(image);
              spec.getContainers().get(0).setImage(image);
              return set;
            });
    // A pod deleted earlier may come back from the old template.
    eventually(
        () -> {
          StatefulSet set = statefulSet("node");
          assertThat(set.getStatus().getObservedGeneration())
              .isEqualTo(set.getMetadata().getGeneration());
        });
    client.pods().inNamespace(namespace).withName(POD).delete();
  }

  void createClaim(String name) {
    client
        .persistentVolumeClaims()
        .inNamespace(namespace)
        .resource(
            new PersistentVolumeClaimBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withAccessModes("ReadWriteOnce")
                .withNewResources()
                .addToRequests("storage", new Quantity("2Ti"))
                .endResources()
                .endSpec()
                .build())
        .create();
  }

  void markReady(String node) {
    String body = "{\"id\":\"%s\",\"type\":\"mark-ready\"}".formatted(UUID.randomUUID());
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(sidecar.url(namespace, node) + "/v0/tasks"))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    try {
      int status = http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
      assertThat(status).isEqualTo(201);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  Pod pod() {
    return client.pods().inNamespace(namespace).withName(POD).get();
  }

  StatefulSet statefulSet(String name) {
    return client.apps().statefulSets().inNamespace(namespace).withName(name).get();
  }

  PersistentVolumeClaim claim(String name) {
    return client.persistentVolumeClaims().inNamespace(namespace).withName(name).get();
  }

  String nodeReady() {
    return client.nodes().withName(kubelet.nodeName()).get().getStatus().getConditions().stream()
        .filter(c -> c.getType().equals("Ready"))
        .map(c -> c.getStatus())
        .findFirst()
        .orElseThrow();
  }

  void assertReady(String status) {
    assertThat(condition(pod(), "Ready")).isEqualTo(status);
  }

  static String condition(Pod pod, String type) {
    return Optional.ofNullable(find(pod, type)).map(PodCondition::getStatus).orElse(null);
  }

  static PodCondition find(Pod pod, String type) {
    return pod.getStatus().getConditions().stream()
        .filter(c -> c.getType().equals(type))
        .findFirst()
        .orElse(null);
  }

  static ContainerStatus container(Pod pod, String name) {
    return named(pod.getStatus().getContainerStatuses(), name);
  }

  static ContainerStatus init(Pod pod, String name) {
    return named(pod.getStatus().getInitContainerStatuses(), name);
  }

  static ContainerStatus named(List<ContainerStatus> statuses, String name) {
    return statuses.stream().filter(s -> s.getName().equals(name)).findFirst().orElseThrow();
  }

  /** Exceptions count as not yet, because a replaced pod is absent for a moment. */
  static void eventually(ThrowingRunnable assertion) {
    await()
        .atMost(PATIENCE)
        .pollInterval(ofMillis(20))
        .pollDelay(Duration.ZERO)
        .ignoreExceptions()
        .untilAsserted(assertion);
  }
}
