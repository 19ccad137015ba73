package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.SeiSigningKey;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.State;
import io.sei.operator.api.v1alpha1.Validator.SigningKey;
import io.sei.operator.node.ValidatorTestCase;
import io.sei.operator.testkit.ThrowAwayKeys;
import io.sei.operator.testkit.samples.Samples;
import java.util.List;
import java.util.Map;

/** A validator starts with a key of its own, which the cluster records before there is a pod. */
final class SignersStart implements Scenario {

  private static final String IMAGE = "sei:a";

  private final World world;
  private int rounds;

  SignersStart(World world) {
    this.world = world;
  }

  @Override
  public void prepare() {
    world.operator().with("SEI_SIGNING_SCOPE", "Cluster").restart();
  }

  @Override
  public void begin() {
    rounds++;
    String secret = "signing-" + rounds;
    var key =
        ThrowAwayKeys.secret(secret, Map.of(SigningKey.FILE, ThrowAwayKeys.signingKeyFile(name())));
    for (var object : List.of(key, ThrowAwayKeys.nodeKey("identity-" + rounds))) {
      world.client().resource(object).inNamespace(world.namespace()).create();
    }
    world
        .client()
        .resource(
            Samples.node(
                world.namespace(),
                "validator" + rounds,
                Samples.fullNode(IMAGE)
                    .with(
                        builder ->
                            builder
                                .fullNode(null)
                                .validator(
                                    ValidatorTestCase.keys(secret, "identity-" + rounds, null)))))
        .create();
  }

  @Override
  public void assertDone() {
    world.assertSettled("validator" + rounds, IMAGE);
    assertThat(record().getSpec().holder().podUid())
        .isEqualTo(world.pods("validator" + rounds).get(0).uid());
  }

  @Override
  public void assertSound() {
    assertThat(world.pods("validator" + rounds)).hasSize(1);
    assertThat(record().getSpec().state()).isEqualTo(State.ARMED);
    assertThat(record().getSpec().holder().uid())
        .isEqualTo(world.node("validator" + rounds).getMetadata().getUid());
    assertThat(record().getSpec().claim()).isNotNull();
  }

  @Override
  public void tidy() {
    world.client().resource(world.node("validator" + rounds)).delete();
    World.eventually(() -> assertThat(world.node("validator" + rounds)).isNull());
  }

  private SeiSigningKey record() {
    return world.client().resources(SeiSigningKey.class).list().getItems().stream()
        .filter(key -> key.getSpec().publicKey().equals(ThrowAwayKeys.publicKey(name())))
        .findFirst()
        .orElseThrow();
  }

  private String name() {
    return world.namespace() + "-" + rounds;
  }
}
