package io.sei.operator.task;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.sei.operator.api.v1alpha1.NodeTaskKind;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.AwaitCondition;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.GovSoftwareUpgrade;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.GovVote;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.MarkReady;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.RestartSeid;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.Unjail;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.UpdateNodeImage;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.VoteOption;
import io.sei.operator.api.v1alpha1.NodeTaskTarget;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.api.v1alpha1.SeiNodeTaskSpec;
import io.sei.operator.api.v1alpha1.SeiNodeTaskSpecBuilder;

/** Tasks as people write them, for a node of the chain atlantic-2. */
public final class Tasks {

  static final String CHAIN = "atlantic-2";

  private Tasks() {}

  /** A vote on proposal 5. */
  public static SeiNodeTask vote(String namespace, String name, String node) {
    return task(
        namespace,
        name,
        of(NodeTaskKind.GOV_VOTE, node)
            .govVote(new GovVote(CHAIN, null, 5L, VoteOption.YES, null, "4000usei", 200_000L))
            .build());
  }

  /** A proposal of upgrade v2. */
  static SeiNodeTask upgrade(String namespace, String name, String node) {
    return task(
        namespace,
        name,
        of(NodeTaskKind.GOV_SOFTWARE_UPGRADE, node)
            .govSoftwareUpgrade(
                new GovSoftwareUpgrade(
                    CHAIN,
                    null,
                    "v2",
                    "the next version",
                    "v2",
                    900L,
                    null,
                    "1usei",
                    null,
                    "4000usei",
                    200_000L))
            .build());
  }

  /** An unjailing. */
  static SeiNodeTask unjail(String namespace, String name, String node) {
    return task(
        namespace,
        name,
        of(NodeTaskKind.UNJAIL, node)
            .unjail(new Unjail(CHAIN, null, null, "4000usei", 200_000L))
            .build());
  }

  /** Another image. */
  public static SeiNodeTask image(String namespace, String name, String node, String image) {
    return task(
        namespace,
        name,
        of(NodeTaskKind.UPDATE_NODE_IMAGE, node)
            .updateNodeImage(new UpdateNodeImage(image))
            .build());
  }

  /** A restart of seid in its pod. */
  public static SeiNodeTask restart(String namespace, String name, String node) {
    return task(
        namespace,
        name,
        of(NodeTaskKind.RESTART_SEID, node).restartSeid(new RestartSeid()).build());
  }

  /** Waits until seid may start. */
  public static SeiNodeTask ready(String namespace, String name, String node) {
    return task(
        namespace, name, of(NodeTaskKind.MARK_READY, node).markReady(new MarkReady()).build());
  }

  /** Waits for a height, and does nothing then. */
  static SeiNodeTask await(String namespace, String name, String node) {
    return task(
        namespace,
        name,
        of(NodeTaskKind.AWAIT_CONDITION, node)
            .awaitCondition(new AwaitCondition(new AwaitCondition.Height(9L), null))
            .build());
  }

  static SeiNodeTaskSpecBuilder of(NodeTaskKind kind, String node) {
    return SeiNodeTaskSpecBuilder.builder()
        .kind(kind)
        .target(new NodeTaskTarget(new NodeTaskTarget.NodeRef(node), null, null));
  }

  static SeiNodeTask task(String namespace, String name, SeiNodeTaskSpec spec) {
    var task = new SeiNodeTask();
    task.setMetadata(
        new ObjectMetaBuilder().withNamespace(namespace).withName(name).withUid("t").build());
    task.setSpec(spec);
    return task;
  }
}
