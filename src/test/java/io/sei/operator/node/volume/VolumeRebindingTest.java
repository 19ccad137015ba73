package io.sei.operator.node.volume;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.v1alpha1.DataVolume.RetentionPolicy;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeVolume;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.testkit.ApiFault;
import io.sei.operator.testkit.FaultyApiServer;
import io.sei.operator.testkit.samples.Samples;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The claim of a node is deleted and made again, bound to PersistentVolume pv-2. */
class VolumeRebindingTest {

  private static final NodeVolume LAST =
      new NodeVolume("claim-1", "pv-1", "ebs disk-1", null, null);

  private final FaultyApiServer server = new FaultyApiServer(Config.empty());
  private final KubernetesClient client = KubernetesClients.create(server.config());
  private final KubeApi api = new KubeApi(client);
  private SeiNode node =
      Samples.node(
          "ns", "node", Samples.fullNode("sei:a").withDataVolume(Samples.imported("brought")));
  private final VolumeWatch volumes =
      new VolumeWatch(api, imported -> Optional.of(claim()), new PerObjectState<>());
  private final VolumeKeeper keeper =
      new VolumeKeeper(api, imported -> Optional.of(claim()), volumes, false);

  private SeiNodeStatus status = aNode("sei:a").running().status().withDataVolume(LAST);

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {403, 404, 500})
  void nothingIsResetWhileTheVolumeCannotBeRead(int failure) {
    answer(failure, "{}");

    protect(NOW);

    assertThat(status.phase()).isEqualTo(NodePhase.RUNNING);
    assertThat(status.dataVolume()).isEqualTo(LAST);
  }

  @ParameterizedTest
  @CsvSource({"disk-1, RUNNING", "disk-2, PENDING"})
  void theVolumeThatIsReadAfterAFailureDecides(String handle, NodePhase phase) {
    answer(500, "{}");
    protect(NOW);
    answer(200, Serialization.asJson(volume(handle)));

    protect(NOW.plusSeconds(31));

    assertThat(status.phase()).isEqualTo(phase);
  }

  /** A claim of its own, as one that is made again while the node is paused. */
  @ParameterizedTest
  @CsvSource({"disk-1, RUNNING", "disk-2, PENDING"})
  void nodeStartsOverOnAClaimOfItsOwnThatHasAnotherVolume(String handle, NodePhase phase) {
    node = Samples.node("ns", "node", Samples.fullNode("sei:a").withPaused(true));
    answer(200, Serialization.asJson(volume(handle)));

    protect(NOW);

    assertThat(status.phase()).isEqualTo(phase);
  }

  @Test
  void claimOfItsOwnIsRecordedAlsoWhereVolumesMayNotBeRead() {
    node = Samples.node("ns", "node", Samples.fullNode("sei:a"));
    answer(403, "{}");

    protect(NOW);

    assertThat(status.phase()).isEqualTo(NodePhase.RUNNING);
    assertThat(status.dataVolume().claimUid()).isEqualTo("claim-2");
  }

  /** The new claim is made by a user, without the annotation, and bound to the same volume. */
  @Test
  void claimThatIsMadeAgainIsKeptLikeTheEarlierOne() {
    List<String> written = new CopyOnWriteArrayList<>();
    server.onEachWrite((request, body) -> written.add(body.at("/metadata/annotations").toString()));
    answer(200, Serialization.asJson(claim()));
    SeiNode keeping = Samples.node("ns", "node", Samples.fullNode("sei:a"));
    NodeVolume last = new NodeVolume("claim-1", "pv-2", null, RetentionPolicy.RETAIN, null);

    var pass = aNode(keeping).status(status.withDataVolume(last)).pass();
    keeper.rebind(pass);

    assertThat(written).containsExactly("{\"sei.io/on-delete\":\"Retain\"}");
    assertThat(pass.draft().dataVolume().claimUid()).isEqualTo("claim-2");
  }

  private void protect(Instant now) {
    volumes.risk(node, now);
    var pass = aNode(node).status(status).pass();
    keeper.rebind(pass);
    status = pass.draft();
  }

  private void answer(int code, String body) {
    server.heal();
    server.inject(
        request -> true, request -> Optional.of(new ApiFault.Answer(code, Map.of(), body)));
  }

  private static PersistentVolumeClaim claim() {
    return Samples.claim("ns", "brought")
        .edit()
        .editMetadata()
        .withUid("claim-2")
        .endMetadata()
        .editSpec()
        .withVolumeName("pv-2")
        .endSpec()
        .withNewStatus()
        .withPhase("Bound")
        .endStatus()
        .build();
  }

  private static PersistentVolume volume(String handle) {
    return new PersistentVolumeBuilder()
        .withNewMetadata()
        .withName("pv-2")
        .endMetadata()
        .withNewSpec()
        .withNewCsi()
        .withDriver("ebs")
        .withVolumeHandle(handle)
        .endCsi()
        .endSpec()
        .build();
  }
}
