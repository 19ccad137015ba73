package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SidecarSpec;
import io.sei.operator.config.BucketsConfig;
import io.sei.operator.config.OperatorConfig;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

/**
 * The sei-sidecar. It listens on the loopback interface only and trusts the user name that the
 * proxy in front of it has established, so its own health is probed through the proxy.
 */
public final class SidecarContainer {

  /**
   * Value of a bucket or region that is not configured. Without the variable the sidecar ends at
   * its start (seen on v0.0.50 to v0.0.70); it reads the value only when a task needs it.
   */
  private static final String UNSET = "unset";

  private SidecarContainer() {}

  /** The sidecar image a node runs: its own or the operator's. */
  public static String image(SeiNodeSpec spec, OperatorConfig config) {
    return Optional.ofNullable(spec.sidecar())
        .map(SidecarSpec::image)
        .filter(image -> !image.isEmpty())
        .orElseGet(() -> config.sidecar().image());
  }

  static Container render(SeiNodeSpec spec, OperatorConfig config, PodParts parts) {
    return new ContainerBuilder()
        .withName(Names.SIDECAR)
        .withImage(image(spec, config))
        // No command: images begin with "seictl", later ones with "sei-sidecar serve", and a second
        // "serve" is ignored.
        .withArgs("serve")
        .withEnv(environment(spec, config.buckets()))
        .addAllToEnv(parts.sidecarVariables())
        .withPorts(Ports.ofContainer("sidecar", Ports.ofSidecar(spec)))
        .withVolumeMounts(Volumes.data(), Volumes.tmp())
        .addAllToVolumeMounts(parts.sidecarMounts())
        // It listens on the loopback interface and its image has no shell: only through the
        // proxy can it be asked. A minute, as the proxy's own restart must not end it as well.
        .withLivenessProbe(
            Probes.http(ProxyContainer.LIVEZ, Ports.API, 10, 6).withTimeoutSeconds(5).build())
        .withResources(
            Optional.ofNullable(spec.sidecar())
                .map(SidecarSpec::resources)
                .filter(SidecarContainer::saysSomething)
                .orElse(ContainerResources.SIDECAR))
        .withSecurityContext(SecurityContexts.readOnlyRoot())
        .build();
  }

  private static List<EnvVar> environment(SeiNodeSpec spec, BucketsConfig buckets) {
    var variables = new LinkedHashMap<String, String>();
    variables.put("SEI_CHAIN_ID", spec.chainId());
    variables.put("SEI_SIDECAR_PORT", Integer.toString(Ports.ofSidecar(spec)));
    variables.put("SEI_HOME", Volumes.HOME);
    variables.put("SEI_GENESIS_BUCKET", orUnset(buckets.genesis().name()));
    variables.put("SEI_GENESIS_REGION", orUnset(buckets.genesis().region()));
    variables.put("SEI_SNAPSHOT_BUCKET", orUnset(buckets.snapshot().name()));
    variables.put("SEI_SNAPSHOT_REGION", orUnset(buckets.snapshot().region()));
    variables.put("SEI_SIDECAR_AUTHN_MODE", "trusted-header");
    return variables.entrySet().stream()
        .map(variable -> new EnvVar(variable.getKey(), variable.getValue(), null))
        .toList();
  }

  /** Returns whether resources ask for anything: {@code resources: {}} is the same as none. */
  static boolean saysSomething(ResourceRequirements resources) {
    return !resources.getRequests().isEmpty()
        || !resources.getLimits().isEmpty()
        || !resources.getClaims().isEmpty();
  }

  private static String orUnset(Optional<String> value) {
    return value.filter(text -> !text.isEmpty()).orElse(UNSET);
  }
}
