package io.sei.operator.kube;

import static io.sei.operator.testkit.Patience.eventually;
import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.testkit.RequestLog;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.RealControlPlane;
import io.sei.operator.testkit.controlplane.TestNamespace;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@RealControlPlane
class ApplierTest {

  private static final String HASH = "example.com/hash";
  private static final String OWNER = "example.com/owner";

  private final RequestLog requests = new RequestLog();
  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private KubernetesClient client;
  private String namespace;
  private Applier applier;

  @BeforeEach
  void prepare(ControlPlane controlPlane, TestNamespace namespace) {
    this.namespace = namespace.name();
    client =
        KubernetesClients.builder(controlPlane.config(ControlPlane.ADMIN))
            .withHttpClientBuilderConsumer(
                http -> http.addOrReplaceInterceptor("requests", requests))
            .build();
    applier =
        new Applier(
            new KubeApi(client),
            client.getKubernetesSerialization(),
            "tester",
            HASH,
            new PerObjectState<>(),
            metrics);
  }

  @AfterEach
  void close() {
    client.close();
  }

  @Test
  void absentObjectIsCreatedWithTheHashOfItsRendering() {
    Applier.Applied<ConfigMap> created = apply(rendered("1"), Optional.empty());

    assertThat(created.changed()).isTrue();
    assertThat(created.differences()).isEmpty();
    assertThat(created.object().getData()).containsEntry("key", "1");
    assertThat(created.object().getMetadata().getAnnotations()).containsKey(HASH);
    assertThat(count("created")).isEqualTo(1);
  }

  @Test
  void creatingDoesNotSeizeWhatAnotherMadeMeanwhile() {
    client.resource(rendered("theirs")).create();

    assertThatExceptionOfType(KubernetesClientException.class)
        .isThrownBy(() -> apply(rendered("ours"), Optional.empty()))
        .satisfies(e -> assertThat(e.getCode()).isEqualTo(409));
    assertThat(live().getData()).containsEntry("key", "theirs");
  }

  @Test
  void unchangedObjectCostsNoRequest() {
    ConfigMap created = apply(rendered("1"), Optional.empty()).object();
    requests.clear();

    Applier.Applied<ConfigMap> again = apply(rendered("1"), Optional.of(created));

    assertThat(again.changed()).isFalse();
    assertThat(requests.all()).isEmpty();
  }

  @Test
  void changedRenderingIsAppliedAndNamesWhatDiffered() {
    ConfigMap created = apply(rendered("1"), Optional.empty()).object();

    Applier.Applied<ConfigMap> applied = apply(rendered("2"), Optional.of(created));

    assertThat(applied.changed()).isTrue();
    assertThat(applied.differences()).containsExactly("data.key");
    assertThat(live().getData()).containsEntry("key", "2");
    assertThat(count("changed")).isEqualTo(1);
  }

  @Test
  void fieldNoLongerRenderedIsRemoved() {
    ConfigMap more = new ConfigMapBuilder(rendered("1")).addToData("more", "x").build();
    ConfigMap created = apply(more, Optional.empty()).object();

    apply(rendered("1"), Optional.of(created));

    assertThat(live().getData()).doesNotContainKey("more");
  }

  @Test
  void foreignEditIsRevertedAndForeignFieldsStay() {
    apply(rendered("1"), Optional.empty());
    client
        .resource(live())
        .edit(
            map ->
                new ConfigMapBuilder(map)
                    .addToData(Map.of("key", "foreign", "other", "x"))
                    .build());

    Applier.Applied<ConfigMap> applied = apply(rendered("1"), Optional.of(live()));

    assertThat(applied.changed()).isTrue();
    assertThat(live().getData()).containsEntry("key", "1").containsEntry("other", "x");
  }

  @Test
  void objectThatTookThePlaceOfTheOneSeenIsNotWritten() {
    ConfigMap seen = apply(rendered("1"), Optional.empty()).object();
    client.resource(seen).delete();
    client.resource(rendered("theirs")).create();

    assertThatExceptionOfType(KubernetesClientException.class)
        .isThrownBy(() -> apply(rendered("2"), Optional.of(seen)))
        .withMessageContaining("uid");
    assertThat(live().getData()).containsEntry("key", "theirs");
  }

  @Test
  void objectThatIsGoneIsNotCreatedByAnUpdate() {
    ConfigMap seen = apply(rendered("1"), Optional.empty()).object();
    client.resource(seen).delete();

    assertThatExceptionOfType(KubernetesClientException.class)
        .isThrownBy(() -> apply(rendered("2"), Optional.of(seen)))
        .satisfies(e -> assertThat(e.getCode()).isEqualTo(409));
    assertThat(live()).isNull();
  }

  @Test
  void whatTheApiServerDefaultsIsNoDifference() {
    Service rendered =
        yaml(
            Service.class,
            """
            metadata: {name: object, namespace: %s}
            spec: {clusterIP: None, ports: [{name: rpc, port: 80, protocol: TCP}]}
            """,
            namespace);
    Service created = apply(rendered, Optional.empty()).object();
    requests.clear();

    assertThat(apply(rendered, Optional.of(created)).changed()).isFalse();
    assertThat(requests.all()).isEmpty();
  }

  @Test
  void differenceThatApplyingCannotRemoveIsTriedOnce() {
    // The API server accepts selfLink and does not keep it.
    ConfigMap stubborn =
        new ConfigMapBuilder(rendered("1"))
            .editMetadata()
            .withSelfLink("/forgotten")
            .addToLabels(OWNER, "me")
            .endMetadata()
            .build();
    var owner =
        new ConfigMapBuilder().withNewMetadata().withName("me").withUid("u").endMetadata().build();
    var objects = new OwnedObjects(new KubeApi(client), applier, OWNER);
    apply(stubborn, Optional.empty());

    // In a second that has just begun the object gets another version all the same.
    eventually(
        () -> {
          objects.sync(owner, () -> stubborn, Optional.of(live()), (now, before) -> {});
          assertThat(count("unchanged")).isEqualTo(1);
        });
    Optional<ConfigMap> after = Optional.of(live());
    requests.clear();

    assertThat(objects.sync(owner, () -> stubborn, after, (now, before) -> {}))
        .isEqualTo(new OwnedObjects.Outcome.Ready());
    assertThat(requests.all()).isEmpty();
  }

  private <T extends HasMetadata> Applier.Applied<T> apply(T rendered, Optional<T> live) {
    return applier.apply(Intent.of(rendered), rendered, live);
  }

  private double count(String result) {
    return metrics.counter("sei.applies", "kind", "ConfigMap", "result", result).count();
  }

  private ConfigMap live() {
    return client.configMaps().inNamespace(namespace).withName("object").get();
  }

  private ConfigMap rendered(String value) {
    return yaml(
        ConfigMap.class,
        """
        metadata: {name: object, namespace: %s}
        data: {key: '%s'}
        """,
        namespace,
        value);
  }
}
