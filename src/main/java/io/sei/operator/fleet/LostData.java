package io.sei.operator.fleet;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.kube.EventRecorder;
import io.sei.operator.kube.EventType;
import io.sei.operator.render.ClaimRenderer;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Says on a deployment which claims go with its nodes, before they go. */
public final class LostData {

  private final EventRecorder events;

  public LostData(EventRecorder events) {
    this.events = events;
  }

  /** Nodes that are about to be deleted, since fewer are wanted. */
  void scaledDown(SeiNodeDeployment deployment, List<SeiNode> nodes) {
    announce(
        deployment,
        nodes,
        "scaling down deletes chain data, unless dataVolume.onDelete is Retain in the template: ");
  }

  /** Nodes that go with their deployment. */
  void deleted(SeiNodeDeployment deployment, List<SeiNode> nodes) {
    announce(
        deployment,
        nodes,
        "the nodes are deleted with their chain data, unless deletionPolicy is Retain: ");
  }

  private void announce(SeiNodeDeployment deployment, List<SeiNode> nodes, String what) {
    List<String> claims =
        nodes.stream().map(ClaimRenderer::deletedWith).flatMap(Optional::stream).sorted().toList();
    if (!claims.isEmpty()) {
      String named = claims.stream().collect(Collectors.joining(", ", "claims ", ""));
      events.record(deployment, EventType.WARNING, "DeletingData", what + named);
    }
  }
}
