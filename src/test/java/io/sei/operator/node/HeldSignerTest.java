package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.Validator.SigningKey;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.PodSigningKey;
import io.sei.operator.testkit.ThrowAwayKeys;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A hold only takes away, so no key keeps a validator from it. */
class HeldSignerTest extends ValidatorTestCase {

  private static final String FIRST = "alice";
  private static final String SECOND = "bob";

  @Override
  protected void startOperator() throws Exception {
    startWithRecords();
  }

  /** The Secret holds the key of another validator by now; what is held signs with none. */
  @Tag("long")
  @Test
  void keyThatIsRefusedKeepsNoValidatorFromBeingHeld() {
    putOwnKey(namespace, KEY);
    put(ThrowAwayKeys.nodeKey("identity-" + FIRST));
    create(FIRST, spec(keys(KEY, "identity-" + FIRST, null)));
    Map<String, String> other =
        Map.of(SigningKey.FILE, ThrowAwayKeys.signingKeyFile(namespace + "-other"));
    put(ThrowAwayKeys.secret("other-key", other));
    put(ThrowAwayKeys.nodeKey("identity-" + SECOND));
    create(SECOND, spec(keys("other-key", "identity-" + SECOND, null)));
    awaitRunning(FIRST);
    awaitRunning(SECOND);
    put(ThrowAwayKeys.secret(KEY, other));
    patch(node(FIRST), "{'spec':{'image':'%s'}}".formatted(B));
    eventually(() -> assertRefused(node(FIRST)));

    patch(node(FIRST), "{'spec':{'maintenance':{'hold':'Immediate'}}}");

    awaitSays(FIRST, NodeConditionType.HELD, "True/Held");
    assertThat(PodSigningKey.of(pod(FIRST))).contains(ThrowAwayKeys.publicKey(namespace));

    patch(node(FIRST), "{'spec':{'maintenance':null}}");

    awaitSays(FIRST, NodeConditionType.HELD, "False/NotHeld");
    eventually(() -> assertRefused(node(FIRST)));
    assertThat(PodFacts.isIdle(pod(FIRST))).isTrue();
  }

  private static void assertRefused(SeiNode node) {
    assertThat(Conditions.find(node.getStatus().conditions(), NodeConditionType.SIGNING_KEY_READY))
        .hasValueSatisfying(
            condition -> assertThat(condition.status()).isEqualTo(ConditionStatus.FALSE));
  }
}
