package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;

/**
 * Renders the configuration of a node's proxy: a request to the sidecar is allowed to whom RBAC
 * allows the same verb on the subresource {@code sidecar} of the node, so that access can be
 * granted node by node. A proxy reads it when it starts.
 */
public final class RbacProxyConfigRenderer {

  // Names are quoted: a node may be called 7 or true.
  private static final String CONFIG =
      """
      authorization:
        resourceAttributes:
          apiGroup: %s
          resource: seinodes
          subresource: sidecar
          namespace: "%s"
          name: "%s"
      """;

  private RbacProxyConfigRenderer() {}

  /** Renders the ConfigMap of the node's proxy. */
  public static ConfigMap render(SeiNode node) {
    var metadata = node.getMetadata();
    return new ConfigMapBuilder()
        .withMetadata(Metadata.owned(node, Names.rbacProxyConfig(node)))
        .addToData(
            Volumes.PROXY_CONFIG_FILE,
            CONFIG.formatted(SeiNode.GROUP, metadata.getNamespace(), metadata.getName()))
        .build();
  }
}
