package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;

/**
 * The configuration of a node's proxy: a request to the sidecar is allowed to whom RBAC allows the
 * same verb on the SeiNodeTask of the node's name, or on the node's own subresource, so that access
 * can be granted node by node. A proxy reads it when it starts.
 *
 * @param ownRight whether it is the subresource
 */
public record RbacProxyConfigRenderer(boolean ownRight) {

  // Names are quoted: a node may be called 7 or true.
  private static final String CONFIG =
      """
      authorization:
        resourceAttributes:
          apiGroup: %s
          resource: %s
          namespace: "%s"
          name: "%s"
      """;

  private static final String TASKS = "seinodetasks";
  private static final String OWN = "seinodes\n    subresource: sidecar";

  /** What the ConfigMap of the node's proxy should be. */
  public ConfigMap render(SeiNode node) {
    var metadata = node.getMetadata();
    return new ConfigMapBuilder()
        .withMetadata(Metadata.owned(node, Names.rbacProxyConfig(node)))
        .addToData(
            Volumes.PROXY_CONFIG_FILE,
            CONFIG.formatted(
                SeiNode.GROUP, ownRight ? OWN : TASKS, metadata.getNamespace(), metadata.getName()))
        .build();
  }
}
