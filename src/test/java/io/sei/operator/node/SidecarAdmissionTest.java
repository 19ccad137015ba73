package io.sei.operator.node;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.PodBaseline;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.StatefulSetRef;
import io.sei.operator.diagnosis.NodeFacts;
import io.sei.operator.sidecar.SidecarException;
import io.sei.operator.testkit.samples.NodeSample;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SidecarAdmissionTest {

  private static final String MACHINE = "m1";
  private static final SidecarAdmission.Proxy OURS = SidecarAdmission.Proxy.OF_THIS_OPERATOR;
  private static final SidecarAdmission.Proxy ADOPTED = SidecarAdmission.Proxy.OF_THE_GO_OPERATOR;

  static List<Arguments> pods() {
    return List.of(
        row("a pod of the node's StatefulSet", pod(), ""),
        row("of another StatefulSet", owned("StatefulSet", "node", "other"), "does not belong to"),
        row("of nobody", aPod(pod()).unowned().build(), "does not belong to"),
        row("of the bootstrap Job", owned("Job", "node-bootstrap", "job-1"), ""),
        row("of another Job", owned("Job", "backup", "job-1"), "does not belong to"),
        row(
            "of something that is called as the Job",
            owned("ReplicaSet", "node-bootstrap", "1"),
            "does not belong to"),
        row("being deleted", aPod(pod()).terminating(NOW).build(), "is being deleted"),
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
    node.setStatus(node.getStatus().with(builder -> builder.statefulSet(null)));

    assertThat(objection(true, node, Optional.of(pod()))).isPresent();
  }

  @Test
  void podThatIsGoneIsSentNothing() {
    assertThat(objection(true, node(), Optional.empty()))
        .hasValueSatisfying(exception -> assertThat(exception).hasMessageContaining("no pod"));
  }

  @Test
  void withoutAWatchNothingIsKnown() {
    assertThat(objection(false, node(), Optional.of(pod())))
        .hasValueSatisfying(
            exception -> {
              assertThat(exception.kind()).isEqualTo(SidecarException.Kind.BLIND);
              assertThat(exception).hasMessageContaining("watch");
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
    Pod pod = overruled ? aPod(pod()).overruled().build() : pod();

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
    assertThat(SidecarAdmission.isKubernetesNodeInDoubt(aPod(pod).overruled().build(), NOW))
        .isTrue();
  }

  static List<Arguments> proxies() {
    String own = "--auth-token-audiences=sei.io/sidecar/default/node";
    return List.of(
        proxy("its own audience", OURS, own),
        proxy("among other flags", OURS, "--v=0", own, "--upstream=http://127.0.0.1:7777/"),
        proxy("in two words", null, "--auth-token-audiences", "sei.io/sidecar/default/node"),
        proxy("of an earlier build", null, "--auth-token-audiences=sei.io/sidecar"),
        proxy("of another node", null, "--auth-token-audiences=sei.io/sidecar/default/other"),
        proxy("of another namespace", null, "--auth-token-audiences=sei.io/sidecar/other/node"),
        proxy("two in one flag", null, own + ",sei.io/sidecar/default/other"),
        proxy("two flags", null, own, "--auth-token-audiences=https://kubernetes.default.svc"),
        proxy("the same flag twice", null, own, own),
        proxy("an empty one", null, "--auth-token-audiences="),
        proxy("without its value", null, "--auth-token-audiences"),
        proxy("of another case", null, own.replace("node", "Node")),
        proxy("none", ADOPTED),
        proxy("a flag of another name", ADOPTED, "--auth-header-fields-enabled=true"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("proxies")
  void proxyIsKnownByItsArguments(String what, SidecarAdmission.Proxy expected, Pod pod) {
    if (expected == null) {
      assertThatThrownBy(() -> SidecarAdmission.proxy(adopted(), pod, true))
          .isInstanceOfSatisfying(
              SidecarException.class,
              e -> assertThat(e.kind()).isEqualTo(SidecarException.Kind.WITHHELD))
          .hasMessage(
              "no request was sent to pod node-0: its proxy does not have the argument"
                  + " --auth-token-audiences=sei.io/sidecar/default/node; run: kubectl sei restart"
                  + " node -n default");
      return;
    }
    assertThat(SidecarAdmission.proxy(adopted(), pod, true)).isEqualTo(expected);
  }

  @Test
  void onlyTheAdoptedPodOfAListedNamespaceHasTheProxyOfTheGoOperator() {
    Pod theirs = withProxy("--v=0");
    SeiNode another = adopted();
    another.setStatus(
        another.getStatus().with(builder -> builder.podBaseline(new PodBaseline("x", "h"))));

    assertThat(SidecarAdmission.proxy(adopted(), theirs, true)).isEqualTo(ADOPTED);
    assertThatThrownBy(() -> SidecarAdmission.proxy(adopted(), theirs, false))
        .hasMessageContaining("kubectl sei restart node -n default");
    assertThatThrownBy(() -> SidecarAdmission.proxy(another, theirs, true))
        .hasMessageContaining("kubectl sei restart node -n default");
    assertThatThrownBy(() -> SidecarAdmission.proxy(node(), theirs, true))
        .hasMessageContaining("kubectl sei restart node -n default");
    assertThatThrownBy(() -> SidecarAdmission.proxy(adopted(), pod(), true))
        .hasMessageContaining("kubectl sei restart node -n default");
  }

  @Test
  void podOfABootstrapIsReplacedByAPause() {
    Pod ofJob = aPod(withProxy("--v=0")).ownedBy("Job", "node-bootstrap", "job-uid").build();

    assertThatThrownBy(() -> SidecarAdmission.proxy(node(), ofJob, true))
        .hasMessageEndingWith(
            "run: kubectl sei pause node -n default --stop and, once the pod is gone, kubectl sei"
                + " resume");
  }

  @Test
  void labelsAndAnnotationsOfThePodDecideNothing() {
    Pod lying =
        aPod(withProxy("--v=0"))
            .annotation("sei.io/sidecar-audience", "sei.io/sidecar/default/node")
            .label("sei.io/node", "other")
            .build();

    assertThatThrownBy(() -> SidecarAdmission.proxy(node(), lying, true))
        .isInstanceOf(SidecarException.class);
    assertThat(SidecarAdmission.audience(node())).isEqualTo("sei.io/sidecar/default/node");
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
    SeiNode node = aNode("sei:a").build();
    node.setStatus(
        aNode("sei:a")
            .running()
            .status()
            .with(
                builder ->
                    builder.statefulSet(new StatefulSetRef("node", NodeSample.STATEFUL_SET_UID))));
    return node;
  }

  private static Pod pod() {
    return at("10.0.0.1");
  }

  private static Pod at(String address) {
    return aPod(aNode("sei:a")).address(address).build();
  }

  private static Pod owned(String kind, String name, String uid) {
    return aPod(pod()).ownedBy(kind, name, uid).build();
  }

  /** The node, with this pod for the one that it was adopted with. */
  private static SeiNode adopted() {
    SeiNode node = node();
    String uid = pod().getMetadata().getUid();
    node.setStatus(
        node.getStatus().with(builder -> builder.podBaseline(new PodBaseline(uid, "hash"))));
    return node;
  }

  private static Arguments proxy(String what, SidecarAdmission.Proxy expected, String... args) {
    return Arguments.of(what, expected, withProxy(args));
  }

  private static Pod withProxy(String... args) {
    return aPod(pod())
        .proxy(args)
        .edit(
            builder ->
                builder
                    .editSpec()
                    .editFirstInitContainer()
                    .withImage("proxy")
                    .endInitContainer()
                    .endSpec())
        .build();
  }

  private static Pod inPhase(String phase) {
    return aPod(pod()).phase(phase).build();
  }

  private static Pod started(int secondsAgo) {
    return aPod(pod())
        .status("seid", sample -> sample.running(NOW.minusSeconds(secondsAgo)))
        .build();
  }
}
