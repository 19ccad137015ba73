package io.sei.operator.node.signing;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.Validator.KeyringSecret;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.TaskTypes;
import io.sei.operator.plan.Reuse;
import io.sei.operator.plan.TaskSpec;
import io.sei.operator.render.KeyMaterial;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The tasks that look at a validator's keys. */
public final class KeyTasks {

  private static final Set<String> TYPES =
      Set.of(
          TaskTypes.VALIDATE_SIGNING_KEY,
          TaskTypes.VALIDATE_NODE_KEY,
          TaskTypes.VALIDATE_OPERATOR_KEYRING);

  private KeyTasks() {}

  /**
   * A plan's tasks with those for the node's keys: before there is a pod to mount them, or before
   * the one that does goes.
   */
  public static List<TaskSpec> in(List<TaskSpec> tasks, NodeSnapshot snapshot) {
    int place = tasks.stream().map(TaskSpec::type).toList().indexOf(TaskTypes.APPLY_STATEFUL_SET);
    List<TaskSpec> all = new ArrayList<>(tasks);
    all.addAll(place, of(snapshot));
    return List.copyOf(all);
  }

  /**
   * Whether a plan has failed at one of them, as plans of earlier versions did where a Secret was
   * of no use. It is waited for by now.
   */
  public static boolean areFailedIn(TaskPlan plan) {
    return plan.isFailed()
        && plan.currentTask().map(PlannedTask::type).filter(TYPES::contains).isPresent();
  }

  private static List<TaskSpec> of(NodeSnapshot snapshot) {
    KeyMaterial keys = KeyMaterial.of(snapshot.node().getSpec());
    String namespace = snapshot.node().getMetadata().getNamespace();
    return Stream.of(
            keys.signingKey()
                .map(name -> task(TaskTypes.VALIDATE_SIGNING_KEY, secret(namespace, name))),
            keys.nodeKey().map(name -> task(TaskTypes.VALIDATE_NODE_KEY, secret(namespace, name))),
            keys.operatorKeyring()
                .map(it -> task(TaskTypes.VALIDATE_OPERATOR_KEYRING, keyring(namespace, it))))
        .flatMap(Optional::stream)
        .toList();
  }

  /** What was valid for one plan need not be for the next. */
  private static TaskSpec task(String type, ObjectNode params) {
    return new TaskSpec(type, params, 0, Reuse.NONE);
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
}
