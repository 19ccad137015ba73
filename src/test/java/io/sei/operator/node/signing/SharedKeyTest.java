package io.sei.operator.node.signing;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.signing.SigningKeyLock.Outcome;
import io.sei.operator.node.signing.SigningKeyLock.Sharing;
import io.sei.operator.reconcile.Veto;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A pod with a key that a node of another namespace has as well. */
class SharedKeyTest {

  private static final Outcome SHARED =
      new Outcome(Veto.none(), "record", new Sharing(Optional.of("node b of y"), false));

  @Test
  void startsOnlyOnceItsNodeShowsThatTheKeyIsShared() {
    NodePass pass = aNode("a").running().pass();

    assertThat(veto(pass)).isEqualTo(Veto.writeFirst());
    assertThat(veto(pass)).as("asked again before the write").isEqualTo(Veto.writeFirst());

    NodePass next = new NodePass(pass.drafted());
    assertThat(veto(next)).isEqualTo(Veto.none());
  }

  private static Veto veto(NodePass pass) {
    return SigningKeyReady.veto(pass, SHARED);
  }
}
