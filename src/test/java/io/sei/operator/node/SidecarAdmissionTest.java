package io.sei.operator.node;

import static io.sei.operator.node.Snapshots.NOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.StatefulSetRef;
import io.sei.operator.diagnosis.NodeFacts;
import io.sei.operator.render.Annotations;
import io.sei.operator.sidecar.Audience;
import io.sei.operator.sidecar.SidecarException;
import io.sei.operator.testkit.samples.PodSample;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SidecarAdmissionTest {

  private static final String MACHINE = "m1";
  private static final String OWN = "sei.io/sidecar/default/node";

  static List<Arguments> pods() {
    return List.of(
        row("a pod of the node's StatefulSet", pod(), ""),
        row("of another StatefulSet", owned("StatefulSet", "node", "other"), "does not belong to"),
        row("of nobody", PodSample.of(pod()).unowned().build(), "does not belong to"),
        row("of the bootstrap Job", owned("Job", "node-bootstrap", "job-1"), ""),
        row("of another Job", owned("Job", "backup", "job-1"), "does not belong to"),
        row(
            "of something that is called as the Job",
            owned("ReplicaSet", "node-bootstrap", "1"),
            "does not belong to"),
        row("being deleted", PodSample.of(pod()).terminating(NOW).build(), "is being deleted"),
        row("that has ended", inPhase("Succeeded"), "has ended"),
        row("that has failed", inPhase("Failed"), "has ended"),
        row("with another address by now", at("10.0.0.2"), "no longer has the address 10.0.0.1"),
        row("without an address", at(null), "no longer has the address 10.0.0.1"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("pods")
  void onlyTheNodesLivingPodIsSentAnything(String what, Pod pod, String why) {
    Optional<SidecarException> objection = objection(true, node(), Optional.of(pod));

    assertThat(objection.isPresent()).isEqualTo(!why.isEmpty());
    assertThat(objection.map(Throwable::getMessage).orElse("")).contains(why);
    assertThat(objection.map(SidecarException::kind).orElse(SidecarException.Kind.WITHHELD))
        .isEqualTo(SidecarException.Kind.WITHHELD);
  }

  @Test
  void withoutAStatefulSetThatIsRecordedNoPodIsTheNodes() {
    SeiNode node = node();
    node.setStatus(node.getStatus().with(it -> it.statefulSet(null)));

    assertThat(objection(true, node, Optional.of(pod()))).isPresent();
  }

  @Test
  void podThatIsGoneIsSentNothing() {
    assertThat(objection(true, node(), Optional.empty()))
        .hasValueSatisfying(it -> assertThat(it).hasMessageContaining("no pod"));
  }

  @Test
  void withoutAWatchNothingIsKnown() {
    assertThat(objection(false, node(), Optional.of(pod())))
        .hasValueSatisfying(
            it -> {
              assertThat(it.kind()).isEqualTo(SidecarException.Kind.BLIND);
              assertThat(it).hasMessageContaining("watch");
            });
  }

  @ParameterizedTest
  @CsvSource({
    "READY,      false, ''",
    "READY,      true,  ''",
    "SILENT,     false, Kubernetes node m1 is NotReady",
    "SILENT,     true,  Kubernetes node m1 is NotReady",
    "GONE,       false, Kubernetes node m1 no longer exists",
    "UNREADABLE, false, ''",
    "UNREADABLE, true,  Kubernetes node m1 is probably NotReady",
  })
  void podOnALostMachineIsSentNothing(NodeFacts.State state, boolean overruled, String why) {
    Pod pod = overruled ? PodSample.of(pod()).overruled().build() : pod();

    assertThat(
            SidecarAdmission.objection(pod, new NodeFacts(MACHINE, state))
                .map(Throwable::getMessage)
                .orElse(""))
        .endsWith(why)
        .hasSizeGreaterThanOrEqualTo(why.length())
        .matches(message -> message.isEmpty() == why.isEmpty());
  }

  @ParameterizedTest
  @CsvSource({"-1, true", "0, false", "19, false", "20, true", "3600, true"})
  void kubeletThatStartedAContainerJustNowIsNotSilent(int seconds, boolean doubted) {
    Pod pod = started(seconds);

    assertThat(SidecarAdmission.isKubernetesNodeInDoubt(pod, NOW)).isEqualTo(doubted);
    assertThat(SidecarAdmission.isKubernetesNodeInDoubt(PodSample.of(pod).overruled().build(), NOW))
        .isTrue();
  }

  @Test
  void audienceIsThatOfTheNodeAndReadOffTheArgumentsOfTheProxy() {
    assertThat(audience()).isEqualTo(Audience.API_SERVER);
    assertThat(audience("--v=0")).isEqualTo(Audience.API_SERVER);
    assertThat(audience("--auth-token-audiences=" + OWN)).isEqualTo(Audience.SIDECAR);
    // An annotation can be changed while the pod runs.
    Pod annotated =
        PodSample.of(withProxy("--auth-token-audiences=" + OWN))
            .annotation("sei.io/sidecar-audience", "")
            .build();
    assertThat(SidecarAdmission.audience(annotated, OWN)).isEqualTo(Audience.SIDECAR);
  }

  static List<List<String>> otherProxies() {
    String flag = "--auth-token-audiences=";
    return List.of(
        List.of(flag + "sei.io/sidecar"),
        List.of(flag + "sei.io/sidecar/default/other"),
        List.of(flag),
        List.of(flag + OWN + ",https://kubernetes.default.svc"),
        List.of(flag + OWN, flag + "https://kubernetes.default.svc"),
        List.of("--auth-token-audiences", OWN));
  }

  @ParameterizedTest
  @MethodSource("otherProxies")
  void proxyThatAcceptsTokensOfAnotherAudienceGetsNone(List<String> arguments) {
    assertThatThrownBy(() -> audience(arguments.toArray(String[]::new)))
        .hasMessageContaining("node-0")
        .hasMessageContaining(OWN)
        .hasMessageContaining(Annotations.RESTART_REQUESTED_AT);
  }

  @Test
  void requestToANameNeedsNoAddress() {
    assertThat(
            SidecarAdmission.objection(
                true, Optional.of(node()), Optional.of(at(null)), Optional.empty()))
        .isEmpty();
  }

  private static Optional<SidecarException> objection(
      boolean watching, SeiNode node, Optional<Pod> pod) {
    return SidecarAdmission.objection(watching, Optional.of(node), pod, Optional.of("10.0.0.1"));
  }

  private static Arguments row(String what, Pod pod, String why) {
    return Arguments.of(what, pod, why);
  }

  private static SeiNode node() {
    SeiNode node = Snapshots.node("sei:a");
    node.setStatus(
        Snapshots.running("sei:a")
            .with(it -> it.statefulSet(new StatefulSetRef("node", Snapshots.UID))));
    return node;
  }

  private static Pod pod() {
    return at("10.0.0.1");
  }

  private static Pod at(String address) {
    return PodSample.of(Snapshots.pod("sei:a")).address(address).build();
  }

  private static Pod owned(String kind, String name, String uid) {
    return PodSample.of(pod()).ownedBy(kind, name, uid).build();
  }

  private static Audience audience(String... arguments) {
    return SidecarAdmission.audience(withProxy(arguments), OWN);
  }

  private static Pod withProxy(String... arguments) {
    return PodSample.of(pod()).proxy(arguments).build();
  }

  private static Pod inPhase(String phase) {
    return PodSample.of(pod()).phase(phase).build();
  }

  private static Pod started(int secondsAgo) {
    return PodSample.of(pod())
        .status("seid", it -> it.running(NOW.minusSeconds(secondsAgo)))
        .build();
  }
}
