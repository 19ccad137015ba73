package io.sei.operator.fleet.disruption;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.Unreadable;
import io.sei.operator.fleet.feature.Disruption;
import io.sei.operator.fleet.feature.FleetFeature;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.fleet.feature.FleetView.DisruptionSource;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.reconcile.Next;
import io.sei.operator.render.Annotations;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * Grants restarts of seid that tasks request by an annotation of a node. A node that has been
 * granted one is taken down by its own plan. A request whose task has ended or was deleted is
 * removed.
 *
 * @param remember adds a node that was written, and the node before, to the cache. The next pass
 *     would otherwise not count a grant that the watch has yet to report
 * @param isRequested whether the task that a node's request names is known, and has not ended
 * @param isAbandoned whether that task is known to have ended, or to have been deleted
 * @param obstacles why a fleet's waiting request is not granted; no entry if none waits
 */
public record RestartRequests(
    KubeApi api,
    BiConsumer<SeiNode, SeiNode> remember,
    Predicate<SeiNode> isRequested,
    Predicate<SeiNode> isAbandoned,
    PerObjectMap<ResourceID, String> obstacles)
    implements FleetFeature, DisruptionSource {

  /** The deletion of a task triggers no reconcile of a fleet. */
  private static final Duration RECHECK = Duration.ofSeconds(15);

  @Override
  public Disruption disruption() {
    return Disruption.TASK;
  }

  @Override
  public List<FleetNode> inFlight(FleetView view) {
    return view.fleet().stream()
        .filter(node -> Annotations.awaitsRestartOfSeid(view.child(node)))
        .toList();
  }

  @Override
  public Next operations(FleetPass pass) {
    List<SeiNode> requesting =
        pass.view().wanted().map(FleetView.Child::node).filter(this::isWaiting).toList();
    requesting.stream()
        .filter(isAbandoned)
        .forEach(node -> pass.refusals().run(() -> withdraw(node)));
    List<FleetNode> granted = pass.decide(this::granted, nodes -> !nodes.isEmpty());
    pass.countAsTakenDown(disruption(), granted);
    for (FleetNode node : granted) {
      pass.refusals().run(() -> grant(pass.view().child(node)));
    }
    boolean isOneWaiting = requesting.size() > granted.size();
    Optional<String> obstacle =
        isOneWaiting ? pass.decide(RestartRequests::obstacle, any -> false) : Optional.empty();
    obstacles.compute(ResourceID.fromResource(pass.deployment()), _ -> obstacle.orElse(null));
    return isOneWaiting ? Next.rest(RECHECK) : Next.goOn();
  }

  private static Optional<String> obstacle(FleetView view) {
    return Disruptions.of(view).obstacle(Disruption.TASK);
  }

  List<FleetNode> granted(FleetView view) {
    List<FleetNode> candidates =
        view.fleet().stream()
            .filter(node -> !node.terminating() && !node.pausedOrHeld() && !node.atRisk())
            .filter(node -> isWaiting(view.child(node)) && isRequested.test(view.child(node)))
            .toList();
    return Disruptions.of(view).admit(Disruption.TASK, candidates);
  }

  private boolean isWaiting(SeiNode node) {
    return Annotations.of(node, Annotations.SEID_RESTART_REQUESTED).isPresent()
        && !Unreadable.isStub(node);
  }

  private void grant(SeiNode node) {
    String task = Annotations.of(node, Annotations.SEID_RESTART_REQUESTED).orElseThrow();
    patch(node, Annotations.restartOfSeid(task));
  }

  private void withdraw(SeiNode node) {
    patch(node, Collections.singletonMap(Annotations.SEID_RESTART_REQUESTED, null));
  }

  private void patch(SeiNode node, Map<String, String> annotations) {
    remember.accept(api.mergePatch(node, MetadataPatch.annotations(node, annotations)), node);
  }
}
