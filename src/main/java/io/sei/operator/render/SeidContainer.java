package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.config.OperatorConfig;
import java.util.List;
import java.util.Optional;

/** seid itself, and the init container that makes its home directory. */
final class SeidContainer {

  // seid answers well until a peer has told it the chain's height, however far behind it is.
  private static final int READINESS_SUCCESSES = 3;

  private static final EnvVar HOME = new EnvVar("HOME", Volumes.HOME, null);

  // The root file system is read-only, so temporary files are on the volume.
  private static final EnvVar TMPDIR = new EnvVar("TMPDIR", Volumes.HOME + "/tmp", null);

  /**
   * Waits until the sidecar says that the home directory is configured. It asks with what bash has
   * built in: the image of seid need not contain an HTTP client.
   */
  private static final String WAIT_SCRIPT =
      """
      echo "waiting for the sidecar"
      until (exec 3<>/dev/tcp/localhost/%d \
      && printf 'GET %s HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3 \
      && IFS= read -r -t 5 status <&3 && [[ $status == *' 200 '* ]]) 2>/dev/null; do
        sleep 1
      done
      echo "the sidecar is ready, starting seid"
      """;

  /** seid dereferences nil where there is none, as after it was deleted from a volume in use. */
  private static final String GENESIS_CHECK =
      """
      if [ ! -e "$HOME/config/genesis.json" ]; then
        echo "Error: open $HOME/config/genesis.json: no such file or directory" >&2
        exit %d
      fi
      """
          .formatted(PodParts.REFUSED);

  private static final String START_SCRIPT =
      """
      exec seid start --home "$HOME"
      """;

  /**
   * Ends well if seid halted by itself: it does so by an interrupt to itself (130). A seid that was
   * asked to stop has not reached the height, however well it ends. bash hands the request on, as
   * it would otherwise end and take seid down with it in the middle of a commit.
   */
  private static final String HALT_SCRIPT =
      """
      set -m
      stopped=
      seid start --home "$HOME" --halt-height %d &
      seid=$!
      trap 'stopped=1; kill -TERM "$seid"' TERM INT
      wait "$seid"
      status=$?
      while kill -0 "$seid" 2>/dev/null; do
        wait "$seid"
        status=$?
      done
      if [ -n "$stopped" ]; then
        echo "seid was stopped before it halted"
        exit 143
      fi
      if [ "$status" -eq 130 ]; then
        exit 0
      fi
      exit "$status"
      """;

  /**
   * Makes what is missing in a home. A volume with databases, or with the sidecar's mark of a
   * genesis that it wrote, never gets the genesis of seid init, which no plan would replace. An
   * init that was interrupted begins again. The chain id needs no quotes: the schema allows
   * lower-case letters, digits and dashes.
   */
  private static final String INIT_SCRIPT =
      """
      set -e
      mkdir -p "$TMPDIR"
      cd "$HOME"
      begun=.sei-operator-init
      used=
      for file in data/*.db .sei-sidecar-genesis-done; do
        if [ -e "$file" ]; then used=1; fi
      done
      if [ ! -e $begun ] && [ -f config/genesis.json ]; then
        echo "the home directory exists, nothing to initialize"
        exit 0
      fi
      if [ ! -e $begun ] && [ -n "$used" ] && [ -e config/config.toml ]; then
        echo "config/genesis.json is missing; that of seid init is not the chain's"
        exit 0
      fi
      : > $begun
      seid init %1$s --chain-id %1$s --home "$HOME" --overwrite
      if [ -n "$used" ]; then rm config/genesis.json; fi
      rm $begun
      """;

  private SeidContainer() {}

  static Container render(SeiNode node, OperatorConfig config, PodParts parts) {
    Container seid = unprobed(node, config, parts);
    return parts
        .insteadOfSeid()
        .map(script -> new ContainerBuilder(seid).withArgs(List.of(script)).build())
        .orElseGet(
            () ->
                NodeMode.of(node.getSpec()).servesRpc()
                    ? probed(seid, parts.readyPath().orElse("/lag_status"))
                    : probedByPort(seid));
  }

  private static Container probed(Container seid, String readyPath) {
    return new ContainerBuilder(seid)
        .withStartupProbe(FirstBlock.probe())
        .withReadinessProbe(
            Probes.http(readyPath, Ports.RPC, 2, 6)
                .withTimeoutSeconds(5)
                .withSuccessThreshold(READINESS_SUCCESSES)
                .build())
        .build();
  }

  /** Each probe is a connection that seid logs and drops, so that they come seldom. */
  private static Container probedByPort(Container seid) {
    return new ContainerBuilder(seid)
        .withStartupProbe(Probes.tcp(Ports.P2P, 1, FirstBlock.FAILURES).build())
        .withReadinessProbe(Probes.tcp(Ports.P2P, 10, 3).build())
        .build();
  }

  private static Container unprobed(SeiNode node, OperatorConfig config, PodParts parts) {
    SeiNodeSpec spec = node.getSpec();
    return new ContainerBuilder()
        .withName(Names.SEID)
        .withImage(spec.image())
        .withCommand("/bin/bash", "-c")
        .withArgs(
            parts.beforeSidecar()
                + waitingForSidecar(spec)
                + GENESIS_CHECK
                + parts.beforeSeid()
                + START_SCRIPT)
        .withEnv(HOME, TMPDIR)
        .addAllToEnv(parts.seidVariables())
        .withPorts(Ports.ofSeid(spec))
        .withVolumeMounts(Volumes.data())
        .addAllToVolumeMounts(parts.seidMounts())
        .withResources(resources(spec, config))
        .withSecurityContext(SecurityContexts.readOnlyRoot())
        .build();
  }

  static Container renderInit(SeiNodeSpec spec) {
    return HomeScript.of(Names.SEID_INIT, spec.image(), INIT_SCRIPT.formatted(spec.chainId()))
        .addToEnv(TMPDIR)
        .build();
  }

  /** The container made for a run that ends at a height. */
  static Container halting(Container seid, SeiNodeSpec spec, long height) {
    return new ContainerBuilder(seid)
        .withArgs(waitingForSidecar(spec) + GENESIS_CHECK + HALT_SCRIPT.formatted(height))
        .build();
  }

  private static String waitingForSidecar(SeiNodeSpec spec) {
    return WAIT_SCRIPT.formatted(Ports.ofSidecar(spec), ProxyContainer.HEALTHZ);
  }

  private static ResourceRequirements resources(SeiNodeSpec spec, OperatorConfig config) {
    var requests = NodeMode.of(spec).requests(config);
    return Optional.ofNullable(spec.resources())
        .filter(SidecarContainer::saysSomething)
        .orElseGet(
            () ->
                new ResourceRequirementsBuilder()
                    .addToRequests("cpu", new Quantity(requests.cpu()))
                    .addToRequests("memory", new Quantity(requests.memory()))
                    .build());
  }
}
