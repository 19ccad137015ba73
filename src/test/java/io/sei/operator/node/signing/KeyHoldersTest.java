package io.sei.operator.node.signing;

import static io.sei.operator.node.signing.KeyUsers.EARLY;
import static io.sei.operator.node.signing.KeyUsers.KEY;
import static io.sei.operator.node.signing.KeyUsers.LATE;
import static io.sei.operator.node.signing.KeyUsers.claiming;
import static io.sei.operator.node.signing.KeyUsers.initializing;
import static io.sei.operator.node.signing.KeyUsers.paused;
import static io.sei.operator.node.signing.KeyUsers.pod;
import static io.sei.operator.node.signing.KeyUsers.podSpec;
import static io.sei.operator.node.signing.KeyUsers.recording;
import static io.sei.operator.node.signing.KeyUsers.running;
import static io.sei.operator.node.signing.KeyUsers.saying;
import static io.sei.operator.node.signing.KeyUsers.statefulSet;
import static io.sei.operator.node.signing.KeyUsers.validator;
import static io.sei.operator.node.signing.KeyUsers.with;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static io.sei.operator.testkit.samples.Samples.unreadable;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.StatefulSetRef;
import io.sei.operator.base.Recheck;
import io.sei.operator.node.feature.KeyUsage;
import io.sei.operator.reconcile.Veto;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class KeyHoldersTest {

  private static final String BEFORE = "2026-06-01T09:59:59Z";

  private static final Veto FREE = Veto.none();
  private static final Veto UNCLAIMED = Veto.writeFirst();

  /** Lists the other objects beside the asking node, which has claimed the key. */
  static Stream<Arguments> holders() {
    return Stream.of(
        row("nobody", FREE),
        row("its own pod", FREE, pod("self", KEY)),
        row("its own StatefulSet", FREE, statefulSet("self", 1, KEY)),
        row(
            "another's pod",
            inUse("SeiNode other (Pod other-0)"),
            running(validator("other", LATE, KEY)),
            statefulSet("other", 1, KEY),
            pod("other", KEY)),
        row("a pod that its node left", inUse("SeiNode other (Pod other-0)"), pod("other", KEY)),
        row("a pod being deleted", inUse("SeiNode other (Pod other-0)"), leaving("other")),
        row("a failed pod", inUse("SeiNode other (Pod other-0)"), ended("other", "Failed")),
        row("a pod that succeeded", FREE, ended("other", "Succeeded")),
        row("a pod with another key", FREE, pod("other", "another")),
        row("a pod of nobody", inUse("Pod other-0"), stray()),
        row("a projected key", inUse("Pod other-0"), projected()),
        row(
            "a StatefulSet with a pod to come",
            inUse("SeiNode other (StatefulSet other)"),
            statefulSet("other", 1, KEY)),
        row("a StatefulSet without pods", FREE, statefulSet("other", 0, KEY)),
        row("a StatefulSet with another key", FREE, statefulSet("other", 1, "another")),
        row("a StatefulSet being deleted", FREE, leaving(statefulSet("other", 1, KEY))));
  }

  static Stream<Arguments> elders() {
    return Stream.of(
        row("older, not looked at yet", first("other"), older()),
        row("of the same second, by name", first("a"), validator("a", EARLY, KEY)),
        row("older, at work", first("other"), initializing(older(), null)),
        row("older, waits for the key", first("other"), initializing(older(), "InUse")),
        row(
            "older, waits for the Secret",
            first("other"),
            initializing(older(), "SigningKeyNotReady")),
        row(
            "older, waits for a Secret to be corrected",
            first("other"),
            initializing(older(), "SigningKeyInvalid")),
        row("older, waits for its volume", FREE, initializing(older(), "PVCNotReady")),
        row("older, with a claim", first("other"), running(claiming(older()))),
        row("older, with another key", FREE, validator("other", BEFORE, "another")),
        row("older, paused before it ran", FREE, paused(older())),
        row("older, being deleted", FREE, leaving(older())),
        row("older, failed", FREE, failed(older())),
        row("older, invalid", FREE, with(older(), status -> status.withPhase(NodePhase.PENDING))),
        row("older, ran once, has no pod", FREE, running(older())),
        row("older, no validator", FREE, fullNode()));
  }

  static Stream<Arguments> claims() {
    return Stream.of(
        row("younger, not looked at yet", FREE, younger()),
        row("younger, at work", FREE, initializing(younger(), null)),
        row("younger, with a claim", contended(), initializing(claiming(younger()), null)),
        row(
            "younger, with a claim to what it used before",
            contended(),
            recording("another", younger())),
        row(
            "younger, whose key the Go operator has validated",
            FREE,
            saying(younger(), NodeConditionType.SIGNING_KEY_READY, ConditionStatus.TRUE)),
        row("with a claim, held", contended(), aNode(claiming(younger())).held().build()),
        row("with a claim, being paused", contended(), paused(claiming(younger()))),
        row(
            "with a claim, paused",
            FREE,
            saying(paused(claiming(younger())), NodeConditionType.PAUSED, ConditionStatus.TRUE)),
        row(
            "with a claim, resumed and paused again",
            contended(),
            edited(
                saying(
                    paused(claiming(younger())), NodeConditionType.PAUSED, ConditionStatus.TRUE))),
        row("with a claim, being deleted", contended(), leaving(claiming(younger()))),
        row(
            "with a claim, deletion seen",
            FREE,
            with(claiming(younger()), status -> status.withPhase(NodePhase.TERMINATING))),
        row("with a claim, failed before it ran", FREE, failed(claiming(younger()))),
        row(
            "with a claim, failed after it ran",
            contended(),
            with(
                failed(claiming(younger())),
                status -> status.withStatefulSet(new StatefulSetRef("other", "uid")))));
  }

  /** An object that cannot be read may have any key. */
  static Stream<Arguments> stubs() {
    return Stream.of(
        row(
            "a pod",
            inUse("SeiNode other (Pod other-0, which cannot be read)"),
            unreadable(bare(pod("other", KEY)), "spec")),
        row(
            "a StatefulSet",
            inUse("SeiNode other (StatefulSet other, which cannot be read)"),
            unreadable(bare(statefulSet("other", 0, KEY)), "spec")),
        row("its own StatefulSet", FREE, unreadable(bare(statefulSet("self", 1, KEY)), "status")),
        row("an older node", first("other"), withoutSpec(older())),
        row("a younger node", FREE, withoutSpec(younger())),
        row("a younger node with a claim", contended(), withoutSpec(claiming(younger()))),
        row(
            "a younger node with a claim, paused before",
            contended(),
            withoutSpec(
                saying(claiming(younger()), NodeConditionType.PAUSED, ConditionStatus.TRUE))),
        row(
            "a younger node with a claim to another key",
            FREE,
            withoutSpec(recording("another", younger()))),
        row("the status of a younger node", contended(), unreadable(younger(), "status")));
  }

  private static SeiNode withoutSpec(SeiNode node) {
    node.setSpec(null);
    return unreadable(node, "spec");
  }

  private static Pod bare(Pod pod) {
    pod.setSpec(null);
    return pod;
  }

  private static StatefulSet bare(StatefulSet statefulSet) {
    statefulSet.setSpec(null);
    return statefulSet;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"holders", "elders", "claims", "stubs"})
  void decides(String name, Veto veto, List<HasMetadata> others) {
    SeiNode self = claiming(validator("self", EARLY, KEY));

    assertThat(KeyHolders.decide(self, KEY, sighting(self, others))).isEqualTo(veto);
  }

  @Test
  void nothingIsFreeThatIsNotClaimed() {
    SeiNode self = validator("self", EARLY, KEY);

    assertThat(KeyHolders.decide(self, KEY, sighting(self, List.of()))).isEqualTo(UNCLAIMED);
    assertThat(KeyHolders.decide(self, KEY, sighting(self, List.of(claiming(younger())))))
        .as("a younger one learns of the older by its claim")
        .isEqualTo(UNCLAIMED);
    assertThat(KeyHolders.decide(self, KEY, sighting(self, List.of(pod("other", KEY)))))
        .isEqualTo(inUse("SeiNode other (Pod other-0)"));
  }

  @Test
  void ownClaimCountsForItsOwnKey() {
    SeiNode self = validator("self", EARLY, KEY);
    SeiNode another = recording("another", validator("self", EARLY, KEY));

    assertThat(KeyHolders.decide(self, KEY, sighting(another, List.of()))).isEqualTo(UNCLAIMED);
    assertThat(KeyHolders.decide(self, KEY, sighting(claiming(self), List.of()))).isEqualTo(FREE);
  }

  @Test
  void claimOfAnEarlierNodeOfTheSameNameIsNoClaim() {
    SeiNode self = claiming(validator("self", EARLY, KEY));
    SeiNode recreated = validator("self", EARLY, KEY);
    recreated.getMetadata().setUid("uid-of-the-next");

    assertThat(KeyHolders.decide(recreated, KEY, sighting(recreated, List.of())))
        .isEqualTo(UNCLAIMED);
    assertThat(KeyHolders.decide(self, KEY, sighting(recreated, List.of()))).isNotEqualTo(FREE);
  }

  private static KeyUsage sighting(SeiNode self, List<HasMetadata> others) {
    return new KeyUsage(
        Stream.concat(Stream.of(self), only(SeiNode.class, others)).toList(),
        only(StatefulSet.class, others).toList(),
        only(Pod.class, others).toList());
  }

  private static <T> Stream<T> only(Class<T> type, List<HasMetadata> objects) {
    return objects.stream().filter(type::isInstance).map(type::cast);
  }

  private static SeiNode older() {
    return validator("other", BEFORE, KEY);
  }

  private static SeiNode younger() {
    return validator("other", LATE, KEY);
  }

  private static SeiNode failed(SeiNode node) {
    return with(node, status -> status.withPhase(NodePhase.FAILED));
  }

  /** Its status is of an earlier spec. */
  private static SeiNode edited(SeiNode node) {
    node.getMetadata().setGeneration(3L);
    return node;
  }

  private static SeiNode fullNode() {
    SeiNode node = older();
    node.setSpec(node.getSpec().withValidator(null).withFullNode(new FullNode(null, null)));
    return node;
  }

  private static SeiNode leaving(SeiNode node) {
    node.getMetadata().setDeletionTimestamp(LATE);
    return node;
  }

  private static StatefulSet leaving(StatefulSet statefulSet) {
    statefulSet.getMetadata().setDeletionTimestamp(LATE);
    return statefulSet;
  }

  private static Pod leaving(String node) {
    return aPod(pod(node, KEY)).terminating(Instant.parse(LATE)).build();
  }

  private static Pod ended(String node, String phase) {
    return aPod(pod(node, KEY)).phase(phase).build();
  }

  private static Pod stray() {
    Pod pod = pod("other", KEY);
    pod.getMetadata().setLabels(null);
    return pod;
  }

  private static Pod projected() {
    return new PodBuilder(stray())
        .withSpec(
            new PodSpecBuilder(podSpec("another"))
                .addNewVolume()
                .withName("all")
                .withNewProjected()
                .addNewSource()
                .withNewSecret()
                .withName(KEY)
                .endSecret()
                .endSource()
                .endProjected()
                .endVolume()
                .build())
        .build();
  }

  private static Arguments row(String name, Veto veto, HasMetadata... others) {
    return Arguments.of(name, veto, List.of(others));
  }

  private static Veto inUse(String holder) {
    return Veto.of(NodeReason.IN_USE, "Secret key is used by " + holder, Recheck.UNWATCHED);
  }

  private static Veto first(String elder) {
    return inUse("SeiNode " + elder + ", which is older and takes precedence");
  }

  private static Veto contended() {
    return Veto.of(NodeReason.IN_USE, "Secret key is claimed by SeiNode other", Recheck.RACE);
  }
}
