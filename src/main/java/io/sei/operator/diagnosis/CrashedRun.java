package io.sei.operator.diagnosis;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.sei.operator.base.Times;
import io.sei.operator.render.Names;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * PURE: a run of seid that ended by itself and whose termination message may lack the line that
 * says why. The kubelet keeps the last 2048 bytes or 80 lines of the log, and after a panic of Go
 * that is the middle of a goroutine trace. It then cuts the end of each message off, so that those
 * of all containers of the pod, init, ephemeral and injected ones included, have 12 KiB together. A
 * shorter message is the whole log; it is enough only if it has a line that is known.
 *
 * @param containerId the run's own id; another run has another one
 */
public record CrashedRun(String namespace, String pod, String podUid, String containerId) {

  private static final int CUT_BYTES = 2048;
  private static final int CUT_LINES = 80;

  /** Size of all termination messages of a pod: 12 KiB, MaxPodTerminationMessageLogLength. */
  private static final int POD_BYTES = 12 * 1024;

  private static final String UNREAD = "its log cannot be read";

  private static final Pattern NOT_ASCII = Pattern.compile("[^\\p{ASCII}]");

  /** Exit codes of a seid that halts by its configuration: it sends itself signals. */
  private static final Set<Integer> OF_CONFIGURED_HALTS = Set.of(0, 130, 143);

  /** A full message ends a little below its limit where a character did not fit. */
  private static final int SLACK = 4;

  /** The newest run that ended by itself, if seid is not Ready again. */
  public static Optional<CrashedRun> of(Pod pod) {
    return in(pod, end -> isCrash(pod, end));
  }

  /** Returns whether nothing can be concluded of the newest run before its log is read. */
  public static boolean needsLog(Pod pod) {
    return in(pod, end -> isCrash(pod, end) && isCut(pod, end.getMessage())).isPresent();
  }

  /** The newest crashed run whose log may have more of its error than its termination message. */
  public static Optional<CrashedRun> unexplained(Pod pod) {
    return in(
        pod, end -> isCrash(pod, end) && (isCut(pod, end.getMessage()) || isUnknownError(end)));
  }

  /** The newest crashed run, if its exit code is not 0: a halt at an upgrade height has 2. */
  public static Optional<CrashedRun> failed(Pod pod) {
    return in(pod, end -> isCrash(pod, end) && !Integer.valueOf(0).equals(end.getExitCode()));
  }

  /**
   * Returns the halt that the message of the newest failed run proves. The end of a log does not:
   * it may begin in the middle of a panic.
   */
  public static Optional<UpgradeHalt> halt(Pod pod) {
    return failed(pod)
        .flatMap(run -> seid(pod))
        .flatMap(PodFacts::lastEnd)
        .filter(end -> !isCut(pod, end.getMessage()))
        .flatMap(end -> UpgradeHalt.in(end.getContainerID(), end.getMessage()));
  }

  private static Optional<CrashedRun> in(Pod pod, Predicate<ContainerStateTerminated> which) {
    return seid(pod)
        .filter(status -> !Boolean.TRUE.equals(status.getReady()))
        .flatMap(PodFacts::lastEnd)
        .filter(which)
        .map(end -> of(pod.getMetadata(), end.getContainerID()));
  }

  private static CrashedRun of(ObjectMeta pod, String containerId) {
    return new CrashedRun(pod.getNamespace(), pod.getName(), pod.getUid(), containerId);
  }

  /**
   * Returns whether seid runs again, so that the log of the run that crashed is that of the
   * previous one.
   */
  public static boolean runsAgain(Pod pod) {
    return seid(pod).filter(PodFacts::isRunning).isPresent();
  }

  /**
   * End of the newest run, by the clock of the Kubernetes node, which also stamps its log.
   *
   * @return empty if the kubelet does not say
   */
  public static Optional<Instant> endedAt(Pod pod) {
    return seid(pod).flatMap(PodFacts::lastEnd).flatMap(end -> Times.parse(end.getFinishedAt()));
  }

  /** Returns whether seid ended as it does at {@code halt-height}, and said so last. */
  public static boolean isConfiguredHalt(ContainerStateTerminated end) {
    return OF_CONFIGURED_HALTS.contains(end.getExitCode())
        && LastWords.in(end.getMessage())
            .filter(words -> words.kind() == LastWords.Kind.CONFIGURED_HALT)
            .isPresent();
  }

  /**
   * Returns whether a log that ends so may be that of the newest run: the kubelet's message is the
   * end of its log. A kubelet that has started the next run gives out the log of that one, for as
   * long as its status does not say so.
   */
  public static boolean mayHaveLogged(Pod pod, String endOfLog) {
    return seid(pod)
        .flatMap(PodFacts::lastEnd)
        .filter(end -> isCut(pod, end.getMessage()))
        .map(end -> LastWords.lastLine(end.getMessage()))
        // A log of 256 KiB is searched in no time, and takes a tenth of a second to replace in.
        .filter(last -> !endOfLog.contains(last) && !ascii(endOfLog).contains(ascii(last)))
        .isEmpty();
  }

  /**
   * Drops characters that are not ASCII: where one is cut, message and log may replace it
   * differently.
   */
  private static String ascii(String text) {
    return NOT_ASCII.matcher(text).replaceAll("");
  }

  /** Why the log of the run with this message is not known, if that is so. */
  static Optional<String> whyUnread(String message) {
    return Optional.ofNullable(message)
        .map(words -> words.lastIndexOf(UNREAD))
        .filter(at -> at >= 0)
        .map(message::substring);
  }

  /**
   * The pod with what its kubelet kept of the run's log, and why there is no more.
   *
   * @param why what the API server or the kubelet says
   */
  public Pod unread(Pod pod, String why) {
    String message =
        seid(pod)
            .flatMap(PodFacts::lastEnd)
            .flatMap(end -> LastWords.in(end.getMessage()))
            .map(words -> words.line() + "; ")
            .orElse("");
    return withWords(pod, message + UNREAD + ": " + why);
  }

  /** The pod, with these words as the termination message of the run. */
  public Pod withWords(Pod pod, String words) {
    Pod result = new PodBuilder(pod).build();
    seid(result).stream()
        .flatMap(status -> Stream.of(status.getState(), status.getLastState()))
        .filter(Objects::nonNull)
        .flatMap(state -> Stream.ofNullable(state.getTerminated()))
        .filter(end -> containerId.equals(end.getContainerID()))
        .forEach(end -> end.setMessage(words));
    return result;
  }

  /** Returns whether a run crashed: with exit code 0 it did unless its pod is being deleted. */
  private static boolean isCrash(Pod pod, ContainerStateTerminated end) {
    boolean asked =
        Integer.valueOf(0).equals(end.getExitCode())
            && pod.getMetadata().getDeletionTimestamp() != null;
    return end.getContainerID() != null && !asked;
  }

  /** Without a message the container was made without the log as its message. */
  private static boolean isCut(Pod pod, String message) {
    return message == null
        || message.getBytes(StandardCharsets.UTF_8).length > bytesOfMessage(pod) - SLACK
        || message.lines().count() >= CUT_LINES;
  }

  private static int bytesOfMessage(Pod pod) {
    return Math.min(CUT_BYTES, POD_BYTES / Math.max(1, PodFacts.containers(pod)));
  }

  private static boolean isUnknownError(ContainerStateTerminated end) {
    return !Integer.valueOf(0).equals(end.getExitCode())
        && UpgradePanic.in(end.getMessage()).isEmpty()
        && CauseOfDeath.of(end) == CauseOfDeath.CRASH_LOOP;
  }

  private static Optional<ContainerStatus> seid(Pod pod) {
    return PodFacts.status(pod, Names.SEID);
  }
}
