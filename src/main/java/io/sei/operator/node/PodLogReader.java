package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.diagnosis.CrashedRun;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.render.Names;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;

/** Reads logs from the API server, and makes sure whose they are. */
public record PodLogReader(KubeApi api, Clock clock) implements CrashLogs.Reader, LogProbe.Reader {

  private static final int MAX_BYTES = 256 * 1024;
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  /** The kubelet may start the container while its log is read. */
  private static final int ATTEMPTS = 3;

  /**
   * The API answers with the log of whatever run is there: 400 or the run before where it is asked
   * for the wrong one of two. So the pod is looked at before and after.
   */
  @Override
  public Optional<String> read(CrashedRun run) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Optional<Pod> before = pod(run);
      if (before.isEmpty()) {
        return Optional.empty();
      }
      boolean previous = CrashedRun.runsAgain(before.get());
      String log =
          api.endOfLog(run.namespace(), run.pod(), Names.SEID, previous, MAX_BYTES, TIMEOUT, clock);
      if (pod(run).filter(after -> CrashedRun.runsAgain(after) == previous).isPresent()) {
        return Optional.of(log);
      }
    }
    return Optional.empty();
  }

  @Override
  public void read(String namespace, String pod) {
    api.probeLog(namespace, pod, Names.SEID);
  }

  private Optional<Pod> pod(CrashedRun run) {
    return api.get(Pod.class, run.namespace(), run.pod())
        .filter(pod -> CrashedRun.of(pod).filter(run::equals).isPresent());
  }
}
