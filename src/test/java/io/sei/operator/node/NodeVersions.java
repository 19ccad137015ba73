package io.sei.operator.node;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** Every version of the nodes of a namespace from now on, so that nothing passes unseen. */
final class NodeVersions implements Watcher<SeiNode>, AutoCloseable {

  private final List<SeiNode> versions = new CopyOnWriteArrayList<>();
  private final Watch watch;

  NodeVersions(KubernetesClient client, String namespace) {
    watch = client.resources(SeiNode.class).inNamespace(namespace).watch(this);
  }

  @Override
  public void eventReceived(Action action, SeiNode node) {
    versions.add(node);
  }

  @Override
  public void onClose(WatcherException cause) {}

  /** What a field of the status was, in all versions that had it. */
  <T> List<T> seen(Function<SeiNodeStatus, T> field) {
    return versions.stream()
        .map(SeiNode::getStatus)
        .filter(Objects::nonNull)
        .map(field)
        .filter(Objects::nonNull)
        .distinct()
        .toList();
  }

  @Override
  public void close() {
    watch.close();
  }
}
