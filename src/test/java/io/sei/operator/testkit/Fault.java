package io.sei.operator.testkit;

import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.api.v1alpha1.ValidatorBuilder;
import io.sei.operator.testkit.samples.Samples;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;

/**
 * One way for a node to get stuck, from its cause to what the operator must say about it. A node
 * that runs {@link #IMAGE} gets there when the cause begins, and out again when it ends.
 *
 * @param reason what the operator must call it
 * @param isThereFirst whether the cause is there before the node is
 * @param deadlineSeconds how long the node may wait before it counts as stalled; null for the
 *     operator's ten minutes, where the evidence alone must do
 * @param story what happens, in one sentence
 * @param begin makes it happen
 * @param says words that the operator's message must have: the evidence, then the next step
 * @param remedy what ends it, in one sentence
 * @param end ends it
 */
public record Fault(
    StallReason reason,
    boolean isThereFirst,
    Integer deadlineSeconds,
    String story,
    Consumer<FaultStage> begin,
    List<String> says,
    String remedy,
    Consumer<FaultStage> end) {

  private static final Set<StallReason> OF_KEYS =
      Set.of(
          StallReason.SIGNING_KEY_MISSING,
          StallReason.SIGNING_KEY_INVALID,
          StallReason.SIGNING_KEY_IN_USE,
          StallReason.KEY_SECRET_MISSING,
          StallReason.KEY_SECRET_INVALID);

  private static final PeerSource ONE_PEER =
      new PeerSource(
          null,
          new PeerSource.StaticPeers(List.of("86f7e437faa5a7fce15d1ddcb9eaeaea377667b8@h1:26656")),
          null);

  /** The image a node runs before it is changed. */
  public static final String IMAGE = "ghcr.io/sei-protocol/sei:v6.4.4";

  /** Short enough for who watches, and long enough for evidence to be there in time. */
  private static final int DEADLINE_SECONDS = 5;

  /** A fault of a node that runs. */
  static Fault of(
      StallReason reason,
      String story,
      Consumer<FaultStage> begin,
      List<String> says,
      String remedy,
      Consumer<FaultStage> end) {
    return new Fault(reason, false, DEADLINE_SECONDS, story, begin, says, remedy, end);
  }

  /** Returns the fault as one that is there before the node. */
  Fault thereFirst() {
    return new Fault(reason, true, deadlineSeconds, story, begin, says, remedy, end);
  }

  /** Returns the fault as one that is reported long before any deadline. */
  Fault atOnce() {
    return withDeadline(null);
  }

  /** Returns the fault with another deadline. */
  Fault withDeadline(Integer seconds) {
    return new Fault(reason, isThereFirst, seconds, story, begin, says, remedy, end);
  }

  /** The reason in kebab case. */
  public String name() {
    return reason.toString().replaceAll("(?<=[a-z])(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
  }

  /** The node it happens to. */
  public SeiNode node(String namespace, String name) {
    return Samples.node(
        namespace,
        name,
        SeiNodeSpecBuilder.builder()
            .chainId("atlantic-2")
            .image(IMAGE)
            .genesis(reason == StallReason.GENESIS_MISSING ? FaultStage.GENESIS : null)
            .fullNode(isOfValidators() ? null : new FullNode(snapshot(), null))
            .validator(isOfValidators() ? validator() : null)
            .peers(snapshot() == null ? null : List.of(ONE_PEER))
            .terminationGracePeriodSeconds(1L)
            .progressDeadlineSeconds(deadlineSeconds)
            .build());
  }

  private boolean isOfValidators() {
    return reason == StallReason.SIGNING_STATE_UNKNOWN
        || reason == StallReason.WAITING_OUT_OWN_SIGNATURES
        || OF_KEYS.contains(reason);
  }

  private Validator validator() {
    var validator = ValidatorBuilder.builder();
    return OF_KEYS.contains(reason)
        ? validator
            .signingKey(new Validator.SigningKey(new Validator.KeySecret(FaultStage.SIGNING)))
            .nodeKey(new Validator.NodeKey(new Validator.KeySecret(FaultStage.IDENTITY)))
            .build()
        : validator.build();
  }

  private Snapshot snapshot() {
    return reason == StallReason.WITNESSES_MISSING
        ? new Snapshot(null, new Snapshot.StateSync(), null, null, null)
        : null;
  }

  /** A fleet whose only node it happens to. */
  public SeiNodeDeployment fleet(String namespace, String name) {
    return Samples.fleet(
        namespace,
        name,
        SeiNodeDeploymentSpecBuilder.builder()
            .replicas(1)
            .template(new NodeTemplate(null, node(namespace, name).getSpec()))
            .build());
  }

  @Override
  public String toString() {
    return name();
  }
}
