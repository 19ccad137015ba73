package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.EphemeralContainer;
import io.fabric8.kubernetes.api.model.EphemeralContainerBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.sei.operator.testkit.machine.Chain;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The kernel keeps the other containers of a node's pod from seid's process and files. */
@Isolated
class ContainersApartOnMachineTest extends MachineTestCase {

  private static final String EXPORTER =
      "config.SEI_COSMOS_EXPORTER_IMAGE=ghcr.io/sei-protocol/sei-cosmos-exporter:v1";

  private static final long SEID = 65532;
  private static final long PROXY = 65533;
  private static final long EXPORTER_USER = 65534;

  /** Tries what gives one process the secrets of another, or ends it. */
  private static final String ATTACK =
      """
      for process in /proc/[0-9]*; do
        read -r name <"$process/comm" && [ "$name" = seid ] || continue
        read -r -d '' first <"$process/environ" && echo "reads the environment"
        ( cd "$process/root/.sei/config" ) && echo "reads the files"
        kill -0 "${process#/proc/}" && echo "may send signals"
      done 2>/dev/null
      [ -e /var/run/secrets/kubernetes.io ] && echo "has a token"
      ( echo x >/written ) 2>/dev/null && echo "writes to its image"
      echo "done"
      """;

  @AfterEach
  void setNothingAgain() {
    machine.installOperator(List.of());
  }

  @Test
  void proxyAndExporterReachNothingOfSeidAndTheProxyReviewsTokensAllTheSame() {
    machine.installOperator(List.of(EXPORTER));
    createNode(Chain.V1.image());
    awaitBlocks(Chain.V1.image());
    awaitReady();

    assertThat(container("spec.containers", "cosmos-exporter", "securityContext.runAsUser"))
        .isEqualTo(String.valueOf(EXPORTER_USER));
    assertThat(container("spec.initContainers", "kube-rbac-proxy", "securityContext.runAsUser"))
        .isEqualTo(String.valueOf(PROXY));
    assertThat(kubectl("exec", POD, "-c", "cosmos-exporter", "--", "/bin/bash", "-c", ATTACK))
        .isEqualTo("done\n");
    assertThat(attackAs(PROXY)).isEqualTo("done\n");
    assertThat(attackAs(EXPORTER_USER)).isEqualTo("done\n");
    // seid and the sidecar are one trust zone, which also shows that the attack works.
    assertThat(attackAs(SEID))
        .isEqualTo("reads the environment\nreads the files\nmay send signals\ndone\n");
    assertThat(kubectl("exec", POD, "-c", "seid", "--", "/bin/bash", "-c", ATTACK))
        .doesNotContain("has a token", "writes to its image");

    // The proxy has answered the operator, for which it had to read its token and configuration.
    assertThat(condition("SidecarReady")).isEqualTo("True/Ready");
    for (String name : List.of("kube-rbac-proxy", "sei-sidecar")) {
      assertThat(container("status.initContainerStatuses", name, "restartCount")).isEqualTo("0");
    }
    assertThat(container("status.containerStatuses", "cosmos-exporter", "ready")).isEqualTo("true");
    assertThat(kubectl("logs", POD, "-c", "cosmos-exporter")).contains("starting the exporter");
  }

  /** Runs the attack in a container of that user beside the others, and returns what it prints. */
  private String attackAs(long user) {
    String name = "attack-" + user;
    EphemeralContainer container =
        new EphemeralContainerBuilder()
            .withName(name)
            .withImage(Chain.V1.image())
            .withCommand("/bin/bash", "-c", ATTACK)
            .withNewSecurityContext()
            .withRunAsUser(user)
            .withRunAsGroup(user)
            .withRunAsNonRoot(true)
            .withReadOnlyRootFilesystem(true)
            .withAllowPrivilegeEscalation(false)
            .withNewCapabilities()
            .withDrop("ALL")
            .endCapabilities()
            .withNewSeccompProfile()
            .withType("RuntimeDefault")
            .endSeccompProfile()
            .endSecurityContext()
            .build();
    machine
        .client()
        .pods()
        .inNamespace(namespace)
        .withName(POD)
        .ephemeralContainers()
        .edit(
            pod ->
                new PodBuilder(pod)
                    .editSpec()
                    .addToEphemeralContainers(container)
                    .endSpec()
                    .build());
    eventually(
        () ->
            assertThat(
                    container(
                        "status.ephemeralContainerStatuses", name, "state.terminated.exitCode"))
                .isEqualTo("0"));
    return kubectl("logs", POD, "-c", name);
  }
}
