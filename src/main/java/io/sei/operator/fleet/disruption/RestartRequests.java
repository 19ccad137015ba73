package io.sei.operator.fleet.disruption;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.fleet.model.FleetFeature;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.FleetPass;
import io.sei.operator.fleet.model.FleetView;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.reconcile.Next;
import io.sei.operator.render.Annotations;
import java.util.List;

/**
 * Grants restarts of seid that tasks request by an annotation of a node. A node that has been
 * granted one is taken down by its own plan.
 */
public record RestartRequests(KubeApi api) implements FleetFeature, DisruptionSource {

  @Override
  public Disruption disruption() {
    return Disruption.TASK;
  }

  @Override
  public List<FleetNode> inFlight(FleetView view) {
    return view.fleet().stream()
        .filter(
            node -> view.child(node.ordinal()).filter(Annotations::awaitsRestartOfSeid).isPresent())
        .toList();
  }

  @Override
  public Next advance(FleetPass pass) {
    List<FleetNode> granted = pass.decide(RestartRequests::granted, nodes -> !nodes.isEmpty());
    pass.takeDown(granted);
    for (FleetNode node : granted) {
      pass.view().child(node.ordinal()).ifPresent(child -> pass.refusals().run(() -> grant(child)));
    }
    return Next.goOn();
  }

  static List<FleetNode> granted(FleetView view) {
    List<FleetNode> candidates =
        view.fleet().stream()
            .filter(node -> !node.unreadable() && !node.terminating())
            .filter(
                node -> view.child(node.ordinal()).filter(RestartRequests::isWaiting).isPresent())
            .toList();
    return Disruptions.of(view).admit(Disruption.TASK, candidates);
  }

  private static boolean isWaiting(SeiNode node) {
    return Annotations.of(node, Annotations.SEID_RESTART_REQUESTED)
        .filter(request -> !request.isBlank())
        .filter(request -> !Annotations.has(node, Annotations.SEID_RESTART, request))
        .isPresent();
  }

  private void grant(SeiNode node) {
    String request = Annotations.of(node, Annotations.SEID_RESTART_REQUESTED).orElseThrow();
    api.mergePatch(node, MetadataPatch.annotation(node, Annotations.SEID_RESTART, request));
  }
}
