package io.sei.operator.node;

import static io.sei.operator.kube.ApiErrors.isForbidden;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.base.FairExecutor;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.diagnosis.CrashedRun;
import io.sei.operator.diagnosis.LastWords;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.diagnosis.UpgradeHalt;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the logs of crashed runs where the kubelet's termination message may lack the panic, away
 * from the reconciles. What a log says wakes the node's reconcile, and takes the place of that
 * message from then on.
 */
public final class CrashLogs {

  /** Reads the end of the log of a run of seid. */
  @FunctionalInterface
  public interface Reader {

    /**
     * Returns it; empty if the pod moved on meanwhile, so that it may be the log of another run.
     *
     * @throws KubernetesClientException if the log cannot be read
     */
    Optional<String> read(CrashedRun run);
  }

  private static final Logger log = LoggerFactory.getLogger(CrashLogs.class);

  private static final Duration AGAIN = Duration.ofSeconds(5);

  /** A kubelet's statuses arrive up to a second after the fact, seen on a real one. */
  private static final Duration STATUS_LAG = Duration.ofMillis(1500);

  /** Number of consecutive failures that is reported, as many as a kubelet counts for a probe. */
  private static final int FAILURES = 3;

  /**
   * Known end of a run in a node's pod.
   *
   * @param run the newest run that was asked for
   * @param words what its log says of its end; null to keep the termination message
   * @param source whose words these are; of none, they say why the log cannot be read
   * @param halt the upgrade that its log proves
   * @param failures how often in a row its log could not be read
   */
  private record Known(
      CrashedRun run, String words, Source source, Optional<UpgradeHalt> halt, int failures) {

    private List<Object> news() {
      return Arrays.asList(source, halt, words);
    }

    private Known failed(String why, boolean forGood) {
      boolean isSaid = words == null && (forGood || failures + 1 >= FAILURES);
      return new Known(run, isSaid ? why : words, source, halt, failures + 1);
    }
  }

  private enum Source {
    /** No log of this pod has been read. */
    NONE,
    EARLIER_RUN,
    THIS_RUN
  }

  private final Reader reader;
  private final PerObjectState<ResourceID> memory;
  private final FairExecutor<ResourceID> readers;
  private final Duration again;
  private final PerObjectMap<ResourceID, Known> known;

  /**
   * @param readers where logs are read; shut down by its owner
   */
  public CrashLogs(
      Reader reader, PerObjectState<ResourceID> memory, FairExecutor<ResourceID> readers) {
    this(reader, memory, readers, AGAIN);
  }

  CrashLogs(
      Reader reader,
      PerObjectState<ResourceID> memory,
      FairExecutor<ResourceID> readers,
      Duration again) {
    this.reader = reader;
    this.known = memory.newMap();
    this.memory = memory;
    this.readers = readers;
    this.again = again;
  }

  /** Begins to find out why seid ended in this pod, unless that is known. */
  public void look(ResourceID node, Pod pod) {
    if (PodFacts.isReady(pod)) {
      end(node);
      return;
    }
    unasked(node, pod)
        .ifPresent(
            run -> {
              known.compute(node, before -> asked(run, before));
              readers.execute(node, () -> read(node, run, null));
            });
  }

  /**
   * The pod with what is known of the end of seid. Until the log of the newest run is read, what
   * the run before said holds: it had the same image and the same data. A run that was Ready ends
   * that.
   */
  public Pod withWords(ResourceID node, Pod pod) {
    return known.get(node).flatMap(of -> withWords(of, pod)).orElse(pod);
  }

  private static Optional<Pod> withWords(Known of, Pod pod) {
    return CrashedRun.of(pod)
        .filter(run -> of.words() != null && run.podUid().equals(of.run().podUid()))
        .filter(run -> of.source() != Source.NONE || CrashedRun.needsLog(pod))
        .map(
            run ->
                of.source() == Source.NONE
                    ? run.unread(pod, of.words())
                    : run.withWords(pod, of.words()));
  }

  /**
   * The upgrade for which the newest run of seid ended, if its own log proves it.
   *
   * @param pod as observed, without the words of {@link #withWords}
   */
  public Optional<UpgradeHalt> halt(ResourceID node, Pod pod) {
    return CrashedRun.halt(pod)
        .or(
            () ->
                known
                    .get(node)
                    .filter(
                        candidate -> CrashedRun.failed(pod).equals(Optional.of(candidate.run())))
                    .flatMap(Known::halt));
  }

  /**
   * Returns whether it may yet turn out why seid ended, or did after the pod was observed; until
   * the next pass that is no crash loop.
   *
   * @param pod as observed, with the words of {@link #withWords}
   */
  public boolean isReading(ResourceID node, Pod pod) {
    return known
        .get(node)
        .filter(of -> CrashedRun.unexplained(pod).equals(Optional.of(of.run())))
        .filter(
            of ->
                of.source() == Source.NONE
                    ? of.words() == null
                    : of.words() != null && !withWords(of, pod).equals(Optional.of(pod)))
        .isPresent();
  }

  /** Looks no longer, for the node's pod is gone. */
  void end(ResourceID node) {
    known.remove(node);
  }

  /** The pod may carry the words of an earlier run, so its message does not show what is unread. */
  private Optional<CrashedRun> unasked(ResourceID node, Pod pod) {
    return known
        .get(node)
        .map(Known::run)
        .filter(of -> of.podUid().equals(pod.getMetadata().getUid()))
        .map(of -> CrashedRun.of(pod).filter(run -> !of.containerId().equals(run.containerId())))
        .orElseGet(() -> CrashedRun.unexplained(pod));
  }

  private static Known asked(CrashedRun run, Known before) {
    if (before == null || !before.run().podUid().equals(run.podUid())) {
      return new Known(run, null, Source.NONE, Optional.empty(), 0);
    }
    boolean read = before.source() != Source.NONE;
    return new Known(
        run,
        before.words(),
        read ? Source.EARLIER_RUN : Source.NONE,
        Optional.empty(),
        before.failures());
  }

  /**
   * Reads the log of a run. One that does not say for certain why its run ended is read until it no
   * longer changes: the kubelet may have started the next run, whose log it then gives out, for as
   * long as the pod does not say so.
   *
   * @param before hash of the log as it was read before; null the first time
   */
  private void read(ResourceID node, CrashedRun run, Integer before) {
    if (!isNewest(node, run)) {
      return;
    }
    try {
      Optional<String> said = reader.read(run);
      if (said.isPresent()) {
        Optional<LastWords> words = LastWords.in(said.get());
        Integer hash = said.get().hashCode();
        if (words.filter(LastWords::isCertain).isEmpty() && !hash.equals(before)) {
          readLater(node, run, hash, again.compareTo(STATUS_LAG) < 0 ? again : STATUS_LAG);
          return;
        }
        Optional<UpgradeHalt> halt = UpgradeHalt.in(run.containerId(), said.get());
        String line = words.map(LastWords::line).orElse(null);
        become(node, run, of -> new Known(run, line, Source.THIS_RUN, halt, 0));
        return;
      }
    } catch (KubernetesClientException e) {
      log.warn(
          "Cannot read the log of seid in pod {}/{}: {}",
          run.namespace(),
          run.pod(),
          e.getMessage());
      boolean forGood = isForbidden(e);
      become(node, run, of -> of.failed(e.getMessage(), forGood));
    }
    readLater(node, run, null, again);
  }

  private void readLater(ResourceID node, CrashedRun run, Integer before, Duration delay) {
    readers.schedule(node, () -> read(node, run, before), delay);
  }

  private boolean isNewest(ResourceID node, CrashedRun run) {
    return known
        .get(node)
        .filter(of -> of.run().equals(run) && of.source() != Source.THIS_RUN)
        .isPresent();
  }

  private void become(ResourceID node, CrashedRun run, UnaryOperator<Known> change) {
    Optional<Known> before = known.get(node);
    Optional<Known> now =
        known.computeIfPresent(node, of -> of.run().equals(run) ? change.apply(of) : of);
    if (now.isPresent() && !now.map(Known::news).equals(before.map(Known::news))) {
      memory.wake(node);
    }
  }
}
