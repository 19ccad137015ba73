package io.sei.operator.fleet;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRoute;
import io.sei.operator.api.v1alpha1.Networking;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.fleet.feature.Retention;
import io.sei.operator.kube.Ownership;
import io.sei.operator.render.ChildRenderer;
import io.sei.operator.render.Names;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Remaining objects of a fleet's {@code spec.networking} that the Go operator made. It is kept, and
 * not managed.
 *
 * @param services with the fleet's label and no other owner, the fleet's own Service left out
 * @param routes with the fleet's label and no other owner
 */
public record InheritedNetworking(
    SeiNodeDeployment fleet, List<Service> services, List<HTTPRoute> routes) {

  private static final String P2P = "-p2p";

  /** Leaves out what belongs to others, or is the fleet's Service of today. */
  public static InheritedNetworking of(
      SeiNodeDeployment fleet, List<Service> services, List<HTTPRoute> routes) {
    String own = Names.internalService(fleet);
    return new InheritedNetworking(
        fleet,
        services.stream()
            .filter(
                service ->
                    !isForeign(service, fleet) && !service.getMetadata().getName().equals(own))
            .toList(),
        routes.stream().filter(route -> !isForeign(route, fleet)).toList());
  }

  /** Returns whether there is nothing that serves the fleet's networking. */
  public boolean isEmpty() {
    return external().isEmpty() && p2p().isEmpty() && staying(routes).findAny().isEmpty();
  }

  /** All objects, also those that serve something else. */
  public List<HasMetadata> objects() {
    return Stream.<HasMetadata>concat(services.stream(), routes.stream()).toList();
  }

  /** The fleet's P2P Services of ordinals that are not wanted any more. */
  public List<Service> superfluous() {
    return p2p().tailMap(fleet.getSpec().replicas()).values().stream()
        .filter(service -> Retention.isOwn(service, fleet))
        .toList();
  }

  /** Names the remaining objects, and the nodes without one; empty without any. */
  public Optional<String> words() {
    var kinds = new ArrayList<String>();
    List<Service> named = Stream.concat(external().stream(), p2p().values().stream()).toList();
    if (!named.isEmpty()) {
      kinds.add("Service " + names(named.stream()));
    }
    if (staying(routes).findAny().isPresent()) {
      kinds.add("HTTPRoute " + names(staying(routes).sorted(InheritedNetworking::byName)));
    }
    return kinds.isEmpty()
        ? Optional.empty()
        : Optional.of(String.join(" and ", kinds) + withoutP2p());
  }

  /** Nodes made since get no P2P Service. */
  private String withoutP2p() {
    Networking wanted = fleet.getSpec().networking();
    if (wanted == null || wanted.tcp() == null || p2p().isEmpty()) {
      return "";
    }
    String missing =
        IntStream.range(0, fleet.getSpec().replicas())
            .filter(ordinal -> !p2p().containsKey(ordinal))
            .mapToObj(ordinal -> ChildRenderer.name(fleet, ordinal))
            .collect(Collectors.joining(", "));
    return missing.isEmpty() ? "" : " (nodes without a P2P Service: " + missing + ")";
  }

  private Optional<Service> external() {
    String name = fleet.getMetadata().getName() + "-external";
    return staying(services)
        .filter(service -> service.getMetadata().getName().equals(name))
        .findFirst();
  }

  private SortedMap<Integer, Service> p2p() {
    var byOrdinal = new TreeMap<Integer, Service>();
    staying(services)
        .forEach(service -> ordinal(service).ifPresent(ordinal -> byOrdinal.put(ordinal, service)));
    return byOrdinal;
  }

  private OptionalInt ordinal(Service service) {
    String name = service.getMetadata().getName();
    return name.endsWith(P2P)
        ? ChildRenderer.ordinal(fleet, name.substring(0, name.length() - P2P.length()))
        : OptionalInt.empty();
  }

  private static <T extends HasMetadata> Stream<T> staying(List<T> objects) {
    return objects.stream().filter(object -> !object.isMarkedForDeletion());
  }

  private static boolean isForeign(HasMetadata object, SeiNodeDeployment fleet) {
    return Ownership.of(object, fleet) instanceof Ownership.Foreign;
  }

  private static int byName(HasMetadata one, HasMetadata other) {
    return one.getMetadata().getName().compareTo(other.getMetadata().getName());
  }

  private static String names(Stream<? extends HasMetadata> objects) {
    return objects.map(object -> object.getMetadata().getName()).collect(Collectors.joining(", "));
  }
}
