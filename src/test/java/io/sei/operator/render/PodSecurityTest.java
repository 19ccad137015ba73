package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.SecretVolumeSource;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.sei.operator.node.Snapshots;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a container may do, and which container gets to see which secret. */
class PodSecurityTest {

  private static final Set<String> KEYS_OF_SEID =
      Set.of("validator-signing-key", "validator-node-key");
  private static final Set<String> KEYS_OF_SIDECAR =
      Set.of("validator-keyring", "validator-passphrase");

  static List<Rendering> examples() {
    return Rendering.examples();
  }

  static List<Rendering> withKeys() {
    return examples().stream().filter(it -> it.name().startsWith("validator-with-keys")).toList();
  }

  @ParameterizedTest
  @MethodSource("examples")
  void everyContainerIsRestricted(Rendering example) {
    assertThat(containers(pod(example)))
        .allSatisfy(
            container -> {
              var context = container.getSecurityContext();
              assertThat(context.getRunAsNonRoot()).isTrue();
              assertThat(context.getRunAsUser()).isEqualTo(65532);
              assertThat(context.getRunAsGroup()).isEqualTo(65532);
              assertThat(context.getAllowPrivilegeEscalation()).isFalse();
              assertThat(context.getPrivileged()).isNull();
              assertThat(context.getCapabilities().getDrop()).containsExactly("ALL");
              assertThat(context.getCapabilities().getAdd()).isEmpty();
              assertThat(context.getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
            });
  }

  @ParameterizedTest
  @MethodSource("examples")
  void onlySeidWritesToItsImage(Rendering example) {
    assertThat(containers(pod(example)))
        .filteredOn(container -> container.getSecurityContext().getReadOnlyRootFilesystem() == null)
        .extracting(Container::getName)
        .filteredOn(name -> !name.equals("data-restore"))
        .containsExactlyInAnyOrder("seid", "seid-init");
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
    return new StatefulSetRenderer(example.config(), Snapshots.FEATURES)
        .render(example.node())
        .getSpec()
        .getTemplate()
        .getSpec();
  }

  private static List<Container> containers(PodSpec pod) {
    return Stream.concat(pod.getInitContainers().stream(), pod.getContainers().stream()).toList();
  }

  private static Container container(PodSpec pod, String name) {
    return containers(pod).stream().filter(it -> it.getName().equals(name)).findFirst().get();
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
            .filter(it -> it.getValueFrom() != null && it.getValueFrom().getSecretKeyRef() != null)
            .map(it -> it.getValueFrom().getSecretKeyRef().getName());
    var environments =
        container.getEnvFrom().stream()
            .filter(it -> it.getSecretRef() != null)
            .map(it -> it.getSecretRef().getName());
    return Stream.of(mounted, variables, environments)
        .flatMap(it -> it)
        .collect(Collectors.toSet());
  }
}
