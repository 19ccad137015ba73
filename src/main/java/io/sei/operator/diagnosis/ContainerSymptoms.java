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
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.render.Names;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Problems of the pod's containers, at most one for each. */
final class ContainerSymptoms {

  /** What seid depends on: each container waits for the next one. */
  private static final List<String> NEEDED_BY_SEID =
      List.of(Names.SEID, Names.SEID_INIT, Names.SIDECAR, Names.PROXY);

  /**
   * Causes before their consequences: seid is in CrashLoopBackOff while it is halted, and a
   * container that waits for one without an image may crash.
   */
  private static final List<StallReason> CAUSES =
      List.of(HALTED_AT_UPGRADE, IMAGE_TOO_EARLY, IMAGE_PULL, CRASH_LOOP, StallReason.UNKNOWN);

  private static final Comparator<Symptom> IMPORTANCE =
      Comparator.comparing(Symptom::blocksSeid)
          .reversed()
          .thenComparing(symptom -> CAUSES.indexOf(symptom.reason()))
          .thenComparing(ContainerSymptoms::place);

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

  /** The problems of all containers, the most important first. */
  static List<Symptom> of(Evidence evidence, Instant now) {
    return PodFacts.statuses(evidence.pod()).stream()
        .flatMap(status -> of(evidence, status, now).stream())
        .sorted(IMPORTANCE)
        .toList();
  }

  private static Optional<Symptom> of(Evidence evidence, ContainerStatus status, Instant now) {
    return upgrade(evidence, status)
        .or(() -> imagePull(evidence, status))
        .or(() -> crashLoop(evidence, status, now))
        .or(() -> cannotStart(evidence, status));
  }

  private static Optional<Symptom> upgrade(Evidence evidence, ContainerStatus status) {
    Optional<Finding> halted =
        PodFacts.haltedAt(status)
            .map(
                halt ->
                    Finding.of(
                        HALTED_AT_UPGRADE,
                        "seid stopped for " + halt,
                        "set spec.image to the version that performs it"));
    return halted
        .or(() -> tooEarly(status))
        .map(finding -> symptom(evidence, status, finding, "refuses to run"));
  }

  private static Optional<Finding> tooEarly(ContainerStatus status) {
    return PodFacts.upgradePanic(status)
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

  private static Optional<Symptom> imagePull(Evidence evidence, ContainerStatus status) {
    return waitsFor(status)
        .filter(NO_IMAGE::contains)
        .map(
            reason -> {
              ContainerStateWaiting waiting = status.getState().getWaiting();
              String setting = imageSetting(status.getName());
              Finding finding =
                  Finding.terminal(
                      IMAGE_PULL,
                      inContainer(status, waiting) + imageUnlessNamed(status, waiting),
                      "check "
                          + setting
                          + " and the registry's pull secret, then change "
                          + setting);
              return symptom(evidence, status, finding, "cannot pull its image");
            });
  }

  private static Optional<Symptom> crashLoop(
      Evidence evidence, ContainerStatus status, Instant now) {
    return crashes(evidence.pod(), status, now)
        ? Optional.of(symptom(evidence, status, crashed(evidence, status), "crashes"))
        : Optional.empty();
  }

  /** Any other reason for which a container does not start. */
  private static Optional<Symptom> cannotStart(Evidence evidence, ContainerStatus status) {
    return waitsFor(status)
        .filter(reason -> !reason.isEmpty() && !STILL_STARTING.contains(reason))
        .map(
            reason ->
                symptom(
                    evidence,
                    status,
                    Finding.unknown(
                        inContainer(status, status.getState().getWaiting()),
                        seeEvents(evidence.pod())),
                    "cannot start (" + reason + ")"));
  }

  private static Symptom symptom(
      Evidence evidence, ContainerStatus status, Finding finding, String problem) {
    String name = status.getName();
    boolean blocksSeid =
        NEEDED_BY_SEID.contains(name) || PodFacts.isInitContainer(evidence.pod(), name);
    return new Symptom(name, blocksSeid, finding, "container " + name + " " + problem);
  }

  private static int place(Symptom symptom) {
    int place = NEEDED_BY_SEID.indexOf(symptom.container());
    return place < 0 ? NEEDED_BY_SEID.size() : place;
  }

  /** The reason of a pod that has failed, such as an eviction. */
  static Optional<Finding> podFailed(Pod pod) {
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

  /**
   * Whether a container crashes: it is down after an error, or in a crash loop. A flapping
   * container may be up at every reconcile.
   */
  private static boolean crashes(Pod pod, ContainerStatus status, Instant now) {
    boolean backsOff = waitsFor(status).filter(CRASH_LOOP_BACK_OFF::equals).isPresent();
    boolean isDown =
        status.getState() != null
            && status.getState().getTerminated() != null
            && !Integer.valueOf(0).equals(status.getState().getTerminated().getExitCode());
    return backsOff || isDown || CrashLoops.isIn(pod, status, now);
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
            || evidence.newPod() && PodFacts.restarts(status) >= CrashLoops.RESTARTS;
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
