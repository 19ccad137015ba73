package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.config.OperatorConfig;

/**
 * The kube-rbac-proxy in front of the sidecar: whoever may act on the SeiNodeTask of the node's
 * name may use the sidecar (see {@link RbacProxyConfigRenderer}).
 */
final class ProxyContainer {

  /** Answers 200 once the sidecar has been told that the node may start. */
  static final String HEALTHZ = "/v0/healthz";

  private static final String LIVEZ = "/v0/livez";

  // Probes and scrapers have no token. These are the paths that the sidecar itself leaves open.
  private static final String OPEN_PATHS =
      String.join(",", HEALTHZ, "/v0/startupz", LIVEZ, "/v0/metrics");

  private ProxyContainer() {}

  static Container render(SeiNodeSpec spec, OperatorConfig config) {
    return new ContainerBuilder()
        .withName(Names.PROXY)
        .withImage(config.pod().kubeRbacProxyImage())
        .withArgs(
            "--insecure-listen-address=0.0.0.0:" + Ports.API,
            "--upstream=http://127.0.0.1:" + SidecarContainer.port(spec) + "/",
            "--config-file=" + Volumes.proxyConfigFile(),
            "--ignore-paths=" + OPEN_PATHS,
            "--auth-header-fields-enabled=true",
            "--v=0")
        .withPorts(Ports.ofProxy())
        .withVolumeMounts(Volumes.proxyConfig())
        .withStartupProbe(Probes.tcp(Ports.API, 5, 5, 60).build())
        .withLivenessProbe(Probes.http(LIVEZ, Ports.API, 5, 10, 3).build())
        .withReadinessProbe(Probes.http(HEALTHZ, Ports.API, 2, 5, 6).build())
        .withSecurityContext(SecurityContexts.readOnlyRoot())
        .build();
  }
}
