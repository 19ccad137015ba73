package io.sei.operator.diagnosis;

import static io.sei.operator.api.v1alpha1.StallReason.HALTED_AT_UPGRADE;
import static io.sei.operator.api.v1alpha1.StallReason.HALTED_BY_CONFIGURATION;
import static io.sei.operator.api.v1alpha1.StallReason.IMAGE_PULL;
import static io.sei.operator.api.v1alpha1.StallReason.IMAGE_TOO_EARLY;
import static io.sei.operator.api.v1alpha1.StallReason.POD_FAILED;
import static io.sei.operator.api.v1alpha1.StallReason.REGISTRY_UNREACHABLE;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.base.Text;
import io.sei.operator.render.Names;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The problem of one container of a pod, if it has one. */
record ContainerSymptoms(Evidence evidence, ContainerStatus status, Instant now) {

  /** Containers on which seid depends, in order: each waits for the next one. */
  private static final List<String> NEEDED_BY_SEID =
      List.of(Names.SEID, Names.SEID_INIT, Names.SIDECAR, Names.PROXY);

  private static final Comparator<Symptom> IMPORTANCE =
      Comparator.comparing(Symptom::blocksSeid)
          .reversed()
          .thenComparing(symptom -> rank(symptom.reason()))
          .thenComparing(ContainerSymptoms::place);

  private static final int MAX_LAST_WORDS = 300;

  /** A setting of the operator replaces no pod. */
  private static final String RESTART = ", and restart the node: kubectl sei restart";

  private static final String THEN_UPGRADE =
      "; then seid halts for the upgrade, which spec.upgrades has to list, unless it does, or"
          + " spec.image has to have";

  /** The kubelet has two Events of one reason for a pull that failed; this one has the error. */
  private static final String FAILED_TO_PULL = "Failed to pull image ";

  /** Why a container waits whose image the kubelet cannot get. */
  static final Set<String> NO_IMAGE =
      Set.of(
          "ErrImagePull",
          "ImagePullBackOff",
          "InvalidImageName",
          "ErrImageNeverPull",
          "ImageInspectError",
          "RegistryUnavailable",
          "SignatureValidationFailed");

  /** The problems of all containers, the most important first. */
  static List<Symptom> of(Evidence evidence, Instant now) {
    return PodFacts.statuses(evidence.pod()).stream()
        .map(status -> new ContainerSymptoms(evidence, status, now))
        .flatMap(container -> container.symptom().stream())
        .sorted(IMPORTANCE)
        .toList();
  }

  /**
   * A pod that the kubelet rejected (OutOfcpu, UnexpectedAdmissionError) or evicted. What its
   * containers ended with follows from that.
   */
  static Optional<Finding> podFailed(Pod pod) {
    return Optional.ofNullable(pod)
        .map(Pod::getStatus)
        .filter(status -> "Failed".equals(status.getPhase()))
        .map(
            status ->
                Finding.of(
                    POD_FAILED,
                    "pod %s failed%s%s"
                        .formatted(
                            PodFacts.name(pod),
                            appended(status.getReason()),
                            appended(status.getMessage())),
                    "check the room that Kubernetes node %s has for it, and spec.resources"
                        .formatted(PodFacts.nodeName(pod).orElse("(none)"))));
  }

  private Optional<Symptom> symptom() {
    return upgrade()
        .or(this::configuredHalt)
        .or(this::hopeless)
        .or(this::imagePull)
        .or(this::crashLoop)
        .or(this::cannotStart);
  }

  private Optional<Symptom> upgrade() {
    return PodFacts.upgradePanic(status)
        .flatMap(this::refusal)
        .map(finding -> symptom(finding, "refuses to run"));
  }

  /** Without the log nothing is proven, and no listed image is switched to. */
  private String unread() {
    return PodFacts.lastEnd(status)
        .flatMap(end -> CrashedRun.whyUnread(end.getMessage()))
        .map(why -> "; " + Text.line(why, MAX_LAST_WORDS))
        .orElse("");
  }

  private Optional<Finding> refusal(UpgradePanic panic) {
    return switch (panic.kind()) {
      case NEEDED ->
          Optional.of(
              Finding.of(
                  HALTED_AT_UPGRADE, "seid stopped for " + panic + unread(), afterHalt(panic)));
      case TOO_EARLY ->
          Optional.of(
              Finding.terminal(
                  IMAGE_TOO_EARLY,
                  "the image already contains " + panic + ", which the chain has not reached",
                  evidence.upgrade() == null
                      ? "set spec.image to the previous version until then"
                      : "correct the image of upgrade \"%s\" in spec.upgrades"
                          .formatted(evidence.upgrade())));
      case UNKNOWN_TO_BINARY -> Optional.empty();
    };
  }

  /** Returns advice about a halt; none where the operator continues without help. */
  private String afterHalt(UpgradePanic panic) {
    Optional<Upgrade> entry = evidence.listed().stream().filter(panic::isFor).findFirst();
    Optional<Upgrade> misnamed =
        evidence.listed().stream()
            .filter(listed -> panic.upgrade() != null && listed.isTagOf(panic.upgrade()))
            .findFirst();
    if (entry.isEmpty() && misnamed.isPresent()) {
      return "spec.upgrades lists \"%s\", which looks like the tag of its image; correct the entry's name to \"%s\""
          .formatted(misnamed.get().name(), panic.upgrade());
    }
    if (entry.isEmpty()) {
      return "list it in spec.upgrades, or set spec.image to the version that has this upgrade";
    }
    String image = entry.get().image();
    if (evidence.upgradesPaused()) {
      return "spec.upgrades has it, and spec.upgradesPaused keeps the node on its image; set that"
          + " to false, or set spec.image to "
          + image;
    }
    if (image.equals(evidence.image())) {
      return "correct its image in spec.upgrades: this is the one that halted";
    }
    return unread().isEmpty()
        ? "spec.upgrades has it, and the operator goes on with image %s unless UpgradesReady objects to it"
            .formatted(image)
        : "spec.upgrades has it, and the operator goes on with image %s, unless UpgradesReady objects to it, once it can read the log"
            .formatted(image);
  }

  /**
   * A configured halt is no crash, and it counts while seid runs again: each run commits one more
   * block and halts. Whether a block that was not to be committed matters is for a person to say.
   */
  private Optional<Symptom> configuredHalt() {
    return Optional.of(status)
        .filter(
            container ->
                Names.SEID.equals(container.getName())
                    && !Boolean.TRUE.equals(container.getReady()))
        .flatMap(PodFacts::lastEnd)
        .filter(CrashedRun::isConfiguredHalt)
        .map(
            end ->
                Finding.of(
                    HALTED_BY_CONFIGURATION,
                    "seid halted as its configuration asks, and commits one more block at each"
                        + " restart (restarts: %d): %s"
                            .formatted(
                                PodFacts.restarts(status),
                                LastWords.quoted(end.getMessage(), MAX_LAST_WORDS)),
                    "remove chain.halt_height and chain.halt_time from spec.overrides, and"
                        + " halt-height and halt-time from spec.configValues, or set spec.paused"
                        + " to keep the height"))
        .map(finding -> symptom(finding, "halted by its configuration"));
  }

  /** A cause that no restart repairs counts while seid is started again, until it is Ready. */
  private Optional<Symptom> hopeless() {
    return Optional.of(status)
        .filter(
            container ->
                !Boolean.TRUE.equals(container.getReady()) && !PodFacts.endedWell(container))
        .flatMap(PodFacts::lastEnd)
        .filter(this::isHopeless)
        .map(end -> symptom(crashed(), "crashes"));
  }

  private boolean isHopeless(ContainerStateTerminated end) {
    return causeOf(end).stalls() == CauseOfDeath.Stalls.AT_ONCE && CauseOfDeath.isCertain(end);
  }

  /** The table is about seid. */
  private CauseOfDeath causeOf(ContainerStateTerminated end) {
    if (!Names.SEID.equals(status.getName())) {
      return CauseOfDeath.CRASH_LOOP;
    }
    CauseOfDeath cause = CauseOfDeath.of(end);
    return cause == CauseOfDeath.SIGNING_ELSEWHERE && evidence.ownSignatures()
        ? CauseOfDeath.WAITING_OUT_OWN_SIGNATURES
        : cause;
  }

  private Optional<Symptom> imagePull() {
    if (!NO_IMAGE.contains(waitsFor())) {
      return Optional.empty();
    }
    String image =
        evidence.upgrade() == null
            ? evidence.imageField()
            : "the image of upgrade \"%s\" in spec.upgrades".formatted(evidence.upgrade());
    String setting = imageSetting(image);
    String seen = waiting() + imageUnlessNamed() + imageRewrite();
    Finding finding =
        RegistryAnswer.cause(waitsFor(), pullFailure()) == IMAGE_PULL
            ? Finding.terminal(
                IMAGE_PULL,
                seen,
                "check %1$s and the pull secret of its registry, then change %1$s%2$s"
                    .formatted(setting, setting.equals(image) ? "" : RESTART))
            : Finding.of(
                REGISTRY_UNREACHABLE,
                seen,
                checkRegistry(PodFacts.nodeName(evidence.pod()).orElse("(none)"))
                    + "; the kubelet tries again by itself");
    return Optional.of(symptom(finding, "cannot pull its image"));
  }

  /** Returns the next step where a Kubernetes node gets no answer of a registry. */
  static String checkRegistry(String kubernetesNode) {
    return "check the registry, and the DNS and network of Kubernetes node " + kubernetesNode;
  }

  /**
   * The error of the pull. A kubelet that backs off repeats it, or (Kubernetes 1.30) leaves it to
   * its Event.
   */
  private String pullFailure() {
    String message = status.getState().getWaiting().getMessage();
    if (message != null && !RegistryAnswer.isBackOffAlone(message)) {
      return message;
    }
    Stream<Event> pulls =
        Events.ofPod(evidence)
            .filter(event -> String.valueOf(event.getMessage()).startsWith(FAILED_TO_PULL));
    return Events.newest(pulls, Set.of("Failed")).map(Event::getMessage).orElse(message);
  }

  /**
   * A container crashes if it is down after an error, or in a crash loop. A flapping container may
   * be up at every reconcile.
   */
  private Optional<Symptom> crashLoop() {
    boolean isDown = PodFacts.end(status).isPresent() && !PodFacts.endedWell(status);
    return isDown
            || waitsFor().equals("CrashLoopBackOff")
            || CrashLoops.isIn(evidence.pod(), status, now)
        ? Optional.of(symptom(crashed(), "crashes"))
        : Optional.empty();
  }

  /** Any other reason for which a container does not start. */
  private Optional<Symptom> cannotStart() {
    String reason = waitsFor();
    return reason.isEmpty() || PodFacts.STARTING.contains(reason)
        ? Optional.empty()
        : Optional.of(
            symptom(
                Finding.unknown(
                    waiting(), "check the events of pod " + PodFacts.name(evidence.pod())),
                "cannot start (" + reason + ")"));
  }

  private Symptom symptom(Finding finding, String problem) {
    String name = status.getName();
    boolean blocksSeid =
        NEEDED_BY_SEID.contains(name) || PodFacts.isInitContainer(evidence.pod(), name);
    return new Symptom(name, blocksSeid, finding, "container " + name + " " + problem);
  }

  /**
   * Causes before their consequences: seid is in CrashLoopBackOff while it is halted, and a
   * container that waits for one without an image may crash.
   */
  private static int rank(StallReason reason) {
    List<Predicate<StallReason>> ranks =
        List.of(
            HALTED_AT_UPGRADE::equals,
            CauseOfDeath::isRollbackHarmful,
            IMAGE_PULL::equals,
            REGISTRY_UNREACHABLE::equals,
            CauseOfDeath::isCrash);
    return (int) ranks.stream().takeWhile(predicate -> !predicate.test(reason)).count();
  }

  private static int place(Symptom symptom) {
    int place = NEEDED_BY_SEID.indexOf(symptom.container());
    return place < 0 ? NEEDED_BY_SEID.size() : place;
  }

  private Finding crashed() {
    Optional<UpgradePanic> behindItsData = PodFacts.upgradePanic(status);
    Optional<ContainerStateTerminated> end = PodFacts.lastEnd(status);
    CauseOfDeath cause = end.map(this::causeOf).orElse(CauseOfDeath.CRASH_LOOP);
    boolean halted = end.filter(CauseOfDeath::isUnwrittenHalt).isPresent();
    String seen =
        (halted ? "seid stopped for an upgrade and cannot write that to its volume: " : "")
            + "container %s crashes (restarts: %d)"
                .formatted(status.getName(), PodFacts.restarts(status))
            + end.map(last -> ": " + describe(last)).orElse("");
    String next =
        behindItsData
            .map(
                panic ->
                    "the node's data is already past "
                        + panic
                        + ", which the image does not have: set spec.image to a version that has"
                        + " it")
            .or(() -> Optional.ofNullable(cause.advice()))
            .or(() -> end.map(this::advice))
            .orElseGet(this::seeLogs);
    boolean terminal =
        switch (cause.stalls()) {
          case AT_ONCE -> end.filter(this::isHopeless).isPresent();
          // An image that is behind its data says the same on every start.
          case AFTER_CRASHES ->
              behindItsData.isPresent()
                  || evidence.newPod() && PodFacts.restarts(status) >= CrashLoops.RESTARTS;
          case AT_DEADLINE -> false;
        };
    return new Finding(cause.reason(), seen, halted ? next + THEN_UPGRADE : next, terminal);
  }

  private static String describe(ContainerStateTerminated end) {
    String killed = isKilled(end) ? " (killed)" : "";
    return "exit code "
        + (end.getExitCode() == null ? "unknown" : end.getExitCode())
        + (isOutOfMemory(end) ? " (OOMKilled)" : killed)
        + appended(LastWords.quoted(end.getMessage(), MAX_LAST_WORDS));
  }

  private String advice(ContainerStateTerminated end) {
    if (isOutOfMemory(end)) {
      return outOfMemoryAdvice();
    }
    return isKilled(end)
        ? "check the events of pod %s for a failed probe or memory pressure"
            .formatted(PodFacts.name(evidence.pod()))
        : seeLogs();
  }

  /** For containers beside seid, whose own advice is that of its cause of death. */
  private String outOfMemoryAdvice() {
    return switch (status.getName()) {
      case Names.SIDECAR -> "raise its memory limit: spec.sidecar.resources";
      case Names.EXPORTER -> "raise its memory limit: SEI_COSMOS_EXPORTER_MEMORY_LIMIT" + RESTART;
      default -> "no field or setting raises its memory limit; " + seeLogs();
    };
  }

  private String seeLogs() {
    ObjectMeta pod = evidence.pod().getMetadata();
    return "see kubectl logs %s%s -c %s --previous"
        .formatted(
            pod.getNamespace() == null ? "" : "-n " + pod.getNamespace() + " ",
            pod.getName(),
            status.getName());
  }

  private static boolean isOutOfMemory(ContainerStateTerminated end) {
    return "OOMKilled".equals(end.getReason());
  }

  private static boolean isKilled(ContainerStateTerminated end) {
    return Integer.valueOf(137).equals(end.getExitCode());
  }

  private String waitsFor() {
    return PodFacts.waitsFor(status).orElse("");
  }

  private String waiting() {
    return "container %s: %s%s"
        .formatted(
            status.getName(), waitsFor(), appended(status.getState().getWaiting().getMessage()));
  }

  private String imageUnlessNamed() {
    String message = status.getState().getWaiting().getMessage();
    boolean named =
        status.getImage() == null || message != null && message.contains(status.getImage());
    return named ? "" : " (image " + status.getImage() + ")";
  }

  private String imageRewrite() {
    boolean hasImageOfSeid = List.of(Names.SEID, Names.SEID_INIT).contains(status.getName());
    return hasImageOfSeid && evidence.imageRewrite() != null ? "; " + evidence.imageRewrite() : "";
  }

  private static String appended(String words) {
    return words == null || words.isEmpty() ? "" : ": " + words;
  }

  /** Name of the field or setting that has the image of the container. */
  private String imageSetting(String ofSeid) {
    return switch (status.getName()) {
      case Names.SEID, Names.SEID_INIT -> ofSeid;
      case Names.SIDECAR -> "spec.sidecar.image or SEI_SIDECAR_IMAGE";
      default -> "the operator's image setting for " + status.getName();
    };
  }
}
