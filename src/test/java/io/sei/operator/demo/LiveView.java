package io.sei.operator.demo;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.sei.operator.api.v1alpha1.SeiNode;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Prints a line whenever a node's status says something else than before. */
final class LiveView implements ResourceEventHandler<SeiNode>, AutoCloseable {

  private final Terminal terminal;
  private final Instant began;
  private final SharedIndexInformer<SeiNode> informer;
  private volatile SeiNode latest;
  private String shown = "";

  LiveView(KubernetesClient client, String namespace, Terminal terminal, Instant began) {
    this.terminal = terminal;
    this.began = began;
    terminal.line("    TIME  " + NodeLine.header());
    this.informer = client.resources(SeiNode.class).inNamespace(namespace).inform(this);
  }

  /** The node as it was last seen. */
  Optional<SeiNode> latest() {
    return Optional.ofNullable(latest);
  }

  @Override
  public void onAdd(SeiNode node) {
    show(node);
  }

  @Override
  public void onUpdate(SeiNode before, SeiNode node) {
    show(node);
  }

  @Override
  public void onDelete(SeiNode node, boolean finalStateUnknown) {
    latest = null;
  }

  private synchronized void show(SeiNode node) {
    String line = NodeLine.of(node);
    if (!line.equals(shown)) {
      shown = line;
      double seconds = Duration.between(began, Instant.now()).toMillis() / 1000.0;
      terminal.line("%7.1fs  %s".formatted(seconds, line));
    }
    latest = node;
  }

  @Override
  public void close() {
    informer.stop();
  }
}
