package io.sei.operator.node.feature;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.kube.KubeApi;
import java.util.List;

/**
 * Nodes, StatefulSets and pods of a namespace that may use an exclusive resource, read live and in
 * this order: a node that is deleted between two lists still appears by its StatefulSet or its pod
 * in a later one.
 */
public record KeyUsage(List<SeiNode> nodes, List<StatefulSet> statefulSets, List<Pod> pods) {

  /** Looks now. */
  public static KeyUsage of(KubeApi api, String namespace) {
    return new KeyUsage(
        api.list(SeiNode.class, namespace),
        api.list(StatefulSet.class, namespace),
        api.list(Pod.class, namespace));
  }

  /** Nodes other than this one. */
  public List<SeiNode> others(SeiNode self) {
    String uid = self.getMetadata().getUid();
    return nodes.stream().filter(node -> !uid.equals(node.getMetadata().getUid())).toList();
  }

  /** Pods in which a container may run; one that failed may, where its Kubernetes node is lost. */
  public List<Pod> livePods() {
    return pods.stream().filter(pod -> !PodFacts.hasSucceeded(pod)).toList();
  }
}
