package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.fleet.GenesisCeremonyTest;
import io.sei.operator.testkit.CeremonyLogs;
import io.sei.operator.testkit.samples.Samples;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.zip.GZIPInputStream;

/** A validator makes a chain of its own. */
final class GenesisMade implements Scenario {

  private static final String IMAGE = "sei:a";

  private final World world;
  private CeremonyLogs logs;
  private int rounds;

  GenesisMade(World world) {
    this.world = world;
  }

  @Override
  public void prepare() {
    logs = new CeremonyLogs(world.client(), world.namespace(), GenesisCeremonyTest.CHAIN);
    world.kubelet().serveLogs(logs.port());
  }

  @Override
  public void begin() {
    rounds++;
    logs.of(fleet());
    world
        .client()
        .resource(Samples.fleet(world.namespace(), fleet(), GenesisCeremonyTest.validators(1)))
        .create();
  }

  @Override
  public void assertDone() {
    var status = read().getStatus();
    assertThat(Conditions.isTrue(status.conditions(), FleetConditionType.GENESIS_CEREMONY_COMPLETE))
        .isTrue();
    world.assertSettled(name(), IMAGE);
  }

  /** The node began with the key of the one genesis. */
  @Override
  public void assertSound() {
    ConfigMap genesis =
        world
            .client()
            .configMaps()
            .inNamespace(world.namespace())
            .withName(fleet() + "-genesis")
            .get();
    String document = unzipped(genesis.getBinaryData().get("genesis.json.gz"));
    assertThat(world.pods(name())).hasSize(1);
    var spec = world.node(name()).getSpec();
    assertThat(spec.givenGenesis().orElseThrow().name()).isEqualTo(genesis.getMetadata().getName());
    assertThat(document).contains(publicKey(spec.signingKeySecret().orElseThrow()));
    assertThat(genesis.getMetadata().getAnnotations())
        .containsEntry("sei.io/genesis-of", read().getMetadata().getUid());
  }

  @Override
  public void tidy() {
    world.client().resource(read()).delete();
    World.eventually(() -> assertThat(world.node(name())).isNull());
  }

  private SeiNodeDeployment read() {
    return world
        .client()
        .resources(SeiNodeDeployment.class)
        .inNamespace(world.namespace())
        .withName(fleet())
        .get();
  }

  private String publicKey(String secret) {
    Secret key = world.client().secrets().inNamespace(world.namespace()).withName(secret).get();
    return CeremonyLogs.publicKey(key);
  }

  private String fleet() {
    return "chain" + rounds;
  }

  private String name() {
    return fleet() + "-0";
  }

  private static String unzipped(String base64) {
    try (var file =
        new GZIPInputStream(new ByteArrayInputStream(Base64.getDecoder().decode(base64)))) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
