package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.config.OperatorConfig;

/**
 * The kube-rbac-proxy in front of the sidecar: a caller needs the right to the node's subresource
 * {@code sidecar} (see {@link RbacProxyConfigRenderer}).
 */
final class ProxyContainer {

  /** Path that answers 200 once the sidecar has received mark-ready. */
  static final String HEALTHZ = "/v0/healthz";

  /** Answers 200 while the sidecar's database answers. */
  static final String LIVEZ = "/v0/livez";

  // Probes and scrapers have no token. These are the paths that the sidecar itself leaves open.
  private static final String OPEN_PATHS =
      String.join(",", HEALTHZ, "/v0/startupz", LIVEZ, "/v0/metrics");

  private ProxyContainer() {}

  static Container render(SeiNode node, OperatorConfig config) {
    SeiNodeSpec spec = node.getSpec();
    String audience =
        Names.sidecarAudience(node.getMetadata().getNamespace(), node.getMetadata().getName());
    return new ContainerBuilder()
        .withName(Names.PROXY)
        .withImage(config.pod().kubeRbacProxyImage())
        .withArgs(
            "--insecure-listen-address=0.0.0.0:" + Ports.API,
            "--upstream=http://127.0.0.1:" + Ports.ofSidecar(spec) + "/",
            "--config-file=" + Volumes.proxyConfigFile(),
            "--ignore-paths=" + OPEN_PATHS,
            ProxyAudience.flag(audience),
            "--auth-header-fields-enabled=true",
            "--v=0")
        .withPorts(Ports.ofProxy())
        .withVolumeMounts(Volumes.proxyConfig(), Volumes.proxyToken())
        // The port is the proxy's own: a sidecar that hangs is not mended by its restart.
        .withStartupProbe(Probes.tcp(Ports.API, 1, 300).build())
        .withLivenessProbe(Probes.tcp(Ports.API, 10, 3).build())
        .withSecurityContext(SecurityContexts.readOnlyRoot(SecurityContexts.PROXY_USER))
        .withResources(ContainerResources.PROXY)
        .build();
  }
}
