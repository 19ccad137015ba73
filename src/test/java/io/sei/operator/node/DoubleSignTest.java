package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.PodRecord;
import io.sei.operator.testkit.ThrowAwayKeys;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two nodes never sign with one key. */
class DoubleSignTest extends ValidatorTestCase {

  private static final String FIRST = "alice";
  private static final String SECOND = "bob";

  @BeforeEach
  void putKey() {
    put(ThrowAwayKeys.signingKey(KEY));
  }

  @Test
  void secondStartsOnceThePodOfTheFirstIsGone() {
    createValidator(FIRST);
    awaitRunning(FIRST);
    createValidator(SECOND);

    awaitSays(SECOND, NodeConditionType.SIGNING_KEY_READY, "False/InUse");
    assertThat(condition(SECOND, NodeConditionType.SIGNING_KEY_READY).message())
        .isEqualTo("Secret " + KEY + " is used by SeiNode alice (Pod alice-0)");
    awaitSays(SECOND, NodeConditionType.READY, "False/SigningKeyInUse");
    eventually(() -> assertThat(events(SECOND, "SigningKeyInUse")).hasSize(1));
    stays(() -> assertHasNothing(SECOND));

    kubelet.inject(namespace, FIRST + "-0", PodFault.HANGING_TERMINATION);
    client.resource(node(FIRST)).delete();
    eventually(() -> assertThat(pod(FIRST).getMetadata().getDeletionTimestamp()).isNotNull());
    eventually(() -> assertThat(node(FIRST)).isNull());
    stays(() -> assertHasNothing(SECOND));
    kubelet.clear(namespace, FIRST + "-0");

    awaitRunning(SECOND);
    assertThat(says(SECOND, NodeConditionType.SIGNING_KEY_READY))
        .isEqualTo("True/SigningKeyValidated");
    assertNeverTogether();
  }

  @Tag("long")
  @Test
  void manyAtOnceMakeOnePod() {
    List<String> names = List.of("a", "b", "c", "d", "e", "f");

    names.parallelStream().forEach(this::createValidator);

    eventually(
        () -> {
          assertThat(names.stream().filter(this::isRunning).toList()).hasSize(1);
          assertThat(names.stream().filter(this::isRefused).toList()).hasSize(5);
        });
    stays(() -> assertThat(names.stream().flatMap(this::history).toList()).hasSize(1));
  }

  @Test
  @Tag("long")
  void pausedValidatorLendsItsKeyAndGetsItBack() {
    createValidator(FIRST);
    awaitRunning(FIRST);
    pause(FIRST, true);
    eventually(() -> assertThat(pod(FIRST)).isNull());
    createValidator(SECOND);
    awaitRunning(SECOND);

    pause(FIRST, false);
    awaitSays(FIRST, NodeConditionType.SIGNING_KEY_READY, "False/InUse");
    awaitSays(FIRST, NodeConditionType.READY, "False/SigningKeyInUse");
    stays(() -> assertThat(pod(FIRST)).isNull());

    pause(SECOND, true);
    awaitRunning(FIRST);
    assertNeverTogether();
  }

  @Tag("long")
  @Test
  void runningNodeThatIsGivenAKeyInUseKeepsItsPodWithoutIt() {
    createValidator(FIRST);
    awaitRunning(FIRST);
    put(ThrowAwayKeys.nodeKey("identity-" + SECOND));
    create(SECOND, spec(new Validator(null, null, null, null, null, null, null, null)));
    awaitRunning(SECOND);
    String pod = pod(SECOND).getMetadata().getUid();

    patch(
        node(SECOND),
        ("{'spec':{'validator':{'signingKey':{'secret':{'secretName':'%s'}},"
                + "'nodeKey':{'secret':{'secretName':'identity-bob'}}}}}")
            .formatted(KEY));

    awaitSays(SECOND, NodeConditionType.SIGNING_KEY_READY, "False/InUse");
    stays(() -> assertThat(pod(SECOND).getMetadata().getUid()).isEqualTo(pod));
    assertThat(says(SECOND, NodeConditionType.READY)).isEqualTo("True/PodReady");
    client.resource(node(FIRST)).delete();
    eventually(() -> assertThat(history(SECOND)).hasSize(2));
    awaitRunning(SECOND);
  }

  /** Covers the state that the Go operator leaves, which stores the condition alone. */
  @Test
  void restartedOperatorKnowsWhoHasTheKey() {
    createValidator(FIRST);
    awaitRunning(FIRST);
    createValidator(SECOND);
    awaitSays(SECOND, NodeConditionType.SIGNING_KEY_READY, "False/InUse");
    assertThat(node(FIRST).getStatus().signingKey().secret()).isEqualTo(KEY);
    assertThat(node(SECOND).getStatus().signingKey()).isNull();
    operator.stop();
    patchStatus(node(FIRST), "{'status':{'signingKey':null}}");

    operator.start();

    eventually(() -> assertThat(node(FIRST).getStatus().signingKey().secret()).isEqualTo(KEY));
    stays(() -> assertHasNothing(SECOND));
    operator.restart();
    stays(() -> assertHasNothing(SECOND));
    assertThat(says(FIRST, NodeConditionType.READY)).isEqualTo("True/PodReady");
    assertThat(history(FIRST)).hasSize(1);
    client.resource(node(FIRST)).delete();
    awaitRunning(SECOND);
    assertThat(node(SECOND).getStatus().signingKey().secret()).isEqualTo(KEY);
    assertNeverTogether();
  }

  @Tag("long")
  @Test
  void olderOneWinsWhenTheGoOperatorHadValidatedTheKeyForBoth() {
    operator.stop();
    createValidator(FIRST);
    createValidator(SECOND);
    for (String claiming : List.of(FIRST, SECOND)) {
      patchStatus(
          node(claiming),
          "{'status':{'conditions':[{'type':'SigningKeyReady','status':'True','message':'',"
              + "'reason':'SigningKeyValidated','lastTransitionTime':'2026-06-01T10:00:00Z'}]}}");
    }

    operator.start();

    awaitRunning(FIRST);
    awaitSays(SECOND, NodeConditionType.SIGNING_KEY_READY, "False/InUse");
    stays(() -> assertHasNothing(SECOND));
    assertThat(kubelet.history(namespace, SECOND + "-0")).isEmpty();
  }

  private boolean isRunning(String node) {
    return "True/UpToDate".equals(says(node, NodeConditionType.UP_TO_DATE));
  }

  private boolean isRefused(String node) {
    return "False/InUse".equals(says(node, NodeConditionType.SIGNING_KEY_READY));
  }

  private void assertHasNothing(String node) {
    assertThat(client.apps().statefulSets().inNamespace(namespace).withName(node).get()).isNull();
    assertThat(pod(node)).isNull();
  }

  private Stream<PodRecord> history(String node) {
    return kubelet.history(namespace, node + "-0").stream();
  }

  /** At no moment did both have a pod. */
  private void assertNeverTogether() {
    for (PodRecord one : history(FIRST).toList()) {
      for (PodRecord other : history(SECOND).toList()) {
        assertThat(isBefore(one, other) || isBefore(other, one))
            .as("%s and %s", one, other)
            .isTrue();
      }
    }
  }

  private static boolean isBefore(PodRecord one, PodRecord other) {
    return one.deletedAt() != null && !one.deletedAt().isAfter(other.createdAt());
  }
}
