package io.sei.operator.node.objects;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.Reason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.base.Recheck;
import io.sei.operator.kube.Intent;
import io.sei.operator.kube.OwnedObjects;
import io.sei.operator.kube.OwnedObjects.Outcome;
import io.sei.operator.node.feature.NodeCaches;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.plan.TaskOutcome;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/** Keeps a node's Service or ConfigMap as rendered, and notes what is in the way. */
public record OwnedObjectSync(OwnedObjects objects, NodeCaches caches) {

  /**
   * Applies a rendered object unless nothing of it would change, or another owner has it.
   *
   * @param cached the object as watched, with what was written in this very reconcile
   */
  public <T extends HasMetadata> TaskOutcome sync(
      NodePass pass,
      Function<SeiNode, T> renderer,
      BiFunction<NodeCaches, SeiNode, Optional<T>> cached) {
    SeiNode node = pass.node();
    return sync(pass, Intent.of(node), () -> renderer.apply(node), cached.apply(caches, node));
  }

  /**
   * Applies a rendered object unless nothing of it would change, or another owner has it.
   *
   * @param intent all that the rendering depends on
   */
  public <T extends HasMetadata> TaskOutcome sync(
      NodePass pass, Intent intent, Supplier<T> rendering, Optional<T> cached) {
    Outcome outcome =
        objects.sync(
            pass.node(), intent, rendering, cached, (live, rendered) -> {}, caches::remember);
    return switch (outcome) {
      case Outcome.Foreign foreign -> {
        String message = name(foreign.rendered()) + " belongs to " + foreign.owner();
        pass.obstacle(message);
        yield TaskOutcome.waitFor(NodeReason.CONFLICT, message, Recheck.CONFLICT);
      }
      case Outcome.Terminating terminating ->
          race(terminating.rendered(), "Terminating", "is being deleted");
      case Outcome.Changed changed -> race(changed.rendered(), "Changed", "changed meanwhile");
      case Outcome.Ready _ -> TaskOutcome.done();
    };
  }

  private static TaskOutcome race(HasMetadata object, String reason, String why) {
    return TaskOutcome.waitFor(
        new Reason.Stored(object.getKind() + reason), name(object) + " " + why, Recheck.RACE);
  }

  private static String name(HasMetadata object) {
    return object.getKind() + " " + object.getMetadata().getName();
  }
}
