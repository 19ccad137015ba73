package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.testkit.SidecarSimulator;
import io.sei.operator.testkit.samples.Samples;
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
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Leaves nodes behind as the Go operator does. */
public final class GoOperator {

  public static final String FINALIZER = "sei.io/seinode-finalizer";

  private static final String MANAGER = "seinode-controller";

  /** The name of its binary. */
  private static final String UPDATER = "manager";

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
  public SeiNode create(SeiNodeSpec spec) {
    return create(spec, name);
  }

  /** Creates a node with a StatefulSet of another {@code serviceName}. */
  public SeiNode create(SeiNodeSpec spec, String serviceName) {
    var node = Samples.node(namespace, name, spec);
    node.addFinalizer(FINALIZER);
    SeiNode created = client.resource(node).create();
    createObjects(created, serviceName);
    return created;
  }

  /** Creates a node of a fleet and everything it owns, at rest; its pod gets Ready by itself. */
  public void createChild(SeiNodeDeployment fleet, int ordinal, SeiNodeSpec spec) {
    String owner = fleet.getMetadata().getName();
    var node = Samples.node(namespace, name, null);
    node.getMetadata()
        .setLabels(
            Map.of(
                "sei.io/nodedeployment",
                owner,
                "sei.io/nodedeployment-ordinal",
                String.valueOf(ordinal),
                "sei.io/revision",
                "1",
                "sei.io/chain",
                spec.chainId()));
    node.getMetadata().setOwnerReferences(List.of(IdentityTestCase.ownedBy(fleet)));
    node.addFinalizer(FINALIZER);
    node.setSpec(
        spec.withPodLabels(Map.of("sei.io/nodedeployment", owner, "sei.io/revision", "1")));
    // fabric8 has no way to create under the name of a field manager.
    SeiNode created =
        client
            .getKubernetesSerialization()
            .unmarshal(
                client.raw(
                    "/apis/sei.io/v1alpha1/namespaces/"
                        + namespace
                        + "/seinodes?fieldManager="
                        + UPDATER,
                    "POST",
                    node),
                SeiNode.class);
    createObjects(created, name);
    writeStatus(settled(spec.image(), ""));
  }

  /** Merge-patches the node as the Go operator updates it; ' stands for ". */
  public void updateNode(String patch) {
    update(SeiNode.class, UPDATER, patch);
  }

  /** The status of a node at rest; {@code more} is further fields of it, with a comma. */
  public static String settled(String image, String more) {
    return """
        {'phase':'Running','currentImage':'%s','currentSidecarImage':'seictl:go',
         'phaseTransitionTime':'2026-06-01T00:00:00Z',%s
         'conditions':[
          {'type':'Paused','status':'False','reason':'NotPaused','message':'as it was',
           'observedGeneration':1,'lastTransitionTime':'2026-06-01T00:00:00Z'},
          {'type':'SidecarReady','status':'True','reason':'Ready','message':'as it was',
           'observedGeneration':1,'lastTransitionTime':'2026-06-01T00:00:00Z'},
          {'type':'NodeUpdateInProgress','status':'False','reason':'UpdateComplete','message':'as it was',
           'observedGeneration':1,'lastTransitionTime':'2026-06-01T00:00:00Z'}]}"""
        .formatted(image, more);
  }

  private void createObjects(SeiNode node, String serviceName) {
    client.resource(claim(node)).create();
    apply(node, node.getSpec().image(), serviceName);
  }

  /** Applies the node's objects with this image, which restarts nothing by itself. */
  public void apply(SeiNode node, String image, String serviceName) {
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
            new PatchContext.Builder()
                .withPatchType(PatchType.JSON_MERGE)
                .withFieldManager(UPDATER)
                .build(),
            "{\"status\":" + status.replace('\'', '"') + "}");
  }

  /** Merge-patches the StatefulSet like a user who does not apply. */
  public void update(String fieldManager, String patch) {
    update(StatefulSet.class, fieldManager, patch);
  }

  private void update(Class<? extends HasMetadata> type, String fieldManager, String patch) {
    client
        .resources(type)
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
    return new PersistentVolumeClaimBuilder(Samples.claim(namespace, "data-" + name))
        .editMetadata()
        .addToLabels(
            Map.of("sei.io/node", name, "sei.io/chain", "atlantic-2", "sei.io/role", "node"))
        .withOwnerReferences(IdentityTestCase.ownedBy(node))
        .endMetadata()
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
