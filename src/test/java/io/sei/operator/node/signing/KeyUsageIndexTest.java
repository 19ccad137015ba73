package io.sei.operator.node.signing;

import static io.sei.operator.node.signing.SigningNode.local;
import static io.sei.operator.node.signing.SigningNode.remote;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Holder;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Possession;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.State;
import io.sei.operator.node.signing.KeyEvidence.User;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which pods, StatefulSets and claims count as those of a key. */
class KeyUsageIndexTest {

  private static final SigningNode SELF = local("a", "alice");
  private static final SigningNode NEIGHBOUR = local("a", "amy");
  private static final SigningNode STRANGER = local("b", "bob");

  private final InMemoryApi api = new InMemoryApi(Set.of(), any -> {});

  @Test
  void podsOfANeighbourCountAndThoseOfAnotherNamespaceIfItsSecretHasTheKey() {
    NEIGHBOUR.workload().forEach(api::put);
    STRANGER.workload().forEach(api::put);
    assertThat(users(none())).containsExactly("Pod a/amy-0", "StatefulSet a/amy");

    STRANGER.secret().ifPresent(api::put);

    assertThat(users(none()))
        .containsExactly("Pod a/amy-0", "Pod b/bob-0", "StatefulSet a/amy", "StatefulSet b/bob");
  }

  @Test
  void podsOfTheNodeItselfDoNotCount() {
    SELF.workload().forEach(api::put);

    assertThat(users(none())).isEmpty();
  }

  /** Its pod may sign until the kubelet has ended it. */
  @Test
  void podWhoseStatefulSetIsGoneCounts() {
    api.put(pod(NEIGHBOUR));

    assertThat(users(none())).containsExactly("Pod a/amy-0");
  }

  @Test
  void whatADeletedSeiNodeHasLeftCounts() {
    api.put(
        new StatefulSetBuilder(statefulSet(NEIGHBOUR))
            .editMetadata()
            .withOwnerReferences(List.of())
            .endMetadata()
            .build());
    api.put(pod(NEIGHBOUR));

    assertThat(users(none())).containsExactly("Pod a/amy-0", "StatefulSet a/amy");
  }

  @Test
  void podWithoutAStatefulSetCountsOnlyIfTheRecordNamesIt() {
    api.put(naked(NEIGHBOUR));
    api.put(naked(STRANGER));
    assertThat(users(none())).isEmpty();

    assertThat(users(heldBy(NEIGHBOUR))).containsExactly("Pod a/amy-0");
    assertThat(users(heldBy(STRANGER))).containsExactly("Pod b/bob-0");
  }

  @Test
  void whatAnotherControllerMakesDoesNotCount() {
    api.put(
        new StatefulSetBuilder(statefulSet(NEIGHBOUR))
            .editMetadata()
            .editFirstOwnerReference()
            .withApiVersion("example.com/v1")
            .endOwnerReference()
            .endMetadata()
            .build());
    api.put(pod(NEIGHBOUR));

    assertThat(users(none())).isEmpty();
  }

  /** A tenant may write any label and annotation, also a time in the future. */
  @Test
  void claimsOfAnotherNamespaceCountIfTheirNodeProvesTheKey() {
    api.put(marked(NEIGHBOUR, "2026-06-01T10:00:00Z"));
    api.put(marked(STRANGER, "2099-06-01T10:00:00Z"));
    api.put(STRANGER.node());
    assertThat(kept().holder().node()).isEqualTo("amy");

    STRANGER.secret().ifPresent(api::put);

    assertThat(kept().holder().node()).isEqualTo("bob");
    assertThat(kept().possession()).isEqualTo(Possession.PROVED);
  }

  @Test
  void claimOfARemoteSignersNodeProvesNothingElsewhere() {
    SigningNode declaring = remote("b", "mallory");
    api.put(marked(declaring, "2026-06-01T10:00:00Z"));
    api.put(declaring.node());

    assertThat(sightings().of(SELF.signer(null), none()).kept()).isEmpty();
  }

  /** Pods that use the key do not prove that a node which only declares it has it. */
  @Test
  void recordThatIsRebuiltForADeclaredKeyIsDeclaredUnlessASecretProvesIt() {
    NEIGHBOUR.workload().forEach(api::put);
    Signer declaring = remote("a", "anna").signer(null);
    assertThat(sightings().of(declaring, none()).users().getFirst().record().possession())
        .isEqualTo(Possession.DECLARED);

    NEIGHBOUR.secret().ifPresent(api::put);

    assertThat(sightings().of(declaring, none()).users().getFirst().record().possession())
        .isEqualTo(Possession.PROVED);
  }

  private KeyUsageIndex sightings() {
    return api.usage(Set.of());
  }

  private List<String> users(KeyRecord.Pair records) {
    return sightings().of(SELF.signer(null), records(records)).users().stream()
        .map(User::what)
        .toList();
  }

  /** Returns the pair, of which the first alone is completed where there is no record. */
  private static KeyRecord.Pair records(KeyRecord.Pair records) {
    return records.binding().isPresent() ? records : heldBy(local("a", "zoe"));
  }

  private SeiSigningKeySpec kept() {
    return sightings().of(SELF.signer(null), none()).kept().orElseThrow();
  }

  private static KeyRecord.Pair none() {
    return new KeyRecord.Pair(Optional.empty(), Optional.empty());
  }

  private static KeyRecord.Pair heldBy(SigningNode node) {
    SeiSigningKeySpec record = node.signer(null).holding(State.ARMED);
    Holder holder = record.holder().withPodUid("pod-" + node.name());
    return new KeyRecord.Pair(
        Optional.of(new KeyRecord(record.withHolder(holder), false, true)), Optional.empty());
  }

  private static StatefulSet statefulSet(SigningNode node) {
    return (StatefulSet) node.workload().getFirst();
  }

  private static Pod pod(SigningNode node) {
    return (Pod) node.workload().getLast();
  }

  private static Pod naked(SigningNode node) {
    return new PodBuilder(pod(node))
        .editMetadata()
        .withOwnerReferences(List.of())
        .endMetadata()
        .build();
  }

  private static HasMetadata marked(SigningNode node, String since) {
    return new PersistentVolumeClaimBuilder()
        .withNewMetadata()
        .withNamespace(node.namespace())
        .withName("data-" + node.name())
        .withUid("claim-" + node.name())
        .withLabels(
            Map.of(Labels.NODE, node.name(), Labels.SIGNING_KEY, Signer.recordOf(SigningNode.KEY)))
        .withAnnotations(
            Map.of(
                Annotations.SIGNS_SINCE, since, Annotations.CLAIM_OWNER_UID, "uid-" + node.name()))
        .endMetadata()
        .build();
  }
}
