package io.sei.operator.fleet;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.kube.EventRecorder;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.kube.Ownership;
import io.sei.operator.render.ClaimRenderer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Says on a deployment which claims go with its nodes, before they go. */
public record LostData(EventRecorder events) {

  /** Nodes that are about to be deleted, since fewer are wanted. */
  void scaledDown(SeiNodeDeployment deployment, List<SeiNode> nodes) {
    announce(
        deployment,
        nodes,
        "scaling down deletes chain data, unless dataVolume.onDelete is Retain in the template: ");
  }

  /**
   * Counts nodes that are deleted with their deployment.
   *
   * @param left the nodes that carry its label and still exist, with any owner
   */
  void deleted(SeiNodeDeployment deployment, List<SeiNode> left) {
    announce(
        deployment,
        goingWith(deployment, left),
        "the nodes are deleted with their chain data, unless deletionPolicy is Retain: ");
  }

  /** The garbage collector may have been faster: what it took is as the template says. */
  static List<SeiNode> goingWith(SeiNodeDeployment deployment, List<SeiNode> left) {
    Set<String> seen =
        left.stream().map(node -> node.getMetadata().getName()).collect(Collectors.toSet());
    List<String> incumbents = FleetView.statusOf(deployment).incumbentNodes();
    Stream<SeiNode> taken =
        Stream.ofNullable(incumbents)
            .flatMap(List::stream)
            .filter(name -> !seen.contains(name))
            .map(name -> ofTemplate(deployment, name));
    Stream<SeiNode> owned = left.stream().filter(node -> Ownership.isOurs(node, deployment));
    return Stream.concat(owned, taken).toList();
  }

  private static SeiNode ofTemplate(SeiNodeDeployment deployment, String name) {
    var node = new SeiNode();
    node.getMetadata().setNamespace(deployment.getMetadata().getNamespace());
    node.getMetadata().setName(name);
    node.setSpec(deployment.getSpec().template().spec());
    return node;
  }

  private void announce(SeiNodeDeployment deployment, List<SeiNode> nodes, String what) {
    List<String> claims =
        nodes.stream().map(ClaimRenderer::deletedWith).flatMap(Optional::stream).sorted().toList();
    if (!claims.isEmpty()) {
      String named = claims.stream().collect(Collectors.joining(", ", "claims ", ""));
      events.record(deployment, ObjectEvent.warning("DeletingData", what + named));
    }
  }
}
