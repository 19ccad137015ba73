package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Records the statuses of the pods of one name, pod by pod: one sequence for the phase, for each
 * condition and for each container, one for its restarts if there were any, and one that counts the
 * changes of its requests in the status. What two of these did in the same moment does not matter
 * to who reads them, so that the sequences are compared and not the moments.
 */
public final class PodSequences implements AutoCloseable {

  private final List<String> uids = new ArrayList<>();
  private final Map<String, List<String>> sequences = new LinkedHashMap<>();
  private final Map<String, List<Map<String, Quantity>>> requests = new HashMap<>();
  private final Watch watch;

  /** Listens from now on. */
  public PodSequences(KubernetesClient client, String namespace, String pod) {
    watch = client.pods().inNamespace(namespace).withName(pod).watch(new Listener());
  }

  /**
   * Returns the sequences so far, by {@code 1 phase}, {@code 1 Ready}, {@code 2 seid} and so on.
   */
  public synchronized Map<String, List<String>> said() {
    Map<String, List<String>> copy = new LinkedHashMap<>();
    sequences.forEach((of, sequence) -> copy.put(of, List.copyOf(sequence)));
    return copy;
  }

  private synchronized void hear(Pod pod) {
    String uid = pod.getMetadata().getUid();
    if (!uids.contains(uid)) {
      uids.add(uid);
    }
    String number = uids.indexOf(uid) + 1 + " ";
    var status = pod.getStatus();
    add(number + "phase", status.getPhase());
    status
        .getConditions()
        .forEach(
            condition ->
                add(
                    number + condition.getType(),
                    join(condition.getStatus(), condition.getReason())));
    Stream.of(status.getInitContainerStatuses(), status.getContainerStatuses())
        .flatMap(List::stream)
        .forEach(container -> hear(number + container.getName(), container));
  }

  private void hear(String of, ContainerStatus container) {
    add(of, state(container));
    if (container.getRestartCount() > 0) {
      add(of + " restarts", container.getRestartCount().toString());
    }
    if (container.getResources() != null) {
      var said = requests.computeIfAbsent(of, key -> new ArrayList<>());
      Map<String, Quantity> now = container.getResources().getRequests();
      if (said.isEmpty() || !said.get(said.size() - 1).equals(now)) {
        said.add(now);
      }
      if (said.size() > 1) {
        add(of + " resized", String.valueOf(said.size() - 1));
      }
    }
  }

  private void add(String of, String what) {
    List<String> sequence = sequences.computeIfAbsent(of, key -> new ArrayList<>());
    if (sequence.isEmpty() || !sequence.get(sequence.size() - 1).equals(what)) {
      sequence.add(what);
    }
  }

  private static String state(ContainerStatus container) {
    var state = container.getState();
    if (state.getWaiting() != null) {
      return join("waiting", state.getWaiting().getReason());
    }
    if (state.getTerminated() != null) {
      var end = state.getTerminated();
      return join("exited", end.getExitCode() + " " + end.getReason());
    }
    String running = Boolean.TRUE.equals(container.getStarted()) ? "started" : "running";
    return container.getReady() ? running + " ready" : running;
  }

  private static String join(String first, String second) {
    return second == null ? first : first + " " + second;
  }

  @Override
  public void close() {
    watch.close();
  }

  private final class Listener implements Watcher<Pod> {

    @Override
    public void eventReceived(Action action, Pod pod) {
      hear(pod);
    }

    @Override
    public void onClose(WatcherException cause) {
      synchronized (PodSequences.this) {
        add("the watch", "ended: " + cause);
      }
    }
  }
}
