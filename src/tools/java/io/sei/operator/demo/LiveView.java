package io.sei.operator.demo;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** Prints a line whenever the status of a node or a fleet says something else than before. */
final class LiveView implements AutoCloseable {

  private final Terminal terminal;
  private final Instant began;
  private final Map<String, SeiNode> nodes = new ConcurrentHashMap<>();
  private final Map<String, SeiNodeDeployment> fleets = new ConcurrentHashMap<>();
  private final Map<String, String> shown = new ConcurrentHashMap<>();
  private final List<SharedIndexInformer<?>> informers;

  LiveView(KubernetesClient client, String namespace, Terminal terminal, Instant began) {
    this.terminal = terminal;
    this.began = began;
    terminal.line("    TIME  " + NodeLine.header());
    informers =
        List.of(
            client
                .resources(SeiNode.class)
                .inNamespace(namespace)
                .inform(new Lines<>(nodes, NodeLine::of)),
            client
                .resources(SeiNodeDeployment.class)
                .inNamespace(namespace)
                .inform(new Lines<>(fleets, FleetLine::of)));
  }

  /** A node as it was last seen, once the operator has looked at it. */
  Optional<SeiNode> node(String name) {
    return Optional.ofNullable(nodes.get(name)).filter(node -> node.getStatus() != null);
  }

  /** A fleet as it was last seen, once the operator has looked at it. */
  Optional<SeiNodeDeployment> fleet(String name) {
    return Optional.ofNullable(fleets.get(name)).filter(fleet -> fleet.getStatus() != null);
  }

  @Override
  public void close() {
    informers.forEach(SharedIndexInformer::stop);
  }

  /** Keeps the newest version of each object, and prints it where its line has changed. */
  private final class Lines<T extends HasMetadata> implements ResourceEventHandler<T> {

    private final Map<String, T> latest;
    private final Function<T, String> line;

    Lines(Map<String, T> latest, Function<T, String> line) {
      this.latest = latest;
      this.line = line;
    }

    @Override
    public void onAdd(T object) {
      show(object);
    }

    @Override
    public void onUpdate(T before, T object) {
      show(object);
    }

    @Override
    public void onDelete(T object, boolean finalStateUnknown) {
      latest.remove(object.getMetadata().getName());
    }

    private void show(T object) {
      String text = line.apply(object);
      if (!text.equals(shown.put(object.getKind() + object.getMetadata().getName(), text))) {
        double seconds = Duration.between(began, Instant.now()).toMillis() / 1000.0;
        String line = "%7.1fs  %s".formatted(seconds, text);
        if (line.contains(NodeLine.STALLED)) {
          terminal.bad(line);
        } else {
          terminal.line(line);
        }
      }
      latest.put(object.getMetadata().getName(), object);
    }
  }
}
