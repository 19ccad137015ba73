package io.sei.operator.diagnosis;

import static io.sei.operator.api.v1alpha1.StallReason.CRASH_LOOP;
import static io.sei.operator.api.v1alpha1.StallReason.HALTED_AT_UPGRADE;
import static io.sei.operator.api.v1alpha1.StallReason.IMAGE_PULL;
import static io.sei.operator.api.v1alpha1.StallReason.IMAGE_TOO_EARLY;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.sei.operator.render.Names;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;

/** Causes that the containers of the pod show. */
final class ContainerSymptoms {

  /** A new pod that was restarted this often will not get well by itself. */
  private static final int TERMINAL_RESTARTS = 3;

  /** The kubelet forgets earlier crashes once a container has run this long. */
  private static final Duration CRASH_MEMORY = Duration.ofMinutes(10);

  private static final int MAX_LAST_WORDS = 300;

  private static final String CRASH_LOOP_BACK_OFF = "CrashLoopBackOff";

  private static final Set<String> NO_IMAGE =
      Set.of(
          "ErrImagePull",
          "ImagePullBackOff",
          "InvalidImageName",
          "ErrImageNeverPull",
          "ImageInspectError",
          "SignatureValidationFailed");

  private static final Set<String> STILL_STARTING = Set.of("ContainerCreating", "PodInitializing");

  private ContainerSymptoms() {}

  static Optional<Finding> haltedAtUpgrade(Evidence evidence, Instant now) {
    return PodFacts.haltedAt(evidence.pod())
        .map(
            halt ->
                Finding.of(
                    HALTED_AT_UPGRADE,
                    "seid stopped for " + halt,
                    "set spec.image to the version that performs it"));
  }

  static Optional<Finding> imageTooEarly(Evidence evidence, Instant now) {
    return PodFacts.upgradePanic(evidence.pod())
        .filter(panic -> panic.kind() == UpgradePanic.Kind.TOO_EARLY)
        .map(
            panic ->
                Finding.terminal(
                    IMAGE_TOO_EARLY,
                    "seid already contains "
                        + panic.describe()
                        + ", which the chain has not reached",
                    "set spec.image back to the version before it until then"));
  }

  static Optional<Finding> imagePull(Evidence evidence, Instant now) {
    return PodFacts.statuses(evidence.pod()).stream()
        .filter(status -> waitsFor(status).filter(NO_IMAGE::contains).isPresent())
        .findFirst()
        .map(
            status -> {
              ContainerStateWaiting waiting = status.getState().getWaiting();
              String setting = imageSetting(status.getName());
              return Finding.terminal(
                  IMAGE_PULL,
                  inContainer(status, waiting) + imageUnlessNamed(status, waiting),
                  "check " + setting + " and the registry's pull secret, then change " + setting);
            });
  }

  static Optional<Finding> crashLoop(Evidence evidence, Instant now) {
    return PodFacts.statuses(evidence.pod()).stream()
        .filter(status -> crashes(status, now))
        .max(Comparator.comparingInt(PodFacts::restarts))
        .map(status -> crashed(evidence, status));
  }

  /** What else the kubelet or the node's eviction says about a pod that does not start. */
  static Optional<Finding> cannotStart(Evidence evidence, Instant now) {
    Optional<Finding> container =
        PodFacts.statuses(evidence.pod()).stream()
            .filter(ContainerSymptoms::waitsForAnotherReason)
            .findFirst()
            .map(
                status ->
                    Finding.unknown(
                        inContainer(status, status.getState().getWaiting()),
                        seeEvents(evidence.pod())));
    return container.or(() -> failed(evidence.pod()));
  }

  private static Optional<Finding> failed(Pod pod) {
    return Optional.ofNullable(pod)
        .map(Pod::getStatus)
        .filter(status -> "Failed".equals(status.getPhase()))
        .map(
            status ->
                Finding.unknown(
                    "pod " + PodFacts.name(pod) + " failed" + why(status), seeEvents(pod)));
  }

  private static String seeEvents(Pod pod) {
    return "see the events of pod " + PodFacts.name(pod);
  }

  private static String why(PodStatus status) {
    return (status.getReason() == null ? "" : ": " + status.getReason())
        + (status.getMessage() == null ? "" : ": " + status.getMessage());
  }

  private static boolean waitsForAnotherReason(ContainerStatus status) {
    return waitsFor(status)
        .filter(reason -> !reason.isEmpty() && !STILL_STARTING.contains(reason))
        .isPresent();
  }

  /**
   * Whether a container crashes: it is down, or it has just come up again after several crashes. A
   * flapping container is up whenever one looks, and would otherwise never be found.
   */
  private static boolean crashes(ContainerStatus status, Instant now) {
    if (waitsFor(status).filter(CRASH_LOOP_BACK_OFF::equals).isPresent()) {
      return true;
    }
    Optional<ContainerStateTerminated> badEnd =
        PodFacts.lastEnd(status).filter(end -> !Integer.valueOf(0).equals(end.getExitCode()));
    if (badEnd.isEmpty() || Boolean.TRUE.equals(status.getReady())) {
      return false;
    }
    boolean isDown = status.getState() != null && status.getState().getTerminated() != null;
    boolean recent =
        KubeTime.parse(badEnd.get().getFinishedAt())
            .map(end -> end.plus(CRASH_MEMORY).isAfter(now))
            .orElse(true);
    return isDown || recent && PodFacts.restarts(status) >= TERMINAL_RESTARTS;
  }

  private static Finding crashed(Evidence evidence, ContainerStatus status) {
    Optional<UpgradePanic> behindItsData =
        PodFacts.upgradePanic(status)
            .filter(panic -> panic.kind() == UpgradePanic.Kind.UNKNOWN_TO_BINARY);
    Optional<ContainerStateTerminated> end = PodFacts.lastEnd(status);
    String seen =
        "container %s crashes (restarts: %d)".formatted(status.getName(), PodFacts.restarts(status))
            + end.map(last -> ": " + describe(last)).orElse("");
    String next =
        behindItsData
            .map(ContainerSymptoms::moveOn)
            .or(() -> end.map(last -> advice(evidence.pod(), status, last)))
            .orElseGet(() -> seeLogs(evidence.pod(), status));
    // An image that is behind its data says the same on every start.
    boolean terminal =
        behindItsData.isPresent()
            || evidence.newPod() && PodFacts.restarts(status) >= TERMINAL_RESTARTS;
    return terminal ? Finding.terminal(CRASH_LOOP, seen, next) : Finding.of(CRASH_LOOP, seen, next);
  }

  private static String moveOn(UpgradePanic panic) {
    return "this node's data is already past "
        + panic.describe()
        + ", which the image does not know: set spec.image to a version that does";
  }

  private static String describe(ContainerStateTerminated end) {
    String cause;
    if (isOutOfMemory(end)) {
      cause = " (OOMKilled)";
    } else if (isKilled(end)) {
      cause = " (killed)";
    } else {
      cause = "";
    }
    String lastWords = lastWords(end.getMessage());
    return "exit code "
        + (end.getExitCode() == null ? "unknown" : end.getExitCode())
        + cause
        + (lastWords.isEmpty() ? "" : ": " + lastWords);
  }

  private static String advice(Pod pod, ContainerStatus status, ContainerStateTerminated end) {
    if (isOutOfMemory(end)) {
      return "give it more memory: " + memorySetting(status.getName());
    }
    if (isKilled(end)) {
      return "look for a failed probe or memory pressure in the events of pod "
          + PodFacts.name(pod);
    }
    return seeLogs(pod, status);
  }

  private static String seeLogs(Pod pod, ContainerStatus status) {
    String namespace = pod.getMetadata() == null ? null : pod.getMetadata().getNamespace();
    return "see kubectl logs %s%s -c %s --previous"
        .formatted(
            namespace == null ? "" : "-n " + namespace + " ", PodFacts.name(pod), status.getName());
  }

  private static boolean isOutOfMemory(ContainerStateTerminated end) {
    return "OOMKilled".equals(end.getReason());
  }

  private static boolean isKilled(ContainerStateTerminated end) {
    return Integer.valueOf(137).equals(end.getExitCode());
  }

  /** The line that says most: the panic, which a stack trace may follow, or else the last one. */
  private static String lastWords(String message) {
    if (message == null) {
      return "";
    }
    String last = "";
    for (String line : message.split("\\R")) {
      if (line.startsWith("panic:")) {
        return OneLine.of(line, MAX_LAST_WORDS);
      }
      last = line.isBlank() ? last : line;
    }
    return OneLine.of(last, MAX_LAST_WORDS);
  }

  private static Optional<String> waitsFor(ContainerStatus status) {
    return Optional.ofNullable(status.getState())
        .map(ContainerState::getWaiting)
        .map(ContainerStateWaiting::getReason);
  }

  private static String inContainer(ContainerStatus status, ContainerStateWaiting waiting) {
    return "container "
        + status.getName()
        + ": "
        + waiting.getReason()
        + (waiting.getMessage() == null ? "" : ": " + waiting.getMessage());
  }

  private static String imageUnlessNamed(ContainerStatus status, ContainerStateWaiting waiting) {
    boolean named =
        status.getImage() == null
            || waiting.getMessage() != null && waiting.getMessage().contains(status.getImage());
    return named ? "" : " (image " + status.getImage() + ")";
  }

  private static String imageSetting(String container) {
    return switch (container) {
      case Names.SEID, Names.SEID_INIT -> "spec.image";
      case Names.SIDECAR -> "spec.sidecar.image or SEI_SIDECAR_IMAGE";
      default -> "the operator's image setting for " + container;
    };
  }

  private static String memorySetting(String container) {
    return switch (container) {
      case Names.SEID -> "spec.resources";
      case Names.SIDECAR -> "spec.sidecar.resources";
      default -> "the operator's settings for " + container;
    };
  }
}
