package io.sei.operator.node.rollout;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubernetesClients;
import java.util.Optional;

/** The template that a pod was made from, or last brought to: that of its revision. */
final class OwnTemplate {

  private OwnTemplate() {}

  /** Reads it live; empty if its revision is gone. */
  static Optional<PodTemplateSpec> of(KubeApi api, String namespace, Pod pod) {
    return PodFacts.revision(pod)
        .map(name -> new ListOptionsBuilder().withFieldSelector("metadata.name=" + name).build())
        .flatMap(
            options -> api.list(ControllerRevision.class, namespace, options).stream().findFirst())
        .map(
            revision ->
                KubernetesClients.serialization().convertValue(revision.getData(), JsonNode.class))
        .map(data -> data.at("/spec/template"))
        .filter(JsonNode::isObject)
        .map(json -> KubernetesClients.serialization().convertValue(json, PodTemplateSpec.class));
  }
}
