package io.sei.operator.node.status;

import io.sei.operator.api.v1alpha1.Explanation;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.validation.FieldError;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.reconcile.StatusDraft;
import io.sei.operator.reconcile.Verdict;
import io.sei.operator.render.Annotations;
import java.time.Instant;
import java.util.List;

/**
 * The status of a node whose spec cannot be worked with. What runs goes on running, so a phase that
 * was reached is kept.
 */
public final class InvalidSpec {

  private InvalidSpec() {}

  public static SeiNodeStatus status(SeiNode node, List<FieldError> errors, Instant now) {
    SeiNodeStatus status = NodeSnapshot.statusOf(node);
    String message = FieldError.joined(errors);
    Long generation = node.getMetadata().getGeneration();
    var draft = new StatusDraft(status.conditions(), generation, now);
    Verdict invalid = Verdict.no(NodeReason.INVALID_SPEC, message);
    draft.put(NodeConditionType.READY, invalid);
    draft.put(NodeConditionType.UP_TO_DATE, invalid);
    return status
        .withConditions(draft.conditions())
        .withPhase(status.phase() == null ? NodePhase.PENDING : status.phase())
        .withExplain(
            Explanation.ofInvalid(
                status.explain(), Annotations.explainRequest(node), generation, now, message));
  }
}
