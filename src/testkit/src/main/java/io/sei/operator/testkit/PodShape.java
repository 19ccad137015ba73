package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Probe;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Parts of the pod of a Sei node that the kubelet has to know. */
final class PodShape {
  static final String NODE_LABEL = "sei.io/node";
  static final String SEID = "seid";
  static final String DATA_RESTORE = "data-restore";
  static final String SEID_INIT = "seid-init";
  static final String STATE_SYNC_RENEWAL = "state-sync-renewal";
  static final String SIDECAR = "sei-sidecar";

  private static final Pattern GENERATION =
      Pattern.compile("^generation=(\\d+)$", Pattern.MULTILINE);
  private static final String PROXY = "kube-rbac-proxy";
  private static final String AUDIENCES = "--auth-token-audiences=";

  private PodShape() {}

  static List<Container> initContainers(Pod pod) {
    return pod.getSpec().getInitContainers();
  }

  static List<Container> containers(Pod pod) {
    return pod.getSpec().getContainers();
  }

  /** An init container that keeps running beside the others (Kubernetes 1.28 and later). */
  static boolean isNativeSidecar(Container initContainer) {
    return "Always".equals(initContainer.getRestartPolicy());
  }

  /** Returns whether the containers of the pod run once, as those of a Job do. */
  static boolean runsOnce(Pod pod) {
    return "Never".equals(pod.getSpec().getRestartPolicy());
  }

  /**
   * Returns whether a container says in its termination message which seid its image has, or which
   * keys a file.
   */
  static boolean inspects(Container container) {
    return looksIntoFile(container)
        || String.join(" ", container.getCommand()).contains("seid version --long");
  }

  /** Returns whether a container looks for keys, its last arguments, in a file of the volume. */
  static boolean looksIntoFile(Container container) {
    return container.getName().startsWith("gate-");
  }

  /** The number of the reset for which the volume is wiped before anything else starts. */
  static Optional<Long> resetGeneration(Pod pod) {
    return named(pod, "data-reset")
        .map(container -> GENERATION.matcher(container.getCommand().get(2)))
        .filter(Matcher::find)
        .map(found -> Long.valueOf(found.group(1)));
  }

  /** Returns whether a closed gate keeps the pod from being Ready: seid is not started in it. */
  static boolean isHeld(Pod pod) {
    return !pod.getSpec().getReadinessGates().isEmpty();
  }

  /** Returns whether the startup probe of {@code seid} is one that needs a block to succeed. */
  static boolean needsBlock(Pod pod) {
    return Optional.ofNullable(mainContainer(pod).getStartupProbe())
        .map(Probe::getExec)
        .filter(exec -> String.join(" ", exec.getCommand()).contains("latest_block_height"))
        .isPresent();
  }

  static Container mainContainer(Pod pod) {
    return named(pod, SEID).orElseGet(() -> containers(pod).get(0));
  }

  static Optional<Container> named(Pod pod, String name) {
    return all(pod).filter(c -> c.getName().equals(name)).findFirst();
  }

  /** The audiences of tokens that the proxy of the pod is started with; none if any will do. */
  static List<String> audiences(Pod pod) {
    return named(pod, PROXY).stream()
        .flatMap(proxy -> proxy.getArgs().stream())
        .filter(argument -> argument.startsWith(AUDIENCES))
        .flatMap(argument -> Stream.of(argument.substring(AUDIENCES.length()).split(",")))
        .toList();
  }

  static boolean usesImage(Pod pod, String image) {
    return all(pod).anyMatch(c -> image.equals(c.getImage()));
  }

  private static Stream<Container> all(Pod pod) {
    return Stream.concat(initContainers(pod).stream(), containers(pod).stream());
  }

  /** The node whose sidecar runs in this pod, empty for a pod that has none. */
  static Optional<String> seiNode(Pod pod) {
    if (named(pod, SIDECAR).or(() -> named(pod, SEID)).isEmpty()) {
      return Optional.empty();
    }
    var labels = pod.getMetadata().getLabels();
    String label = labels == null ? null : labels.get(NODE_LABEL);
    return Optional.of(
        label != null ? label : pod.getMetadata().getName().replaceFirst("-\\d+$", ""));
  }
}
