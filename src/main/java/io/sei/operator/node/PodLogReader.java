package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.diagnosis.CrashedRun;
import io.sei.operator.diagnosis.LastWords;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.render.Names;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Reads logs from the API server, and makes sure whose they are. */
public record PodLogReader(KubeApi api, Clock clock) implements CrashLogs.Reader, LogProbe.Reader {

  private static final int MAX_BYTES = 256 * 1024;

  /** Size of the log of a run's last seconds, without the traces of all its goroutines. */
  private static final int MAX_BYTES_OF_END = 1024 * 1024;

  /** Size of the output of a script before it starts a program. */
  private static final int MAX_BYTES_OF_BEGINNING = 4096;

  /** A panic takes its time where thousands of goroutines are printed after it. */
  private static final Duration END = Duration.ofSeconds(10);

  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  /** The kubelet may start the container while its log is read. */
  private static final int ATTEMPTS = 3;

  /**
   * The API answers with the log of whatever run is there: 400 or the run before where it is asked
   * for the wrong one of two. So the pod is looked at before and after.
   */
  @Override
  public Optional<String> read(CrashedRun run) {
    Optional<Pod> pod = pod(run);
    for (int attempt = 0; attempt < ATTEMPTS && pod.isPresent(); attempt++) {
      Pod before = pod.get();
      boolean previous = CrashedRun.runsAgain(before);
      String end =
          api.endOfLog(run.namespace(), run.pod(), Names.SEID, previous, MAX_BYTES, TIMEOUT, clock);
      String log = log(run, previous, CrashedRun.endedAt(before), end);
      pod = pod(run);
      if (pod.filter(after -> CrashedRun.runsAgain(after) == previous).isPresent()) {
        return Optional.of(checked(before, end, log));
      }
    }
    return Optional.empty();
  }

  /** The end of the log or, where traces push out what comes before them, the last seconds. */
  private String log(CrashedRun run, boolean previous, Optional<Instant> endedAt, String end) {
    return endedAt
        .filter(at -> LastWords.isPushedOut(end))
        .map(
            at ->
                api.logSince(
                    run.namespace(),
                    run.pod(),
                    Names.SEID,
                    previous,
                    at.minus(END),
                    MAX_BYTES_OF_END,
                    TIMEOUT,
                    clock))
        .filter(since -> LastWords.in(since).filter(LastWords::isCertain).isPresent())
        .orElse(end);
  }

  private static String checked(Pod pod, String end, String log) {
    if (!CrashedRun.mayHaveLogged(pod, end)) {
      throw new KubernetesClientException("the kubelet gave out the log of another run");
    }
    return log;
  }

  @Override
  public void read(String namespace, String pod) {
    api.probeLog(namespace, pod, Names.SEID, TIMEOUT, clock);
  }

  /** The end of what the newest run of seid has logged, whether it is over or not. */
  public String endOfNewest(String namespace, String pod) {
    return api.endOfLog(namespace, pod, Names.SEID, false, MAX_BYTES, TIMEOUT, clock);
  }

  /** Returns the beginning of the log of the exporter's newest run. */
  public String beginningOfExporter(String namespace, String pod) {
    return api.beginningOfLog(
        namespace, pod, Names.EXPORTER, MAX_BYTES_OF_BEGINNING, TIMEOUT, clock);
  }

  private Optional<Pod> pod(CrashedRun run) {
    return api.get(Pod.class, run.namespace(), run.pod())
        .filter(pod -> CrashedRun.of(pod).filter(run::equals).isPresent());
  }
}
