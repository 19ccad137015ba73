package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.testkit.SidecarSimulator;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** Leaves nodes behind as the Go operator does. */
public final class GoOperator {

  static final String FINALIZER = "sei.io/seinode-finalizer";

  private static final String MANAGER = "seinode-controller";

  private final KubernetesClient client;
  private final String namespace;
  private final String name;

  /**
   * @param name name of the node
   */
  public GoOperator(KubernetesClient client, String namespace, String name) {
    this.client = client;
    this.namespace = namespace;
    this.name = name;
  }

  /** Creates the node and everything it owns; its pod runs the image of the spec. */
  SeiNode create(SeiNodeSpec spec) {
    return create(spec, name);
  }

  /** The same, with a StatefulSet of another {@code serviceName}. */
  SeiNode create(SeiNodeSpec spec, String serviceName) {
    var node = new SeiNode();
    node.getMetadata().setName(name);
    node.getMetadata().setNamespace(namespace);
    node.addFinalizer(FINALIZER);
    node.setSpec(spec);
    SeiNode created = client.resource(node).create();
    createObjects(created, serviceName);
    return created;
  }

  /** Creates everything a node owns that is there already. */
  public void createObjects(SeiNode node, String serviceName) {
    client.resource(claim(node)).create();
    apply(node, node.getSpec().image(), serviceName);
  }

  /** Applies the node's objects with this image, which restarts nothing by itself. */
  void apply(SeiNode node, String image, String serviceName) {
    String objects =
        template()
            .replace("${node}", name)
            .replace("${namespace}", namespace)
            .replace("${uid}", node.getMetadata().getUid())
            .replace("${image}", image)
            .replace("${serviceName}", serviceName);
    var stream = new ByteArrayInputStream(objects.getBytes(StandardCharsets.UTF_8));
    for (HasMetadata object : client.load(stream).items()) {
      client.resource(object).fieldManager(MANAGER).forceConflicts().serverSideApply();
    }
  }

  /** Writes a status, given as JSON with single quotes. */
  public void writeStatus(String status) {
    client
        .resources(SeiNode.class)
        .inNamespace(namespace)
        .withName(name)
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"status\":" + status.replace('\'', '"') + "}");
  }

  /** Merge-patches the StatefulSet as somebody who does not apply. */
  void update(String fieldManager, String patch) {
    client
        .resources(StatefulSet.class)
        .inNamespace(namespace)
        .withName(name)
        .patch(
            new PatchContext.Builder()
                .withPatchType(PatchType.JSON_MERGE)
                .withFieldManager(fieldManager)
                .build(),
            patch.replace('\'', '"'));
  }

  /** Tells the node's sidecar that the node may run. */
  public void markReady(SidecarSimulator sidecar) {
    String body = "{\"id\":\"" + UUID.randomUUID() + "\",\"type\":\"mark-ready\"}";
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(sidecar.url(namespace, name) + "/v0/tasks"))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build();
    try {
      int answer = HttpClient.newHttpClient().send(request, BodyHandlers.discarding()).statusCode();
      if (answer >= 300) {
        throw new IllegalStateException("the sidecar answered " + answer);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private PersistentVolumeClaim claim(SeiNode node) {
    return new PersistentVolumeClaimBuilder()
        .withNewMetadata()
        .withName("data-" + name)
        .withNamespace(namespace)
        .addToLabels("sei.io/node", name)
        .addToLabels("sei.io/chain", "atlantic-2")
        .addToLabels("sei.io/role", "node")
        .withOwnerReferences(IdentityTestCase.ownedBy(node))
        .endMetadata()
        .withNewSpec()
        .withAccessModes("ReadWriteOnce")
        .withNewResources()
        .addToRequests("storage", new Quantity("10Gi"))
        .endResources()
        .endSpec()
        .build();
  }

  private static String template() {
    try (InputStream file = GoOperator.class.getResourceAsStream("/node/go-operator.yaml")) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
