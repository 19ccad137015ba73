package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.SecretVolumeSource;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.sei.operator.api.v1alpha1.SidecarSpec;
import io.sei.operator.node.OfflineNode;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks the rights of containers, and which of them can read which secret. */
class PodSecurityTest {

  private static final Set<String> KEYS_OF_SEID =
      Set.of("validator-signing-key", "validator-node-key");
  private static final Set<String> KEYS_OF_SIDECAR =
      Set.of("validator-keyring", "validator-passphrase");

  static List<Rendering> examples() {
    return Rendering.examples();
  }

  static List<Rendering> withKeys() {
    return examples().stream()
        .filter(rendering -> rendering.name().startsWith("validator-with-keys"))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("examples")
  void everyContainerIsRestricted(Rendering example) {
    assertThat(containers(pod(example)))
        .allSatisfy(
            container -> {
              var context = container.getSecurityContext();
              assertThat(context.getRunAsNonRoot()).isTrue();
              assertThat(context.getRunAsUser()).isEqualTo(userOf(container));
              assertThat(context.getRunAsGroup()).isEqualTo(userOf(container));
              assertThat(context.getReadOnlyRootFilesystem()).isTrue();
              assertThat(context.getAllowPrivilegeEscalation()).isFalse();
              assertThat(context.getPrivileged()).isNull();
              assertThat(context.getCapabilities().getDrop()).containsExactly("ALL");
              assertThat(context.getCapabilities().getAdd()).isEmpty();
              assertThat(context.getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
            });
  }

  /** Containers of one process namespace read each other's files if they have one user. */
  private static long userOf(Container container) {
    return switch (container.getName()) {
      case "kube-rbac-proxy" -> 65533;
      case "cosmos-exporter" -> 65534;
      default -> 65532;
    };
  }

  @ParameterizedTest
  @MethodSource("examples")
  void onlySeidAndTheSidecarCanReachTheVolumeAndTheKeys(Rendering example) {
    assertThat(containers(pod(example)))
        .filteredOn(container -> userOf(container) != 65532)
        .isNotEmpty()
        .flatExtracting(Container::getVolumeMounts)
        .extracting(VolumeMount::getName)
        .isSubsetOf("rbac-proxy-config", "kube-api-access", "exporter-tmp");
  }

  @ParameterizedTest
  @MethodSource("examples")
  void onlyTheProxyHasTheKubernetesToken(Rendering example) {
    var pod = pod(example);
    var tokens =
        pod.getVolumes().stream()
            .filter(volume -> volume.getProjected() != null)
            .map(Volume::getName)
            .toList();

    assertThat(pod.getAutomountServiceAccountToken()).isFalse();
    assertThat(tokens).containsExactly("kube-api-access");
    assertThat(containers(pod))
        .filteredOn(
            container ->
                container.getVolumeMounts().stream()
                    .anyMatch(mount -> tokens.contains(mount.getName())))
        .extracting(Container::getName)
        .containsExactly("kube-rbac-proxy");
    assertThat(container(pod, "kube-rbac-proxy").getVolumeMounts())
        .filteredOn(mount -> tokens.contains(mount.getName()))
        .extracting(VolumeMount::getMountPath, VolumeMount::getReadOnly)
        .containsExactly(tuple("/var/run/secrets/kubernetes.io/serviceaccount", true));
  }

  @ParameterizedTest
  @MethodSource("examples")
  void noTwoUsersShareAVolumeThatTheyWriteTo(Rendering example) {
    Map<String, Set<Long>> users = new HashMap<>();
    for (Container container : containers(pod(example))) {
      container.getVolumeMounts().stream()
          .filter(mount -> !Boolean.TRUE.equals(mount.getReadOnly()))
          .forEach(
              mount ->
                  users
                      .computeIfAbsent(mount.getName(), any -> new HashSet<>())
                      .add(userOf(container)));
    }

    assertThat(users).isNotEmpty().allSatisfy((volume, of) -> assertThat(of).hasSize(1));
  }

  @ParameterizedTest
  @MethodSource("examples")
  void webhooksOfCloudsMountNoTokenInProxyAndExporter(Rendering example) {
    Map<String, String> annotations = template(example).getMetadata().getAnnotations();
    List<String> names =
        containers(pod(example)).stream()
            .filter(container -> userOf(container) != 65532)
            .map(Container::getName)
            .toList();

    assertThat(annotations)
        .containsEntry("eks.amazonaws.com/skip-containers", String.join(",", names))
        .containsEntry("azure.workload.identity/skip-containers", String.join(";", names));
  }

  /** A quota refuses a pod that names none, and a container without a limit can take all memory. */
  @ParameterizedTest
  @MethodSource("examples")
  void everyContainerButSeidHasRequestsAndALimitOfMemory(Rendering example) {
    SidecarSpec own = example.node().getSpec().sidecar();
    String named = own == null || own.resources() == null ? "" : "sei-sidecar";
    for (PodSpec pod : pods(example)) {
      assertThat(containers(pod))
          .filteredOn(container -> !Set.of("seid", named).contains(container.getName()))
          .isNotEmpty()
          .allSatisfy(
              container -> {
                var resources = container.getResources();
                assertThat(resources.getRequests()).containsOnlyKeys("cpu", "memory");
                assertThat(resources.getLimits()).containsOnlyKeys("memory");
              });
    }
  }

  @ParameterizedTest
  @MethodSource("examples")
  void seidHasNoLimitThatItsSpecDoesNotName(Rendering example) {
    var asked = example.node().getSpec().resources();
    for (PodSpec pod : pods(example)) {
      var limits = container(pod, "seid").getResources().getLimits();
      if (asked == null) {
        assertThat(limits).isEmpty();
      } else {
        assertThat(limits).isEqualTo(asked.getLimits());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("examples")
  void proxyAcceptsTokensForItsOwnNodeOnly(Rendering example) {
    var node = example.node().getMetadata();
    for (PodSpec pod : pods(example)) {
      assertThat(container(pod, "kube-rbac-proxy").getArgs())
          .filteredOn(argument -> argument.startsWith("--auth-token-audiences"))
          .containsExactly(
              "--auth-token-audiences=sei.io/sidecar/%s/%s"
                  .formatted(node.getNamespace(), node.getName()));
    }
  }

  @ParameterizedTest
  @MethodSource("examples")
  void noContainerSeesASecretThatIsNotItsOwn(Rendering example) {
    var pod = pod(example);

    for (Container container : containers(pod)) {
      var allowed =
          switch (container.getName()) {
            case "seid" ->
                example.name().startsWith("seed") ? Set.of("seed-node-key") : KEYS_OF_SEID;
            case "sei-sidecar" -> KEYS_OF_SIDECAR;
            default -> Set.<String>of();
          };
      assertThat(secretsOf(container, pod)).as(container.getName()).isSubsetOf(allowed);
    }
  }

  @ParameterizedTest
  @MethodSource("withKeys")
  void seidAndTheSidecarGetTheirs(Rendering example) {
    var pod = pod(example);

    assertThat(secretsOf(container(pod, "seid"), pod))
        .containsExactlyInAnyOrderElementsOf(KEYS_OF_SEID);
    assertThat(secretsOf(container(pod, "sei-sidecar"), pod))
        .containsExactlyInAnyOrderElementsOf(KEYS_OF_SIDECAR);
  }

  @ParameterizedTest
  @MethodSource("examples")
  void everySecretIsReadOnlyAndPrivate(Rendering example) {
    var pod = pod(example);
    var secrets =
        pod.getVolumes().stream()
            .filter(volume -> volume.getSecret() != null)
            .collect(Collectors.toMap(Volume::getName, Volume::getSecret));

    assertThat(secrets.values())
        .extracting(SecretVolumeSource::getDefaultMode)
        .allMatch(mode -> mode == 0400);
    assertThat(containers(pod))
        .flatExtracting(Container::getVolumeMounts)
        .filteredOn(mount -> secrets.containsKey(mount.getName()))
        .extracting(VolumeMount::getReadOnly)
        .allMatch(Boolean.TRUE::equals);
  }

  @Test
  void keysOfSeidDoNotChangeUnderIt() {
    var pod = pod(withKeys().get(0));

    assertThat(container(pod, "seid").getVolumeMounts())
        .filteredOn(mount -> mount.getName().endsWith("-key"))
        .extracting(VolumeMount::getMountPath, VolumeMount::getSubPath)
        .containsExactly(
            tuple("/.sei/config/priv_validator_key.json", "priv_validator_key.json"),
            tuple("/.sei/config/node_key.json", "node_key.json"));
  }

  private static PodSpec pod(Rendering example) {
    return template(example).getSpec();
  }

  /** The pod of the StatefulSet, and that of the bootstrap Job where there is one. */
  private static List<PodSpec> pods(Rendering example) {
    return Stream.concat(
            Stream.of(pod(example)),
            example.bootstrapJob().stream().map(job -> job.getSpec().getTemplate().getSpec()))
        .toList();
  }

  private static PodTemplateSpec template(Rendering example) {
    return new StatefulSetRenderer(example.config(), OfflineNode.FEATURES)
        .render(example.node())
        .getSpec()
        .getTemplate();
  }

  private static List<Container> containers(PodSpec pod) {
    return Stream.concat(pod.getInitContainers().stream(), pod.getContainers().stream()).toList();
  }

  private static Container container(PodSpec pod, String name) {
    return containers(pod).stream()
        .filter(container -> container.getName().equals(name))
        .findFirst()
        .get();
  }

  /** Names of the Secrets that a container mounts or has in its environment. */
  private static Set<String> secretsOf(Container container, PodSpec pod) {
    assertThat(container.getVolumeDevices()).isEmpty();
    var mounted =
        container.getVolumeMounts().stream()
            .flatMap(
                mount ->
                    pod.getVolumes().stream()
                        .filter(volume -> volume.getName().equals(mount.getName())))
            .filter(volume -> volume.getSecret() != null)
            .map(volume -> volume.getSecret().getSecretName());
    var variables =
        container.getEnv().stream()
            .filter(
                variable ->
                    variable.getValueFrom() != null
                        && variable.getValueFrom().getSecretKeyRef() != null)
            .map(variable -> variable.getValueFrom().getSecretKeyRef().getName());
    var environments =
        container.getEnvFrom().stream()
            .filter(source -> source.getSecretRef() != null)
            .map(source -> source.getSecretRef().getName());
    return Stream.of(mounted, variables, environments)
        .flatMap(other -> other)
        .collect(Collectors.toSet());
  }
}
