package io.sei.operator.testkit.machine;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.EndpointAddress;
import io.fabric8.kubernetes.api.model.EndpointPort;
import io.fabric8.kubernetes.api.model.EndpointSubset;
import io.fabric8.kubernetes.api.model.Endpoints;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Targets that Prometheus' discovery in Kubernetes would find, for one that is built without it, as
 * Debian's is: files of targets with the labels of its documentation.
 */
record DiscoveredTargets(KubernetesClient client) {

  private record Target(List<String> targets, Map<String, String> labels) {}

  /** Writes the targets of role {@code pod}: each port of each container. */
  void writePods(Path file) {
    write(
        file,
        client.pods().inAnyNamespace().list().getItems().stream()
            .filter(pod -> pod.getStatus().getPodIP() != null)
            .flatMap(DiscoveredTargets::ofPod)
            .toList());
  }

  /** Writes the targets of role {@code endpoints}: each port of each address of a Service. */
  void writeEndpoints(Path file) {
    List<Target> targets = new ArrayList<>();
    for (Service service : client.services().inAnyNamespace().list().getItems()) {
      Endpoints endpoints =
          client
              .endpoints()
              .inNamespace(service.getMetadata().getNamespace())
              .withName(service.getMetadata().getName())
              .get();
      if (endpoints != null) {
        endpoints.getSubsets().forEach(subset -> targets.addAll(of(service, subset)));
      }
    }
    write(file, targets);
  }

  private static Stream<Target> ofPod(Pod pod) {
    List<Container> containers = new ArrayList<>(pod.getSpec().getContainers());
    containers.addAll(pod.getSpec().getInitContainers());
    return containers.stream()
        .flatMap(container -> container.getPorts().stream())
        .map(port -> target(pod, port));
  }

  private static Target target(Pod pod, ContainerPort port) {
    Map<String, String> labels = labels(pod, "pod");
    labels.put("__meta_kubernetes_pod_name", pod.getMetadata().getName());
    labels.put("__meta_kubernetes_pod_container_port_name", port.getName());
    return new Target(List.of(pod.getStatus().getPodIP() + ":" + port.getContainerPort()), labels);
  }

  private static List<Target> of(Service service, EndpointSubset subset) {
    List<Target> targets = new ArrayList<>();
    for (EndpointAddress address : subset.getAddresses()) {
      for (EndpointPort port : subset.getPorts()) {
        Map<String, String> labels = labels(service, "service");
        labels.put("__meta_kubernetes_endpoint_port_name", String.valueOf(port.getName()));
        if (address.getTargetRef() != null) {
          labels.put("__meta_kubernetes_pod_name", address.getTargetRef().getName());
        }
        targets.add(new Target(List.of(address.getIp() + ":" + port.getPort()), labels));
      }
    }
    return targets;
  }

  private static Map<String, String> labels(HasMetadata object, String kind) {
    Map<String, String> labels = new TreeMap<>();
    labels.put("__meta_kubernetes_namespace", object.getMetadata().getNamespace());
    if (object.getMetadata().getLabels() != null) {
      object
          .getMetadata()
          .getLabels()
          .forEach(
              (name, value) -> {
                String suffix = ScrapeConfig.label(name);
                labels.put("__meta_kubernetes_%s_label_%s".formatted(kind, suffix), value);
                labels.put("__meta_kubernetes_%s_labelpresent_%s".formatted(kind, suffix), "true");
              });
    }
    return labels;
  }

  private static void write(Path file, List<Target> targets) {
    try {
      Path whole = file.resolveSibling(file.getFileName() + ".new");
      new ObjectMapper().writeValue(whole.toFile(), targets);
      // Prometheus may be reading it.
      Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
