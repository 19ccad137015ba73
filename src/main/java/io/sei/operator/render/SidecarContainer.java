package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SidecarSpec;
import io.sei.operator.config.BucketsConfig;
import io.sei.operator.config.OperatorConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The sei-sidecar. It listens on the loopback interface only and trusts the user name that the
 * proxy in front of it has established, so its own health is probed through the proxy.
 */
public final class SidecarContainer {

  /**
   * In the place of a bucket or region that nobody named. Without the variable the sidecar ends at
   * its start (seen on v0.0.50 to v0.0.70); it looks at the value only when a task needs it.
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

  /** The port its API listens on inside the pod. */
  public static int port(SeiNodeSpec spec) {
    return Optional.ofNullable(spec.sidecar())
        .map(SidecarSpec::port)
        .filter(port -> port != 0)
        .orElse(SidecarSpec.DEFAULT_PORT);
  }

  static Container render(SeiNodeSpec spec, OperatorConfig config) {
    var keys = KeyMaterial.of(spec);
    var container =
        new ContainerBuilder()
            .withName(Names.SIDECAR)
            .withImage(image(spec, config))
            .withCommand("seictl", "serve")
            .withEnv(environment(spec, keys, config.buckets()).variables())
            .withPorts(Ports.ofContainer("sidecar", port(spec)))
            .withVolumeMounts(mounts(keys))
            // It listens on the loopback interface and its image has no shell: only through the
            // proxy can it be asked. A minute, as the proxy's own restart must not end it as well.
            .withLivenessProbe(
                Probes.http(ProxyContainer.LIVEZ, Ports.API, 10, 6).withTimeoutSeconds(5).build())
            .withSecurityContext(SecurityContexts.readOnlyRoot());
    Optional.ofNullable(spec.sidecar())
        .map(SidecarSpec::resources)
        .filter(SeidContainer::saysSomething)
        .ifPresent(it -> container.withResources(new ResourceRequirementsBuilder(it).build()));
    return container.build();
  }

  private static Environment environment(
      SeiNodeSpec spec, KeyMaterial keys, BucketsConfig buckets) {
    var environment =
        new Environment()
            .with("SEI_CHAIN_ID", spec.chainId())
            .with("SEI_SIDECAR_PORT", Integer.toString(port(spec)))
            .with("SEI_HOME", Volumes.HOME)
            .with("SEI_GENESIS_BUCKET", orUnset(buckets.genesis().name()))
            .with("SEI_GENESIS_REGION", orUnset(buckets.genesis().region()))
            .with("SEI_SNAPSHOT_BUCKET", orUnset(buckets.snapshot().name()))
            .with("SEI_SNAPSHOT_REGION", orUnset(buckets.snapshot().region()))
            .with("SEI_SIDECAR_AUTHN_MODE", "trusted-header");
    if (NodeMode.of(spec) == NodeMode.VALIDATOR) {
      environment
          .with("SEI_KEYRING_BACKEND", keys.operatorKeyring().isPresent() ? "file" : "test")
          .with("SEI_KEYRING_DIR", Volumes.HOME);
    }
    keys.operatorKeyring()
        .map(keyring -> keyring.passphraseSecretRef())
        .ifPresent(
            passphrase ->
                environment.withSecret(
                    "SEI_KEYRING_PASSPHRASE", passphrase.secretName(), passphrase.key()));
    return environment;
  }

  private static String orUnset(Optional<String> value) {
    return value.filter(it -> !it.isEmpty()).orElse(UNSET);
  }

  private static List<VolumeMount> mounts(KeyMaterial keys) {
    var mounts = new ArrayList<>(List.of(Volumes.data(), Volumes.tmp()));
    Volumes.keyring(keys).ifPresent(mounts::add);
    return mounts;
  }
}
