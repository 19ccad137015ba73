package io.sei.operator.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.function.Function;

/**
 * A webhook as of a service mesh: each pod and each StatefulSet's template of a namespace gets a
 * container, and both a label and an annotation. Or one that has the images of pods come from a
 * mirror, by digest.
 */
public final class MutatingWebhook implements AutoCloseable {

  public static final String ADDED = "mesh.example/injected";
  public static final String CONTAINER = "mesh-proxy";
  public static final String MIRROR = "mirror.example/";

  private static final String PROBE = "probe";

  private static final ObjectMapper JSON = new ObjectMapper();

  private final KubernetesClient client;
  private final String namespace;
  private final LocalHttps server;
  private final MutatingWebhookConfiguration configuration;

  /**
   * Starts it, and returns when it is in force.
   *
   * @param client acts as an administrator of the cluster
   */
  public MutatingWebhook(KubernetesClient client, String namespace) {
    this(client, namespace, request -> patch(request.path("object")), "CREATE");
  }

  private MutatingWebhook(
      KubernetesClient client,
      String namespace,
      Function<JsonNode, ArrayNode> change,
      String... ofPods) {
    this.client = client;
    this.namespace = namespace;
    server = new LocalHttps(exchange -> answer(exchange, change));
    configuration = configuration(server.certificate(), ofPods);
    client.resource(configuration).create();
    Pod probe = probe();
    await()
        .until(
            () -> {
              Pod changed = client.resource(probe).dryRun().create();
              return changed.getSpec().getContainers().size() == 2
                  || changed.getSpec().getContainers().get(0).getImage().startsWith(MIRROR);
            });
  }

  /**
   * Starts one that has the images of pods come from a mirror, by digest.
   *
   * @param ofPods the operations; with CREATE
   */
  public static MutatingWebhook mirroring(
      KubernetesClient client, String namespace, String... ofPods) {
    return new MutatingWebhook(client, namespace, MutatingWebhook::mirrored, ofPods);
  }

  /** The image that the webhook puts in place of another. */
  public static String mirrored(String image) {
    return MIRROR + image + "@sha256:" + Digests.sha256(image);
  }

  private static ArrayNode mirrored(JsonNode request) {
    ArrayNode patch = JSON.createArrayNode();
    JsonNode pod = request.path("object");
    if (pod.path("kind").asText().equals("Pod")) {
      for (String containers : List.of("/spec/containers", "/spec/initContainers")) {
        for (int i = 0; i < pod.at(containers).size(); i++) {
          String image = pod.at(containers).path(i).path("image").asText();
          if (!image.startsWith(MIRROR)) {
            add(patch, containers + "/" + i + "/image").put("value", mirrored(image));
          }
        }
      }
    }
    return patch;
  }

  @Override
  public void close() {
    client.resource(configuration).delete();
    server.close();
  }

  private MutatingWebhookConfiguration configuration(byte[] certificate, String... ofPods) {
    String pem =
        "-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n"
            .formatted(Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(certificate));
    return new MutatingWebhookConfigurationBuilder()
        .withNewMetadata()
        .withName(namespace)
        .endMetadata()
        .addNewWebhook()
        .withName("mesh.example.com")
        .withAdmissionReviewVersions("v1")
        .withSideEffects("None")
        .withFailurePolicy("Fail")
        .withNewClientConfig()
        .withUrl("https://127.0.0.1:" + server.port() + "/")
        .withCaBundle(Base64.getEncoder().encodeToString(pem.getBytes(UTF_8)))
        .endClientConfig()
        .withNewNamespaceSelector()
        .addToMatchLabels("kubernetes.io/metadata.name", namespace)
        .endNamespaceSelector()
        .addNewRule()
        .withApiGroups("")
        .withApiVersions("v1")
        .withOperations(ofPods)
        .withResources("pods")
        .endRule()
        .addNewRule()
        .withApiGroups("apps")
        .withApiVersions("v1")
        .withOperations("CREATE", "UPDATE")
        .withResources("statefulsets")
        .endRule()
        .endWebhook()
        .build();
  }

  private static void answer(HttpExchange exchange, Function<JsonNode, ArrayNode> change)
      throws IOException {
    JsonNode request = JSON.readTree(exchange.getRequestBody()).path("request");
    ObjectNode review = JSON.createObjectNode();
    review.put("apiVersion", "admission.k8s.io/v1").put("kind", "AdmissionReview");
    review
        .putObject("response")
        .put("uid", request.path("uid").asText())
        .put("allowed", true)
        .put("patchType", "JSONPatch")
        .put("patch", change.apply(request).toString().getBytes(UTF_8));
    byte[] body = JSON.writeValueAsBytes(review);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private static ArrayNode patch(JsonNode object) {
    ArrayNode patch = JSON.createArrayNode();
    boolean isSet = object.path("kind").asText().equals("StatefulSet");
    mark(patch, object, "/metadata");
    if (isSet) {
      mark(patch, object, "/spec/template/metadata");
    }
    String containers = isSet ? "/spec/template/spec/containers" : "/spec/containers";
    boolean there = false;
    for (JsonNode container : object.at(containers)) {
      there |= container.path("name").asText().equals(CONTAINER);
    }
    if (!there) {
      add(patch, containers + "/-")
          .putObject("value")
          .put("name", CONTAINER)
          .put("image", "mesh:1");
    }
    return patch;
  }

  private static void mark(ArrayNode patch, JsonNode object, String metadata) {
    for (String map : List.of("/labels", "/annotations")) {
      if (object.at(metadata + map).isMissingNode()) {
        add(patch, metadata + map).putObject("value");
      }
      add(patch, metadata + map + "/" + ADDED.replace("/", "~1")).put("value", "true");
    }
  }

  private static ObjectNode add(ArrayNode patch, String path) {
    return patch.addObject().put("op", "add").put("path", path);
  }

  private Pod probe() {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace(namespace)
        .withName(PROBE)
        .endMetadata()
        .withNewSpec()
        .addNewContainer()
        .withName(PROBE)
        .withImage(PROBE)
        .endContainer()
        .endSpec()
        .build();
  }
}
