package io.sei.operator.node.signing;

import static io.sei.operator.node.signing.SigningNode.KEY;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.feature.IrreversibleAct;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.reconcile.Veto;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** The veto of signing, asked through the hook as every way to a pod asks it. */
class SigningVetoTest {

  private static final SigningNode FIRST = SigningNode.local("a", "first");
  private static final SigningNode SECOND = SigningNode.local("a", "second");

  static final List<Function<KubeApi, Signing>> SCOPES =
      List.of(
          Signing::inNamespaces,
          api -> Signing.inCluster(api, Set.of(), podUid -> false, new PerObjectState<>()));

  @ParameterizedTest
  @FieldSource("SCOPES")
  void podWithAKeyThatAnotherPodHasDoesNotStart(Function<KubeApi, Signing> scope) {
    InMemoryApi cluster = cluster(FIRST, SECOND);
    FIRST.workload().forEach(cluster::put);

    assertThat(vetoOfSecond(scope.apply(cluster.api()))).isInstanceOf(Veto.Refusal.class);
  }

  @ParameterizedTest
  @FieldSource("SCOPES")
  void podWithAKeyThatNoOtherPodHasIsNotRefused(Function<KubeApi, Signing> scope) {
    assertThat(vetoOfSecond(scope.apply(cluster(SECOND).api())))
        .isNotInstanceOf(Veto.Refusal.class);
  }

  private static InMemoryApi cluster(SigningNode... nodes) {
    var cluster = new InMemoryApi(Set.of(), request -> {});
    for (SigningNode node : nodes) {
      List.<HasMetadata>of(node.node(), node.boundClaim()).forEach(cluster::put);
      node.secret().ifPresent(cluster::put);
    }
    return cluster;
  }

  private static Veto vetoOfSecond(Signing signing) {
    NodeFeature keys = signing.keys(null, null, null);
    return keys.veto(
        IrreversibleAct.START_POD,
        aNode(SECOND.node()).status(status -> status.withSigningPublicKey(KEY)).pass());
  }
}
