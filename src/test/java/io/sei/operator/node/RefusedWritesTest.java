package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.Denials;
import io.sei.operator.testkit.Denials.Answer;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.Rights;
import io.sei.operator.testkit.controlplane.ControlPlane;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A write that the API server refuses is reported, holds up no other, and is retried. */
class RefusedWritesTest extends ConfigTestCase {

  private static final String POLICY = "the platform team says no";

  private Denials denials;

  @BeforeEach
  void prepareDenials() {
    denials = new Denials(client, namespace);
  }

  @Tag("long")
  @Test
  void anExceededQuotaIsToldAtOnceAndGoneOnceItIsRaised() {
    denials.forbidAny("requests.storage");
    create(spec(A));

    awaitTold(
        StallReason.QUOTA_EXCEEDED,
        "PersistentVolumeClaim data-node",
        "exceeded quota: denied",
        "raise the quota");
    assertCondition(NodeConditionType.READY, ConditionStatus.FALSE, StallReason.QUOTA_EXCEEDED);
    denials.raiseQuota("requests.storage");

    awaitUpToDate(A);
    awaitRecovered();
  }

  static Stream<Arguments> policies() {
    String proxy = "node-rbac-proxy-config";
    return Cases.of(
        1,
        Arguments.of("statefulsets", "node", Answer.INVALID, "StatefulSet node"),
        Arguments.of("services", "node", Answer.FORBIDDEN, "Service node"),
        Arguments.of("configmaps", proxy, Answer.INVALID, "ConfigMap " + proxy));
  }

  @Tag("long")
  @ParameterizedTest
  @MethodSource("policies")
  void aPolicyIsToldAtOnceAndGoneOnceItIsLifted(
      String resource, String name, Answer answer, String object) {
    denials.deny(resource, name, answer, "CREATE");
    create(spec(A));

    awaitTold(StallReason.APPLY_REFUSED, object, POLICY);
    denials.allow(resource);

    awaitUpToDate(A);
    awaitRecovered();
  }

  @Test
  void aMissingRightIsToldAndUsedOnceItIsGranted() {
    var rights = new Rights(client, namespace);
    operatorAs(rights.without("services").config(controlPlane.config(ControlPlane.OPERATOR)))
        .start();
    create(spec(A));

    awaitTold(StallReason.APPLY_REFUSED, "Service node", "cannot patch resource \"services\"");
    rights.grant("services");

    awaitUpToDate(A);
  }

  @Test
  void aRunningNodeWithARefusedServiceIsWatchedAndKeptAllTheSame() {
    createRunning();
    denials.deny("services", NODE, Answer.FORBIDDEN, "CREATE");
    client.services().inNamespace(namespace).withName(NODE).delete();

    awaitTold(StallReason.APPLY_REFUSED, "Service node", POLICY);
    assertCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.FALSE, StallReason.APPLY_REFUSED);
    assertCondition(NodeConditionType.READY, ConditionStatus.TRUE);
    edit(
        statefulSet ->
            new StatefulSetBuilder(statefulSet).editSpec().withReplicas(0).endSpec().build());
    kubelet.inject(namespace, POD, PodFault.NEVER_READY);
    eventually(
        () -> {
          assertThat(statefulSet().getSpec().getReplicas()).isEqualTo(1);
          assertCondition(NodeConditionType.READY, ConditionStatus.FALSE);
        });
    kubelet.clear(namespace, POD);
    denials.allow("services");

    awaitUpToDate(A);
    assertThat(read(Service.class, NODE)).isNotNull();
  }

  @Tag("long")
  @Test
  void aDeletionThatIsRefusedSaysWhy() {
    createRunning();
    patch("{'spec':{'dataVolume':{'onDelete':'Retain'}}}");
    awaitUpToDate(A);
    denials.deny("seinodes", NODE, Answer.FORBIDDEN, "UPDATE");
    client.resource(node()).delete();

    eventually(
        () -> assertThat(events("Stalled")).anyMatch(event -> event.getMessage().contains(POLICY)));
    denials.allow("seinodes");

    eventually(() -> assertThat(node()).isNull());
  }

  private void awaitTold(StallReason reason, String... words) {
    eventually(
        () -> {
          assertCondition(NodeConditionType.STALLED, ConditionStatus.TRUE, reason);
          assertThat(condition(NodeConditionType.STALLED).message()).contains(words);
        });
    eventually(() -> assertThat(occurrences("Stalled")).isPositive());
  }

  private void awaitRecovered() {
    eventually(() -> assertThat(occurrences("Recovered")).isEqualTo(occurrences("Stalled")));
  }

  @Test
  void aNewNodeSaysWhatIsWrongAndStartsOnceItIsNotAndARunningOneRunsOn() {
    create(specOf("'fullNode':{},'resources':{'requests':{'cpu':'2'},'limits':{'cpu':'1'}}"));

    eventually(
        () -> {
          assertCondition(
              NodeConditionType.STALLED, ConditionStatus.TRUE, StallReason.APPLY_REFUSED);
          assertThat(condition(NodeConditionType.STALLED).message())
              .contains("the API server refuses", "cpu limit");
        });
    patch("{'spec':{'resources':null}}");

    awaitUpToDate(A);
    eventually(() -> assertThat(occurrences("Recovered")).isEqualTo(1));
    assertThat(occurrences("Stalled")).isEqualTo(1);
    assertRunsOnAndSaysWhatIsWrong();
  }

  private void assertRunsOnAndSaysWhatIsWrong() {
    String pod = podUid();

    patch("{'spec':{'image':'%s','podLabels':{'a':'not a value'}}}".formatted(B));

    awaitStalled(StallReason.APPLY_REFUSED);
    stays(() -> assertThat(podUid()).isEqualTo(pod));
    assertCondition(NodeConditionType.READY, ConditionStatus.TRUE);
    patch("{'spec':{'podLabels':null}}");

    awaitUpToDate(B);
    assertThat(images()).containsExactly(A, B);
  }

  /** The schema takes some specs of which the API server then refuses what they come to. */
  @Tag("long")
  @Test
  void aPausedNodeSaysWhatIsWrong() {
    createRunning();

    patch("{'spec':{'paused':true,'podLabels':{'a':'not a value'}}}");

    awaitCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.FALSE, StallReason.APPLY_REFUSED);
    patch("{'spec':{'paused':null,'podLabels':null}}");

    awaitUpToDate(A);
  }
}
