package io.sei.operator.machine;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Every reason that the condition Ready of the nodes of a namespace ever had. */
final class ReadyReasons implements Watcher<SeiNode>, AutoCloseable {

  private final Set<String> seen = ConcurrentHashMap.newKeySet();
  private final Set<String> messages = ConcurrentHashMap.newKeySet();
  private final Watch watch;

  ReadyReasons(KubernetesClient client, String namespace) {
    watch = client.resources(SeiNode.class).inNamespace(namespace).watch(this);
  }

  Set<String> seen() {
    return Set.copyOf(seen);
  }

  /** All that was said with them. */
  Set<String> messages() {
    return Set.copyOf(messages);
  }

  @Override
  public void eventReceived(Action action, SeiNode node) {
    if (node.getStatus() != null) {
      Conditions.find(node.getStatus().conditions(), NodeConditionType.READY)
          .ifPresent(
              ready -> {
                seen.add(ready.reason());
                messages.add(ready.message());
              });
    }
  }

  @Override
  public void onClose(WatcherException cause) {
    seen.add("the watch ended: " + cause);
  }

  @Override
  public void close() {
    watch.close();
  }
}
