package io.sei.operator.takeover;

import static io.sei.operator.kube.ApiErrors.isNotFound;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.ArrayList;
import java.util.List;

/** Reads the Leases by which a Go operator, and an installation of this one, elect their leader. */
public final class OperatorLeases {

  /** The leader election ID of the Go operator, and the default of this one. */
  public static final String NAME = "bc1f5b0a.sei.io";

  /** Prefix of the identity of an operator whose shards hold the Lease together. */
  public static final String SHARDS = "one-of-";

  private static final String LEASES = "/apis/coordination.k8s.io/v1/";

  private final KubernetesClient client;

  public OperatorLeases(KubernetesClient client) {
    this.client = client;
  }

  /**
   * Returns the Lease of a namespace; a missing node if there is none.
   *
   * @throws KubernetesClientException if it cannot be read
   */
  public JsonNode in(String namespace) {
    try {
      return get("namespaces/" + namespace + "/leases/" + NAME);
    } catch (KubernetesClientException e) {
      if (isNotFound(e)) {
        return MissingNode.getInstance();
      }
      throw e;
    }
  }

  /**
   * Returns the Leases of all namespaces.
   *
   * @throws KubernetesClientException if they cannot be read
   */
  List<JsonNode> all() {
    var leases = new ArrayList<JsonNode>();
    get("leases?fieldSelector=metadata.name%3D" + NAME).path("items").forEach(leases::add);
    return leases;
  }

  private JsonNode get(String path) {
    String body = client.raw(LEASES + path);
    return body == null
        ? MissingNode.getInstance()
        : client.getKubernetesSerialization().unmarshal(body, JsonNode.class);
  }
}
