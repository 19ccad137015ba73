package io.sei.operator.task;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.NodeTaskPayload;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.AwaitCondition;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.AwaitNodesAtHeight;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.GovParamChange;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.GovSoftwareUpgrade;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.GovUpdateInstantiateConfig;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.GovVote;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.MarkReady;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.RestartSeid;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.Transaction;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.Unjail;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.UpdateNodeImage;
import io.sei.operator.api.v1alpha1.NodeTaskReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.sidecar.SidecarClient;
import java.util.List;
import java.util.Optional;

/** The work of a task at its node. */
sealed interface TaskRequest {

  /**
   * A task of the sidecar.
   *
   * @param type its type there
   * @param once whether it has an effect each time, so that it is submitted at most once
   * @param needs the types that the sidecar must know before anything is submitted to it
   */
  record Submit(String type, ObjectNode params, boolean once, List<String> needs)
      implements TaskRequest {

    /** Copies the parameters, which the client may keep. */
    public Submit {
      params = params.deepCopy();
      needs = List.copyOf(needs);
    }

    @Override
    public ObjectNode params() {
      return params.deepCopy();
    }

    /** Returns whether the request ends seid. */
    boolean endsSeid() {
      return params.has(ACTION);
    }
  }

  /** Work that the node carries out itself. */
  record OfNode(NodeWork work) implements TaskRequest {}

  /** A task that cannot be carried out at the node, now or later. */
  record Refuse(NodeTaskReason reason, String message) implements TaskRequest {}

  /**
   * A task type that is known since v0.0.64. No sidecar tells its version, and none of its task
   * types came with the guard against a second broadcast, in v0.0.61: the versions between are
   * taken for older ones.
   */
  String KNOWN_SINCE_GUARD = "mark-not-ready";

  /** The parameter with the action that follows once a condition holds. */
  String ACTION = "action";

  /** Waits for a condition. */
  String AWAIT = "await-condition";

  /** The key that a genesis ceremony makes, for a validator without a keyring of its own. */
  String CEREMONY_KEY = "validator";

  /** The work of a task at this node. */
  static TaskRequest of(SeiNodeTask task, SeiNode node) {
    String kind = task.getSpec().kind().toString();
    return switch (task.getSpec().payload().orElse(null)) {
      case null ->
          new Refuse(
              NodeTaskReason.PARAMS_BUILD_FAILED,
              "spec.%s is required when kind=%s".formatted(task.getSpec().kind().field(), kind));
      case Transaction tx -> transaction(task, tx, node);
      case AwaitCondition await when await.height() == null ->
          new Refuse(NodeTaskReason.PARAMS_BUILD_FAILED, "spec.awaitCondition.height is required");
      case AwaitCondition await -> {
        ObjectNode params = height(await.height().targetHeight());
        if (await.action() != null) {
          params.put(ACTION, await.action().toString());
        }
        yield await.action() == null
            ? new Submit(AWAIT, params, false, List.of(AWAIT))
            : new Submit(AWAIT, params, true, List.of(AWAIT, SidecarClient.KNOWN_SINCE_CANCEL));
      }
      case AwaitNodesAtHeight await ->
          new Submit(AWAIT, height(await.targetHeight()), false, List.of(AWAIT));
      case UpdateNodeImage update -> new OfNode(new ImageUpdateRequest(update.image()));
      case RestartSeid _ -> new OfNode(new SeidRestartRequest());
      case MarkReady _ -> new OfNode(new ReadyRequest());
    };
  }

  /** Describes a sidecar that lacks one of the task types that are needed. */
  static String lack(String type) {
    return switch (type) {
      case KNOWN_SINCE_GUARD -> "is older than v0.0.64, which may broadcast a transaction twice";
      case SidecarClient.KNOWN_SINCE_CANCEL ->
          "is older than v0.0.66, which ends seid even if its data comes to be at risk before";
      default -> "does not know the task type " + type;
    };
  }

  private static ObjectNode height(Long target) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("condition", "height")
        .put("targetHeight", target);
  }

  private static TaskRequest transaction(SeiNodeTask task, Transaction tx, SeiNode node) {
    if (!node.getSpec().chainId().equals(tx.chainId())) {
      return new Refuse(
          NodeTaskReason.PARAMS_BUILD_FAILED,
          "spec.%s.chainId is %s, but SeiNode %s is on chain %s; create another task with the right one"
              .formatted(
                  task.getSpec().kind().field(),
                  tx.chainId(),
                  node.getMetadata().getName(),
                  node.getSpec().chainId()));
    }
    ObjectNode params =
        JsonNodeFactory.instance
            .objectNode()
            .put("chainId", tx.chainId())
            .put("keyName", keyName(tx, node));
    String type =
        switch (tx) {
          case GovVote vote -> vote(params, vote);
          case Unjail unjail -> unjail(params, unjail);
          case GovSoftwareUpgrade upgrade -> upgrade(params, upgrade);
          case GovParamChange change -> paramChange(params, change);
          case GovUpdateInstantiateConfig update -> instantiateConfig(params, update);
        };
    return new Submit(type, params, true, List.of(KNOWN_SINCE_GUARD, type));
  }

  private static String keyName(Transaction tx, SeiNode node) {
    return Optional.ofNullable(tx.keyName())
        .or(
            () ->
                Optional.ofNullable(node.getSpec().validator())
                    .map(Validator::operatorKeyring)
                    .map(Validator.OperatorKeyring::secret)
                    .map(
                        secret ->
                            Optional.ofNullable(secret.keyName())
                                .orElse(Validator.KeyringSecret.DEFAULT_KEY_NAME)))
        .orElse(CEREMONY_KEY);
  }

  private static String vote(ObjectNode params, GovVote vote) {
    params.put("proposalId", vote.proposalId()).put("option", vote.option().toString());
    pay(params, vote.fees(), vote.gas(), vote.memo());
    return "gov-vote";
  }

  private static String unjail(ObjectNode params, Unjail unjail) {
    pay(params, unjail.fees(), unjail.gas(), unjail.memo());
    return "unjail";
  }

  private static String upgrade(ObjectNode params, GovSoftwareUpgrade upgrade) {
    params.put("upgradeName", upgrade.upgradeName()).put("upgradeHeight", upgrade.upgradeHeight());
    if (upgrade.upgradeInfo() != null) {
      params.put("upgradeInfo", upgrade.upgradeInfo());
    }
    propose(params, upgrade.title(), upgrade.description(), upgrade.initialDeposit());
    pay(params, upgrade.fees(), upgrade.gas(), upgrade.memo());
    return "gov-software-upgrade";
  }

  private static String paramChange(ObjectNode params, GovParamChange change) {
    var changes = params.putArray("changes");
    for (NodeTaskPayload.ParamChange it : change.changes()) {
      changes
          .addObject()
          .put("subspace", it.subspace())
          .put("key", it.key())
          .set("value", it.value());
    }
    propose(params, change.title(), change.description(), change.initialDeposit());
    pay(params, change.fees(), change.gas(), change.memo());
    return "gov-param-change";
  }

  private static String instantiateConfig(ObjectNode params, GovUpdateInstantiateConfig update) {
    var updates = params.putArray("updates");
    for (NodeTaskPayload.InstantiateConfig it : update.updates()) {
      updates.addObject().put("codeId", it.codeId()).put("permission", it.permission());
    }
    propose(params, update.title(), update.description(), update.initialDeposit());
    pay(params, update.fees(), update.gas(), update.memo());
    return "gov-update-instantiate-config";
  }

  private static void propose(ObjectNode params, String title, String text, String deposit) {
    params.put("title", title).put("description", text).put("initialDeposit", deposit);
  }

  private static void pay(ObjectNode params, String fees, Long gas, String memo) {
    params.put("fees", fees).put("gas", gas);
    if (memo != null) {
      params.put("memo", memo);
    }
  }
}
