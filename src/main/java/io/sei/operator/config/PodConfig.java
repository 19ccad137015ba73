package io.sei.operator.config;

import java.util.Optional;

/**
 * Platform settings that every node's pod gets beside its spec.
 *
 * @param serviceAccount ServiceAccount of node pods
 * @param tolerationKey key of the taint they tolerate, the node pool being its value
 * @param nodepool Karpenter NodePool they are bound to
 * @param nodepoolArchive the same for archive nodes
 * @param requests what a node asks for
 * @param requestsArchive what an archive node asks for
 * @param updatedInPlace whether other images are changed in its running pod where the node does not
 *     say how it is updated
 * @param configuredAtStart whether seid gets another configuration when it next starts, where the
 *     node does not say when
 * @param kubeRbacProxyImage image of the proxy in front of the sidecar
 * @param cosmosExporterImage image of the chain metrics exporter, which runs where there is one
 * @param cosmosExporterMemoryLimit what the exporter may use, as a Kubernetes quantity
 */
public record PodConfig(
    String serviceAccount,
    Optional<String> tolerationKey,
    Optional<String> nodepool,
    Optional<String> nodepoolArchive,
    Requests requests,
    Requests requestsArchive,
    boolean updatedInPlace,
    boolean configuredAtStart,
    String kubeRbacProxyImage,
    Optional<String> cosmosExporterImage,
    String cosmosExporterMemoryLimit) {

  /**
   * Resource requests as Kubernetes quantities.
   *
   * @param cpu such as {@code 4} or {@code 500m}
   * @param memory such as {@code 16Gi}
   */
  public record Requests(String cpu, String memory) {}
}
