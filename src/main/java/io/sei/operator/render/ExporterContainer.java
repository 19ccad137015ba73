package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.sei.operator.config.OperatorConfig;

/**
 * The exporter of chain metrics. It ends if seid does not serve gRPC, so its script waits for that
 * first. A seid that never serves it (v6.8.0 and later do not) leaves the container waiting: it has
 * no probe, so the pod is Ready without it.
 */
public final class ExporterContainer {

  private static final String STARTS = "seid serves gRPC, starting the exporter";

  private static final String SCRIPT =
      """
      trap 'exit 0' TERM
      echo "waiting for seid to serve gRPC on port %1$d"
      until (exec 3<>/dev/tcp/localhost/%1$d) 2>/dev/null; do
        sleep 1
      done
      echo "%3$s"
      exec /usr/local/bin/sei-cosmos-exporter \
      --denom usei --denom-coefficient 1000000 --bech-prefix sei --listen-address :%2$d
      """
          .formatted(Ports.GRPC, Ports.COSMOS_METRICS, STARTS);

  private ExporterContainer() {}

  /**
   * Returns whether the container still waits for seid.
   *
   * @param log how the log of its newest run begins
   */
  public static boolean isWaiting(String log) {
    return log.lines().noneMatch(STARTS::equals);
  }

  static Container render(String image, OperatorConfig config) {
    return new ContainerBuilder()
        .withName(Names.EXPORTER)
        .withImage(image)
        .withCommand("/bin/bash", "-c")
        .withArgs(SCRIPT)
        .withPorts(Ports.ofContainer("cosmos-metrics", Ports.COSMOS_METRICS))
        .withVolumeMounts(Volumes.exporterTmp())
        .withSecurityContext(SecurityContexts.readOnlyRoot(SecurityContexts.EXPORTER_USER))
        .withResources(
            ContainerResources.of("50m", "64Mi", config.pod().cosmosExporterMemoryLimit()))
        .build();
  }
}
