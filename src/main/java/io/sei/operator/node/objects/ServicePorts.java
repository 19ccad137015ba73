package io.sei.operator.node.objects;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.sei.operator.chain.Releases;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.render.Ports;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Decides which ports a node's Service leaves out, because the seid that runs does not serve them.
 * A Service stays as it is until the running version is known, and while the list of releases does
 * not have it.
 */
public record ServicePorts(RunningVersion running, Supplier<Releases> releases) {

  /**
   * Returns the ports that the Service leaves out.
   *
   * @param live the Service as it is
   */
  Set<Integer> leftOut(NodePass pass, Optional<Service> live) {
    Releases known = releases.get();
    Set<Integer> changed =
        known.changedPorts().stream().filter(Ports::isOfSeid).collect(Collectors.toSet());
    Set<Integer> leftOutNow =
        live.map(service -> without(changed, listed(service))).orElse(Set.of());
    return running.read(
        pass,
        version ->
            version.filter(known::has).isEmpty()
                ? leftOutNow
                : without(changed, known.servedPorts(version.get())));
  }

  private static Set<Integer> listed(Service service) {
    return service.getSpec().getPorts().stream()
        .map(ServicePort::getPort)
        .collect(Collectors.toSet());
  }

  private static Set<Integer> without(Set<Integer> all, Set<Integer> some) {
    return all.stream().filter(port -> !some.contains(port)).collect(Collectors.toSet());
  }
}
