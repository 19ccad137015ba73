package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** Every version of the nodes of a namespace from now on, so that nothing passes unseen. */
public final class NodeVersions implements Watcher<SeiNode>, AutoCloseable {

  private final List<SeiNode> versions = new CopyOnWriteArrayList<>();
  private final KubernetesClient client;
  private final String namespace;
  private final Watch watch;

  public NodeVersions(KubernetesClient client, String namespace) {
    this.client = client;
    this.namespace = namespace;
    watch = client.resources(SeiNode.class).inNamespace(namespace).watch(this);
  }

  @Override
  public void eventReceived(Action action, SeiNode node) {
    versions.add(node);
  }

  @Override
  public void onClose(WatcherException cause) {}

  /** Returns the values of a field of the status in all versions so far that had it. */
  public <T> List<T> seen(Function<SeiNodeStatus, T> field) {
    awaitCurrent();
    return versions.stream()
        .map(SeiNode::getStatus)
        .filter(Objects::nonNull)
        .map(field)
        .filter(Objects::nonNull)
        .distinct()
        .toList();
  }

  /** A watch may be behind what was read already. */
  private void awaitCurrent() {
    List<String> current =
        client.resources(SeiNode.class).inNamespace(namespace).list().getItems().stream()
            .map(NodeVersions::version)
            .toList();
    await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(20))
        .pollDelay(Duration.ZERO)
        .untilAsserted(
            () -> assertThat(versions.stream().map(NodeVersions::version)).containsAll(current));
  }

  private static String version(SeiNode node) {
    return node.getMetadata().getResourceVersion();
  }

  @Override
  public void close() {
    watch.close();
  }
}
