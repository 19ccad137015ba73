package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.config.OperatorConfig;

/** The exporter of chain metrics. It gives up when seid does not answer, so it waits for it. */
final class ExporterContainer {

  private static final String SCRIPT =
      """
      until (exec 3<>/dev/tcp/localhost/%d) 2>/dev/null; do
        sleep 1
      done
      exec /usr/local/bin/sei-cosmos-exporter \
      --denom usei --denom-coefficient 1000000 --bech-prefix sei --listen-address :%d
      """
          .formatted(Ports.GRPC, Ports.COSMOS_METRICS);

  private ExporterContainer() {}

  static Container render(OperatorConfig config) {
    return new ContainerBuilder()
        .withName(Names.EXPORTER)
        .withImage(config.pod().cosmosExporterImage())
        .withCommand("/bin/bash", "-c")
        .withArgs(SCRIPT)
        .withPorts(Ports.ofContainer("cosmos-metrics", Ports.COSMOS_METRICS))
        .withVolumeMounts(Volumes.tmp())
        // No readiness probe: the pod is ready when seid is. A node that replays blocks takes
        // minutes until it serves gRPC.
        .withLivenessProbe(
            Probes.tcp(Ports.COSMOS_METRICS, 10, 3).withInitialDelaySeconds(600).build())
        .withSecurityContext(SecurityContexts.readOnlyRoot())
        .withNewResources()
        .addToRequests("cpu", new Quantity("50m"))
        .addToRequests("memory", new Quantity("64Mi"))
        .addToLimits("memory", new Quantity(config.pod().cosmosExporterMemoryLimit()))
        .endResources()
        .build();
  }
}
