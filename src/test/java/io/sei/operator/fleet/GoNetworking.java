package io.sei.operator.fleet;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionBuilder;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRoute;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRouteBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/** Leaves behind what the Go operator makes of {@code spec.networking}. */
public final class GoNetworking {

  private static final String OF_FLEETS = "seinodedeployment-controller";
  private static final String OF_P2P = "nodedeployment-controller-p2p-endpoint";

  private final KubernetesClient client;
  private final String namespace;

  public GoNetworking(KubernetesClient client, String namespace) {
    this.client = client;
    this.namespace = namespace;
  }

  /** Makes the API server serve HTTPRoutes, of any content. */
  public static void installRoutes(KubernetesClient client) {
    client.resource(routeDefinition()).createOr(NonDeletingOperation::update);
    await()
        .atMost(Duration.ofMinutes(1))
        .ignoreExceptions()
        .until(() -> client.resources(HTTPRoute.class).inNamespace("default").list() != null);
  }

  /**
   * Waits until the garbage collector knows HTTPRoutes: it learns of new kinds every 30 seconds,
   * and before that does not take an owner off them that orphans them.
   */
  public void awaitCollectionOfRoutes() {
    HTTPRoute ownerless =
        new HTTPRouteBuilder()
            .withNewMetadata()
            .withName("of-nobody")
            .withNamespace(namespace)
            .addNewOwnerReference()
            .withApiVersion("v1")
            .withKind("ConfigMap")
            .withName("gone")
            .withUid(UUID.randomUUID().toString())
            .endOwnerReference()
            .endMetadata()
            .build();
    client.resource(ownerless).create();
    await().atMost(Duration.ofMinutes(3)).until(() -> client.resource(ownerless).get() == null);
  }

  /** Applies the objects of a fleet of two nodes, as its own. */
  public void leaveBehind(SeiNodeDeployment fleet) {
    String objects =
        template()
            .replace("${fleet}", fleet.getMetadata().getName())
            .replace("${namespace}", namespace)
            .replace("${uid}", fleet.getMetadata().getUid());
    var stream = new ByteArrayInputStream(objects.getBytes(StandardCharsets.UTF_8));
    for (HasMetadata object : client.load(stream).items()) {
      String manager = object.getMetadata().getName().endsWith("-p2p") ? OF_P2P : OF_FLEETS;
      client.resource(object).fieldManager(manager).forceConflicts().serverSideApply();
    }
  }

  /** Returns the objects that exist, the fleet's own Service included. */
  public List<HasMetadata> objects() {
    return Stream.concat(
            client
                .services()
                .inNamespace(namespace)
                .withLabelSelector("sei.io/nodedeployment,!sei.io/node")
                .list()
                .getItems()
                .stream(),
            client
                .resources(HTTPRoute.class)
                .inNamespace(namespace)
                .withLabel("sei.io/nodedeployment")
                .list()
                .getItems()
                .stream())
        .map(HasMetadata.class::cast)
        .toList();
  }

  /** Their kinds and names. */
  public List<String> names() {
    return objects().stream()
        .map(object -> object.getKind() + " " + object.getMetadata().getName())
        .sorted()
        .toList();
  }

  /** The Service with a name, or null. */
  public Service service(String name) {
    return client.services().inNamespace(namespace).withName(name).get();
  }

  private static CustomResourceDefinition routeDefinition() {
    return new CustomResourceDefinitionBuilder()
        .withNewMetadata()
        .withName("httproutes.gateway.networking.k8s.io")
        .addToAnnotations("api-approved.kubernetes.io", "unapproved, for tests")
        .endMetadata()
        .withNewSpec()
        .withGroup("gateway.networking.k8s.io")
        .withScope("Namespaced")
        .withNewNames()
        .withKind("HTTPRoute")
        .withListKind("HTTPRouteList")
        .withPlural("httproutes")
        .withSingular("httproute")
        .endNames()
        .addNewVersion()
        .withName("v1")
        .withServed(true)
        .withStorage(true)
        .withNewSchema()
        .withNewOpenAPIV3Schema()
        .withType("object")
        .withXKubernetesPreserveUnknownFields(true)
        .endOpenAPIV3Schema()
        .endSchema()
        .endVersion()
        .endSpec()
        .build();
  }

  private static String template() {
    try (InputStream file =
        GoNetworking.class.getResourceAsStream("/deployment/go-operator-networking.yaml")) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
