package io.sei.operator.testkit;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.NodeGenesis;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.testkit.samples.Samples;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * Stage of a {@link Fault}: a node, and the simulators around it.
 *
 * @param client acts as an administrator of the cluster
 * @param fleet the deployment that the node is of, if it is of one
 * @param chain what the node's RPC says, where that is simulated
 */
public record FaultStage(
    KubernetesClient client,
    KubeletSimulator kubelet,
    SidecarSimulator sidecar,
    String namespace,
    String node,
    Optional<String> fleet,
    Optional<ChainSimulator> chain) {

  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  /** Time for a fleet to give its node another template, on a busy machine. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** The Secrets that a validator refers to. */
  static final String SIGNING = "signing";

  static final String IDENTITY = "identity";

  /** The genesis that a node of a private chain refers to. */
  static final NodeGenesis GENESIS = new NodeGenesis(new NodeGenesis.ConfigMapKey("chain", null));

  private static final String SIGNER = "signer";
  private static final String PODS = "pods";
  private static final String STATEFUL_SETS = "statefulsets";
  private static final Map<String, String> DATABASE = Map.of("app", "database");

  /** Makes a stage whose node has no fleet. */
  public FaultStage(
      KubernetesClient client,
      KubeletSimulator kubelet,
      SidecarSimulator sidecar,
      String namespace,
      String node) {
    this(client, kubelet, sidecar, namespace, node, Optional.empty(), Optional.empty());
  }

  /** Returns the stage with this chain. */
  public FaultStage on(ChainSimulator simulated) {
    return new FaultStage(client, kubelet, sidecar, namespace, node, fleet, Optional.of(simulated));
  }

  SimulatedChain peers() {
    return chain.orElseThrow().chain();
  }

  /** Has the RPC of the node give no answer. */
  void silence() {
    chain.orElseThrow().fault(namespace, node, ChainSimulator.Fault.SILENT);
  }

  void endSilence() {
    chain.orElseThrow().fault(namespace, node, null);
  }

  void inject(PodFault fault) {
    kubelet.inject(namespace, pod(), fault);
  }

  void clear() {
    kubelet.clear(namespace, pod());
  }

  SidecarFaults sidecarFaults() {
    return sidecar.faults(namespace, node);
  }

  void setImage(String image) {
    patchSpec("{\"image\":\"" + image + "\"}");
  }

  void patchSpec(String patch) {
    String spec = "{\"spec\":" + patch + "}";
    if (fleet.isPresent()) {
      patch(new SeiNodeDeployment(), fleet.get(), "{\"spec\":{\"template\":" + spec + "}}");
    } else {
      patch(new SeiNode(), node, spec);
    }
  }

  /** Makes the operator look at the node now, as a user would who knows that the cause is gone. */
  void retry() {
    annotate(new SeiNode(), "sei.io/retry");
  }

  /** Forbids pods. */
  void forbidPods() {
    denials().forbidAny(PODS);
  }

  /** Raises the quota, and has the StatefulSet controller try again now instead of later. */
  void allowPods() {
    denials().raiseQuota(PODS);
    annotate(new StatefulSet(), "tried");
  }

  /** Forbids the node's StatefulSet. */
  void forbidStatefulSet() {
    denials().deny(STATEFUL_SETS, node, Denials.Answer.INVALID, "CREATE");
  }

  void allowStatefulSet() {
    denials().allow(STATEFUL_SETS);
  }

  void putKeys() {
    put(ThrowAwayKeys.signingKey(SIGNING));
    put(ThrowAwayKeys.nodeKey(IDENTITY));
  }

  /** Creates the ConfigMap of {@link #GENESIS}. */
  void createGenesis() {
    client
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withName(GENESIS.configMap().name())
                .withNamespace(namespace)
                .endMetadata()
                .addToData(GENESIS.configMap().keyOrDefault(), "{\"chain_id\":\"atlantic-2\"}")
                .build())
        .create();
  }

  /** Creates or replaces a Secret. */
  void put(Secret secret) {
    client.resource(secret).inNamespace(namespace).createOr(NonDeletingOperation::update);
  }

  /** Creates a pod without a SeiNode that has the signing key. */
  void createSigner() {
    client
        .resource(
            new PodBuilder()
                .withMetadata(metadata(SIGNER))
                .withNewSpec()
                .addNewContainer()
                .withName(SIGNER)
                .withImage(SIGNER)
                .endContainer()
                .addNewVolume()
                .withName("key")
                .withNewSecret()
                .withSecretName(SIGNING)
                .endSecret()
                .endVolume()
                .endSpec()
                .build())
        .create();
  }

  void deleteSigner() {
    client.pods().inNamespace(namespace).withName(SIGNER).withGracePeriod(0).delete();
  }

  /**
   * Gives a validator its keys, and once it has taken them deletes the claim that records what it
   * signs. A node that gets its first key after its claim was lost has signed nothing with it.
   */
  void loseSigningState() {
    putKeys();
    patchSpec(
        "{\"validator\":{\"signingKey\":{\"secret\":{\"secretName\":\"signing\"}},"
            + "\"nodeKey\":{\"secret\":{\"secretName\":\"identity\"}}}}");
    await().atMost(PATIENCE).until(() -> read().getStatus().signingKey() != null);
    client.persistentVolumeClaims().inNamespace(namespace).withName("data-" + node).delete();
    deletePod();
  }

  void acceptSigningStateLoss() {
    patchSpec(
        "{\"validator\":{\"acceptSigningStateLoss\":\"%1$s\"},\"dataVolume\":{\"acceptDataLoss\":\"%1$s\"}}"
            .formatted(read().getStatus().dataClaimUid()));
  }

  private SeiNode read() {
    return client.resources(SeiNode.class).inNamespace(namespace).withName(node).get();
  }

  void deletePod() {
    client.pods().inNamespace(namespace).withName(pod()).delete();
  }

  /** Creates a StatefulSet with the node's name that has another owner. */
  void createForeignStatefulSet() {
    client.resource(Samples.database(metadata(node), DATABASE)).create();
  }

  /** Its name is free at once: an object without finalizers is gone with the answer. */
  void deleteForeignStatefulSet() {
    client.apps().statefulSets().inNamespace(namespace).withName(node).delete();
  }

  private String pod() {
    return node + "-0";
  }

  private Denials denials() {
    return new Denials(client, namespace);
  }

  private void annotate(HasMetadata kind, String annotation) {
    patch(
        kind,
        node,
        "{\"metadata\":{\"annotations\":{\"" + annotation + "\":\"" + Instant.now() + "\"}}}");
  }

  private <T extends HasMetadata> void patch(T kind, String name, String patch) {
    client.resource(named(kind, name)).patch(MERGE, patch);
  }

  private <T extends HasMetadata> T named(T object, String name) {
    object.setMetadata(metadata(name));
    return object;
  }

  private ObjectMeta metadata(String name) {
    return new ObjectMetaBuilder().withName(name).withNamespace(namespace).build();
  }
}
