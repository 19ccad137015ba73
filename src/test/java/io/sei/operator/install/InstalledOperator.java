package io.sei.operator.install;

import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.sei.operator.testkit.OperatorJar;
import io.sei.operator.testkit.SidecarSimulator;
import io.sei.operator.testkit.controlplane.ControlPlane;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The operator's process as an installed Deployment would run it: its identity, its settings. */
final class InstalledOperator {

  static final String NAME = "sei-operator";
  static final String USER = ControlPlane.OPERATOR;

  private InstalledOperator() {}

  /** Starts it. Only the sidecars' addresses are not the installed ones. */
  static OperatorJar start(
      ControlPlane controlPlane, KubernetesClient client, SidecarSimulator sidecar, Path log) {
    Deployment deployment = client.apps().deployments().inNamespace(NAME).withName(NAME).get();
    var pod = deployment.getSpec().getTemplate().getSpec();
    Map<String, String> settings = new HashMap<>();
    for (EnvVar variable : pod.getContainers().get(0).getEnv()) {
      settings.put(
          variable.getName(), variable.getValueFrom() == null ? variable.getValue() : NAME);
    }
    settings.put("SEI_SIDECAR_URL_TEMPLATE", sidecar.urlTemplate());
    // A node that starts from S3 is refused without them.
    settings.put("SEI_SNAPSHOT_BUCKET", "snapshots");
    settings.put("SEI_SNAPSHOT_REGION", "eu-1");
    return OperatorJar.start(kubeconfig(controlPlane, client, pod, log), settings, log);
  }

  /**
   * Runs the check of {@code helm test}.
   *
   * @param pod that Helm has created for it
   * @param readiness address of the operator's readiness instead of that of its Service
   */
  static OperatorJar check(
      ControlPlane controlPlane, KubernetesClient client, PodSpec pod, URI readiness) {
    List<String> arguments = pod.getContainers().getFirst().getArgs();
    Path log = Path.of("target", "helm-test-check.log");
    return OperatorJar.start(
        kubeconfig(controlPlane, client, pod, log),
        Map.of(),
        log,
        arguments.get(0),
        readiness.getHost(),
        arguments.get(2).replace("8081", String.valueOf(readiness.getPort())));
  }

  /** Writes the kubeconfig of a pod's ServiceAccount beside its log. */
  private static Path kubeconfig(
      ControlPlane controlPlane, KubernetesClient client, PodSpec pod, Path log) {
    String kubeconfig =
        controlPlane
            .kubeconfigYaml(ControlPlane.OPERATOR)
            .replaceAll("(?m)^( +token: ).*$", "$1" + token(client, pod.getServiceAccountName()));
    try {
      Path file = Path.of(log.toString().replace(".log", ".kubeconfig"));
      return Files.writeString(file, kubeconfig);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A token of a ServiceAccount of the installation. */
  static String token(KubernetesClient client, String serviceAccount) {
    return client
        .serviceAccounts()
        .inNamespace(NAME)
        .withName(serviceAccount)
        .tokenRequest(new TokenRequestBuilder().withNewSpec().endSpec().build())
        .getStatus()
        .getToken();
  }
}
