package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.Genesis;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpecBuilder;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.api.v1alpha1.ValidatorBuilder;
import io.sei.operator.render.Names;
import io.sei.operator.testkit.CeremonyLogs;
import io.sei.operator.testkit.Rights;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.samples.Samples;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A fleet makes its own chain. */
@Order(1)
public class GenesisCeremonyTest extends FleetTestCase {

  public static final String CHAIN = "lab-1";

  /** Validators of a chain that they make, without a word of peers. */
  public static SeiNodeDeploymentSpec validators(int replicas) {
    return SeiNodeDeploymentSpecBuilder.builder()
        .replicas(replicas)
        .genesis(new Genesis(CHAIN, null, null, null, null, null))
        // No chain is simulated here that could say that a node has caught up.
        .updateStrategy(new UpdateStrategy(null, new InPlace(null, null, 0, null, null), null))
        .template(
            new NodeTemplate(
                null,
                spec(A)
                    .with(
                        builder ->
                            builder
                                .chainId(CHAIN)
                                .fullNode(null)
                                .validator(ValidatorBuilder.builder().build()))))
        .build();
  }

  @Test
  void chainIsMadeOnceAndEachValidatorHasItsKeys() {
    try (var logs = new CeremonyLogs(client, namespace, CHAIN)) {
      kubelet.serveLogs(logs.port());
      create(retained());
      awaitUpToDate(2, A);
    }
    assertCondition(FleetConditionType.GENESIS_CEREMONY_COMPLETE, ConditionStatus.TRUE);
    assertThat(readAll(Job.class)).isEmpty();
    assertThat(nodes())
        .extracting(node -> node.getSpec().signingKeySecret().orElseThrow())
        .containsExactly("fleet-0-signing-key", "fleet-1-signing-key");
    assertKnowEachOther();
    final List<String> made = versions();

    patchStatus(fleet(), "{'status':{'genesis':null,'templateHash':null,'conditions':null}}");
    setImage(B);
    awaitUpToDate(2, B);

    assertThat(versions()).isEqualTo(made);
    assertThat(status().genesis().validators()).isEqualTo(2);
    assertCondition(FleetConditionType.GENESIS_CEREMONY_COMPLETE, ConditionStatus.TRUE);
    deleteWithNodes();
    create(retained());
    awaitUpToDate(2, A);

    assertThat(versions()).isEqualTo(made);
    assertKnowEachOther();
    deleteWithNodes();
    client.persistentVolumeClaims().inNamespace(namespace).withName("data-fleet-1").delete();
    create(retained());

    awaitFailed("ConfigMap fleet-genesis", "PersistentVolumeClaim data-fleet-1 is gone");
    assertThat(nodes()).isEmpty();
    assertThat(versions()).isEqualTo(made);
  }

  private void deleteWithNodes() {
    client.resource(fleet()).delete();
    eventually(() -> assertThat(fleet()).isNull());
    eventually(() -> assertThat(nodes()).isEmpty());
  }

  /** Keeps the volumes, so that signed validators leave their record behind. */
  private static SeiNodeDeploymentSpec retained() {
    SeiNodeDeploymentSpec spec = validators(2);
    NodeTemplate template = spec.template();
    var volume = new DataVolume(null, DataVolume.RetentionPolicy.RETAIN, null, null, null);
    return spec.withTemplate(template.withSpec(template.spec().withDataVolume(volume)));
  }

  @Test
  @Tag("long")
  void nothingIsMadeOfWhatIsRefusedAndAWrongGenesisIsMadeAgain() {
    var rights = new Rights(client, namespace).without("nothing");
    operatorAs(rights.config(controlPlane.config(ControlPlane.OPERATOR))).start();
    client.resource(Samples.claim(namespace, "data-fleet-0")).create();
    try (var logs = new CeremonyLogs(client, namespace, "another")) {
      kubelet.serveLogs(logs.port());
      create(validators(1).withGenesis(new Genesis(CHAIN, "5usei", null, null, null, null)));
      awaitFailed("spec.genesis.stakingAmount: must be at least 1000000usei");
      recreate(validators(1));
      awaitFailed("PersistentVolumeClaim data-fleet-0");
      assertThat(status().genesis()).isNull();
      client.persistentVolumeClaims().inNamespace(namespace).withName("data-fleet-0").delete();
      awaitAnotherLookAtFleets();
      awaitFailed("Secret fleet-0-signing-key", "rbac.createKeys");
      client.resource(Samples.node(namespace, "fleet-0", spec(A).withPaused(true))).create();
      awaitAnotherLookAtFleets();
      awaitFailed("not of this deployment", "SeiNode fleet-0");
      assertThat(readAll(Secret.class)).isEmpty();
      assertThat(node(0).getMetadata().getOwnerReferences()).isEmpty();
      client.resource(node(0)).delete();
      rights.grant("secrets", "create");
      awaitAnotherLookAtFleets();
      awaitFailed("it belongs to chain another");
      assertThat(nodes()).isEmpty();
      assertThat(readAll(ConfigMap.class)).noneMatch(GenesisCeremonyTest::isGenesis);

      logs.chain(CHAIN);
      setImage(B);
      awaitUpToDate(1, B);
    }
  }

  @Test
  @Tag("long")
  void aCeremonyThatHangsIsReportedAtItsDeadlineAndGoesOn() {
    create(validators(1).withGenesis(new Genesis(CHAIN, null, null, null, null, "20s")));
    awaitFailed("the log of pod fleet-genesis-", "spec.genesis.maxCeremonyDuration of 20 s");

    try (var logs = new CeremonyLogs(client, namespace, CHAIN)) {
      kubelet.serveLogs(logs.port());
      awaitUpToDate(1, A);
    }
    assertThat(condition(FleetConditionType.STALLED).reason()).isEqualTo("NotStalled");
  }

  /** Compares the ids with those that the nodes themselves computed from their Secrets. */
  private void assertKnowEachOther() {
    for (SeiNode node : nodes()) {
      SeiNode other =
          nodes().stream().filter(candidate -> !candidate.equals(node)).findFirst().orElseThrow();
      String peer = other.getStatus().nodeId() + "@" + Names.peerAddress(other);
      assertThat(sidecar.requests(namespace, node.getMetadata().getName()))
          .anyMatch(request -> request.toString().contains("persistent_peers\":\"" + peer + "\""));
    }
  }

  private void recreate(SeiNodeDeploymentSpec spec) {
    client.resource(fleet()).delete();
    eventually(() -> assertThat(fleet()).isNull());
    create(spec);
  }

  private void awaitFailed(String... words) {
    eventually(
        () -> {
          for (var type :
              List.of(FleetConditionType.GENESIS_CEREMONY_COMPLETE, FleetConditionType.STALLED)) {
            assertThat(condition(type).reason()).isEqualTo("CeremonyFailed");
            assertThat(condition(type).message()).contains(words);
          }
        });
  }

  /** Names and versions of what a ceremony makes for good. */
  private List<String> versions() {
    return Stream.concat(readAll(Secret.class).stream(), readAll(ConfigMap.class).stream())
        .filter(value -> isGenesis(value) || value instanceof Secret)
        .map(HasMetadata::getMetadata)
        .map(metadata -> metadata.getName() + " " + metadata.getResourceVersion())
        .toList();
  }

  private static boolean isGenesis(HasMetadata object) {
    return object.getMetadata().getName().equals("fleet-genesis");
  }
}
