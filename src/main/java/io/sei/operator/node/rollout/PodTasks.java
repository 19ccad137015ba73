package io.sei.operator.node.rollout;

import io.sei.operator.diagnosis.Finding;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.feature.NodeCaches;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.node.feature.Vetoes;
import io.sei.operator.plan.TaskType;
import io.sei.operator.plan.Traits;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Tasks by which a pod reaches the plan's target.
 *
 * @param vetoes is asked before a pod is deleted
 * @param backOffs decides which pods are replaced for a back-off
 * @param diagnosis why the new pod makes no progress, if it does not
 */
public record PodTasks(
    KubeApi api,
    NodeCaches caches,
    Vetoes vetoes,
    InPlaceUpdate inPlace,
    RestartBackOffs backOffs,
    Function<NodePass, Optional<Finding>> diagnosis) {

  List<TaskType<NodePass, ?>> types() {
    return List.of(
        TaskType.of(
            TaskTypes.REPLACE_POD,
            Traits.OF_OPERATOR,
            new ReplacePodTask(api, caches, vetoes, inPlace, backOffs)::run),
        TaskType.of(
            TaskTypes.OBSERVE_IMAGE,
            Traits.OF_OPERATOR,
            new ObserveImageTask(api, diagnosis, inPlace)::run));
  }
}
