package io.sei.operator.node.feature;

import com.fasterxml.jackson.databind.JsonNode;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.plan.Step;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.plan.Traits;
import io.sei.operator.sidecar.SidecarClient;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * A type of task that a node's sidecar carries out.
 *
 * @param type its name in plans, by which the sidecar knows it too
 * @param guard has to let the task pass at every look
 * @param request what the sidecar is asked for, given the task's parameters
 * @param onCompleted called when the task completed in the node's own pod
 * @param endless whether the task runs for as long as the node does: it is done once the sidecar
 *     runs one of its type. Up to v0.0.60 a restart may end it as failed, so every plan looks again
 */
@RecordBuilder
public record SidecarWork(
    String type,
    Traits traits,
    Guard guard,
    BiFunction<JsonNode, NodePass, Step> request,
    Consumer<NodePass> onCompleted,
    boolean endless)
    implements SidecarWorkBuilder.With {

  /** Precondition of a sidecar task. */
  @FunctionalInterface
  public interface Guard {

    /**
     * Returns the outcome in place of the request, or empty if the request may be sent.
     *
     * @param sidecar the one that would carry the task out; empty as long as there is none
     * @throws io.sei.operator.sidecar.SidecarException if the guard asks the sidecar itself
     */
    Optional<TaskOutcome> check(PlannedTask task, NodePass pass, Optional<SidecarClient> sidecar);
  }

  /** A task that the sidecar knows by the plan's type and parameters, and that may always run. */
  public static SidecarWork of(String type, Traits traits) {
    return new SidecarWork(
        type,
        traits,
        (task, pass, sidecar) -> Optional.empty(),
        (params, pass) -> new Step(type, params),
        pass -> {},
        false);
  }
}
