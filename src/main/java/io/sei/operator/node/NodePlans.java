package io.sei.operator.node;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanTarget;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.Validator.KeyringSecret;
import io.sei.operator.plan.PlanSpec;
import io.sei.operator.plan.TaskSpec;
import io.sei.operator.render.KeyMaterial;
import java.util.ArrayList;
import java.util.List;

/** What the plans of a node consist of. */
final class NodePlans {

  /** The Go operator's budget for a failing sidecar task is 0; a passing hiccup deserves better. */
  private static final int MARK_READY_RETRIES = 5;

  private NodePlans() {}

  /** The plan of a kind for a node as it was observed. */
  static PlanSpec of(PlanKind kind, NodeSnapshot snapshot) {
    return switch (kind) {
      case INIT ->
          new PlanSpec(
              kind,
              target(snapshot),
              withKeys(snapshot, init(snapshot)),
              NodePhase.RUNNING,
              NodePhase.FAILED);
      case UPDATE ->
          new PlanSpec(
              kind,
              target(snapshot),
              withKeys(snapshot, update(snapshot)),
              NodePhase.RUNNING,
              null);
      case MARK_READY ->
          new PlanSpec(kind, target(snapshot), List.of(markReady()), NodePhase.RUNNING, null);
      case ROLLOUT -> throw new IllegalArgumentException("a rollout is a deployment's plan");
    };
  }

  private static PlanTarget target(NodeSnapshot snapshot) {
    SeiNode node = snapshot.node();
    return new PlanTarget(
        node.getMetadata().getGeneration(),
        snapshot.specHash(),
        node.getSpec().image(),
        snapshot.sidecarImage(),
        snapshot.trackedUid().orElse(null),
        snapshot.retryRequest().orElse(null));
  }

  private static List<TaskSpec> init(NodeSnapshot snapshot) {
    ObjectNode object = object(snapshot);
    ObjectNode target = ofTarget(snapshot);
    return List.of(
        new TaskSpec(TaskTypes.ENSURE_DATA_PVC, object, 0, true),
        new TaskSpec(TaskTypes.APPLY_RBAC_PROXY_CONFIG, object, 0, true),
        new TaskSpec(TaskTypes.APPLY_STATEFUL_SET, target, 0, false),
        new TaskSpec(TaskTypes.APPLY_SERVICE, object, 0, true),
        new TaskSpec(TaskTypes.REPLACE_POD, target, 0, false),
        new TaskSpec(TaskTypes.OBSERVE_IMAGE, target, 0, false),
        markReady());
  }

  private static List<TaskSpec> update(NodeSnapshot snapshot) {
    ObjectNode object = object(snapshot);
    ObjectNode target = ofTarget(snapshot);
    return List.of(
        new TaskSpec(TaskTypes.APPLY_STATEFUL_SET, target, 0, false),
        new TaskSpec(TaskTypes.APPLY_SERVICE, object, 0, true),
        new TaskSpec(TaskTypes.REPLACE_POD, target, 0, false),
        new TaskSpec(TaskTypes.OBSERVE_IMAGE, target, 0, false),
        markReady());
  }

  /** Keys are looked at before there is a pod to mount them, or before the one that does goes. */
  private static List<TaskSpec> withKeys(NodeSnapshot snapshot, List<TaskSpec> tasks) {
    List<TaskSpec> all = new ArrayList<>(tasks);
    all.addAll(indexOf(TaskTypes.APPLY_STATEFUL_SET, tasks), keys(snapshot));
    return List.copyOf(all);
  }

  private static int indexOf(String type, List<TaskSpec> tasks) {
    return tasks.stream().map(TaskSpec::type).toList().indexOf(type);
  }

  private static List<TaskSpec> keys(NodeSnapshot snapshot) {
    KeyMaterial keys = KeyMaterial.of(snapshot.node().getSpec());
    String namespace = snapshot.node().getMetadata().getNamespace();
    var tasks = new ArrayList<TaskSpec>();
    keys.signingKey()
        .map(name -> secret(namespace, name))
        .map(params -> new TaskSpec(TaskTypes.VALIDATE_SIGNING_KEY, params, 0, false))
        .ifPresent(tasks::add);
    keys.nodeKey()
        .map(name -> secret(namespace, name))
        .map(params -> new TaskSpec(TaskTypes.VALIDATE_NODE_KEY, params, 0, false))
        .ifPresent(tasks::add);
    keys.operatorKeyring()
        .map(keyring -> keyring(namespace, keyring))
        .map(params -> new TaskSpec(TaskTypes.VALIDATE_OPERATOR_KEYRING, params, 0, false))
        .ifPresent(tasks::add);
    return tasks;
  }

  private static ObjectNode secret(String namespace, String name) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("namespace", namespace)
        .put("secretName", name);
  }

  private static ObjectNode keyring(String namespace, KeyringSecret keyring) {
    return secret(namespace, keyring.secretName())
        .put("keyName", keyring.keyName())
        .put("passphraseSecretName", keyring.passphraseSecretRef().secretName())
        .put("passphraseSecretKey", keyring.passphraseSecretRef().key());
  }

  private static TaskSpec markReady() {
    return new TaskSpec(TaskTypes.MARK_READY, null, MARK_READY_RETRIES, false);
  }

  private static ObjectNode object(NodeSnapshot snapshot) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("nodeName", snapshot.node().getMetadata().getName())
        .put("namespace", snapshot.node().getMetadata().getNamespace());
  }

  private static ObjectNode ofTarget(NodeSnapshot snapshot) {
    return object(snapshot).put("specHash", snapshot.specHash());
  }
}
