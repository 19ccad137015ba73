package io.sei.operator.node.upgrade;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.chain.ChainAnswer;
import io.sei.operator.chain.ChainHead;
import io.sei.operator.chain.ChainState;
import io.sei.operator.chain.UpgradePlan;
import io.sei.operator.diagnosis.UpgradeHalt;
import io.sei.operator.node.feature.AppliedUpgrades;
import io.sei.operator.node.feature.EffectiveNode;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.sidecar.SidecarHealth;
import io.sei.operator.testkit.samples.NodeSample;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Images are named by versions. The spec has image 1, and lists v2 with 2 and v3 with 3. */
class UpgradeEvidenceTest {

  private static final String TRACE = "\n\ngoroutine 1 [running]:\nmain.main()\n";

  /** Forms in which a record shows that its volume went through the upgrade. */
  private static final String NEEDED = "panic: UPGRADE \"v2\" NEEDED at height: 100";

  private static final String MISSING =
      "panic: Wrong app version 1, upgrade handler is missing for v2 upgrade plan";
  private static final String TOO_EARLY =
      "panic: BINARY UPDATED BEFORE TRIGGER! UPGRADE \"v2\" - in binary but not executed on chain";
  private static final String STARTED = "the volume starts at height 150";

  @ParameterizedTest(name = "{0} after {1} on image {2}: {3}")
  @CsvSource({
    "needed,    none,              1, Applied",
    "needed,    none,              2, ''",
    "missing,   none,              1, Applied",
    "missing,   withdrawn,         1, ''",
    "needed,    withdrawn,         1, Applied",
    "too early, none,              1, ''",
    "too early, applied by halt,   2, ''",
    "too early, applied by start,  2, Scheduled",
    "too early, applied as missing,2, Scheduled",
    "needed,    applied by halt,   2, ''",
  })
  void whatBecomesOfTheUpgradeThatSeidNames(
      String said, String recorded, String running, String becomes) {
    Optional<UpgradeStatus> found =
        UpgradeEvidence.of(snapshot(said(said), recorded(recorded), running));

    assertThat(
            found.map(upgrade -> upgrade.state() == UpgradeState.APPLIED ? "Applied" : "Scheduled"))
        .isEqualTo(becomes.isEmpty() ? Optional.empty() : Optional.of(becomes));
    assertThat(found.stream())
        .allMatch(upgrade -> upgrade.name().equals("v2") && upgrade.evidence().equals(said(said)));
  }

  @Test
  void imageThatKnowsAnotherUpgradeTooEarlyIsNotTakenBack() {
    String other = TOO_EARLY.replace("v2", "v3");

    assertThat(UpgradeEvidence.of(snapshot(other, recorded("applied by start"), "2"))).isEmpty();
  }

  @Test
  void haltOfAnotherImageThanTheOneToRunProvesNothing() {
    NodeView halted = snapshot(NEEDED, List.of(), "1");
    Pod other = aPod(aNode("0")).build();

    assertThat(UpgradeEvidence.of(halted.withPod(Optional.of(other)))).isEmpty();
  }

  @Test
  void heightIsTheChainsAndElseThatOfTheEntry() {
    assertThat(UpgradeEvidence.of(snapshot(NEEDED, List.of(), "1")))
        .hasValueSatisfying(upgrade -> assertThat(upgrade.height()).isEqualTo(100));
    assertThat(UpgradeEvidence.of(snapshot(MISSING, List.of(), "1")))
        .hasValueSatisfying(upgrade -> assertThat(upgrade.height()).isEqualTo(99));
  }

  @Test
  void takenBackUpgradeIsAheadAgainAndKeepsItsEvidence() {
    UpgradeStatus back =
        UpgradeEvidence.of(snapshot(TOO_EARLY, recorded("applied by start"), "2")).orElseThrow();
    var records = new AppliedUpgrades(recorded("applied by start")).with(back);

    assertThat(records.effective(node().getSpec()).image()).isEqualTo("1");
    assertThat(records.isWithdrawn("v2")).isTrue();
    assertThat(records.status(node().getSpec(), SeiNodeStatus.empty()))
        .first()
        .satisfies(
            upgrade -> {
              assertThat(upgrade.state()).isEqualTo(UpgradeState.SCHEDULED);
              assertThat(upgrade.evidence()).isEqualTo(TOO_EARLY);
              assertThat(upgrade.reachedAt()).isNull();
            });
  }

  @ParameterizedTest(name = "{0}, {1}, early {2}, after {3}: {4}")
  @CsvSource({
    "ready,   v2 minor,  v2,    none,            v2",
    "unready, v2 minor,  v2,    none,            ''",
    "busy,    v2 minor,  v2,    none,            ''",
    "ready,   v2 major,  v2,    none,            ''",
    "ready,   v3 minor,  v2,    none,            ''",
    "ready,   nothing,   v2,    none,            ''",
    "ready,   v2 minor,  none,  none,            ''",
    "ready,   v2 minor,  v2,    withdrawn,       ''",
    "ready,   v2 minor,  v2,    applied by halt, ''",
    "ready,   v3 minor,  v3,    none,            ''",
    "ready,   v3 minor,  v3,    applied by halt, v3",
    "ready,   v3 minor,  v3,    passed,          v3",
  })
  void minorReleaseRunsBeforeItsHeightOnANodeThatIsUpToDateAndReady(
      String pod, String planned, String early, String recorded, String becomes) {
    boolean isThrough = recorded.startsWith("applied");
    NodeView quiet = snapshot("", recorded(recorded), isThrough ? "2" : "1");
    NodeView view =
        quiet.with(
            builder ->
                builder
                    .effective(
                        new EffectiveNode(
                            quiet.effective().declared(),
                            listingEarly(quiet.node(), early),
                            List.of(),
                            List.of()))
                    .halt(Optional.empty())
                    .pod(
                        quiet
                            .pod()
                            .map(of -> pod.equals("unready") ? of : aPod(of).ready().build()))
                    .chain(planned(planned)));
    if (pod.equals("busy")) {
      view = view.after(aPlan(PlanKind.UPDATE, "1", "mark-ready").build());
    }

    assertThat(UpgradeEvidence.of(view).map(UpgradeStatus::name).orElse("")).isEqualTo(becomes);
  }

  private static SeiNode listingEarly(SeiNode node, String name) {
    List<Upgrade> entries =
        node.getSpec().upgrades().stream()
            .map(
                upgrade ->
                    new Upgrade(
                        upgrade.name(),
                        upgrade.height(),
                        upgrade.image(),
                        upgrade.name().equals(name) ? true : null))
            .toList();
    node.setSpec(node.getSpec().withUpgrades(entries));
    return node;
  }

  private static Optional<ChainState> planned(String plan) {
    String[] words = plan.split(" ");
    Optional<UpgradePlan> planned =
        words.length == 1
            ? Optional.empty()
            : Optional.of(new UpgradePlan(words[0], 100, words[1].equals("minor")));
    var head = new ChainHead("atlantic-2", 10, NodeSample.NOW);
    return Optional.of(ChainState.of(new ChainAnswer(head, planned)));
  }

  private static String said(String kind) {
    return switch (kind) {
      case "needed" -> NEEDED;
      case "missing" -> MISSING;
      default -> TOO_EARLY;
    };
  }

  private static List<UpgradeStatus> recorded(String how) {
    UpgradeStatus v2 =
        UpgradeStatus.scheduled(node().getSpec().upgrades().get(0))
            .with(
                builder ->
                    builder.state(UpgradeState.APPLIED).supersededImage("1").claimUid("claim"));
    return switch (how) {
      case "applied by halt" -> List.of(v2.withEvidence(NEEDED));
      case "applied by start" -> List.of(v2.withEvidence(STARTED));
      case "applied as missing" -> List.of(v2.withEvidence(MISSING));
      case "passed" -> List.of(v2.withState(UpgradeState.PASSED).withSupersededImage(null));
      case "withdrawn" ->
          List.of(
              v2.with(
                  builder ->
                      builder
                          .state(UpgradeState.SCHEDULED)
                          .supersededImage(null)
                          .evidence(TOO_EARLY)));
      default -> List.of();
    };
  }

  private static SeiNode node() {
    return aNode("1")
        .spec(
            spec ->
                spec.withUpgrades(
                    List.of(new Upgrade("v2", 99L, "2", null), new Upgrade("v3", 200L, "3", null))))
        .build();
  }

  private static NodeView snapshot(String said, List<UpgradeStatus> records, String running) {
    SeiNode declared = node();
    declared.setSpec(declared.getSpec().withImage("1"));
    SeiNode effective = node();
    effective.setSpec(effective.getSpec().withImage(running));
    return aNode(effective)
        .status(aNode(running).running().status().withUpgrades(records))
        .withPod(aPod(aNode(running)))
        .sidecar(SidecarHealth.READY)
        .view()
        .with(
            builder ->
                builder
                    .effective(new EffectiveNode(declared, effective, List.of(), List.of()))
                    .halt(UpgradeHalt.in("run", said + TRACE)));
  }
}
