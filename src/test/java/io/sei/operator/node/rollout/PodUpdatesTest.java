package io.sei.operator.node.rollout;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PodUpdate;
import io.sei.operator.api.v1alpha1.PodUpdate.How;
import io.sei.operator.api.v1alpha1.PodUpdate.ResizedContainer;
import io.sei.operator.api.v1alpha1.PodUpdateBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.UpdatePolicy;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.status.RestartExplanation;
import io.sei.operator.reconcile.EventRule;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.samples.NodeSample;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Events, conditions and explanations of updates in place. */
class PodUpdatesTest {

  private static final PodUpdate RECORDED =
      PodUpdateBuilder.builder()
          .podUid("pod-1")
          .how(How.IN_PLACE)
          .revision("node-2")
          .specHash(aNode("sei:b").specHash())
          .from("sei:a")
          .to("sei:b")
          .at(NodeSample.NOW)
          .build();
  private static final PodUpdate CHANGED = RECORDED.withChangedAt(NodeSample.NOW);
  private static final PodUpdate REPLACED =
      RECORDED.givenUp("NotPossible", "its configuration changes");

  private final PodUpdates updates = updates(false);

  @Test
  void updateInPlaceIsAnEventOnceItsPlanIsComplete() {
    SeiNodeStatus recorded = SeiNodeStatus.empty().withPodUpdate(RECORDED);
    SeiNodeStatus changed = SeiNodeStatus.empty().withPodUpdate(CHANGED);
    TaskPlan plan = aPlan(PlanKind.UPDATE, "sei:b", "x").build();
    TaskPlan another = aPlan(PlanKind.MARK_READY, "sei:b", "x").build();

    assertThat(told(SeiNodeStatus.empty(), recorded.withPlan(plan))).isEmpty();
    assertThat(told(recorded.withPlan(plan), changed.withPlan(plan))).isEmpty();
    assertThat(told(changed.withPlan(plan), changed))
        .containsExactly("changed in place: image sei:a -> sei:b");
    assertThat(told(changed.withPlan(another), changed)).isEmpty();
    assertThat(told(changed, SeiNodeStatus.empty())).isEmpty();
  }

  @Test
  void replacementIsAnEventWithItsCause() {
    String text = "not changed in place: image sei:a -> sei:b: its configuration changes";

    assertThat(told(null, REPLACED)).containsExactly(text);
    assertThat(told(CHANGED, REPLACED)).containsExactly(text);
    assertThat(told(REPLACED, REPLACED)).isEmpty();
  }

  @Test
  void resourcesAreNamedWithOrWithoutImages() {
    PodUpdate both =
        CHANGED.withResized(
            List.of(
                new ResizedContainer(
                    "seid",
                    Map.of("requests.cpu", "4", "limits.memory", "32Gi"),
                    Map.of("requests.cpu", "6"))));
    PodUpdate alone = both.withFrom(null).withTo(null);
    SeiNodeStatus planned =
        SeiNodeStatus.empty().withPlan(aPlan(PlanKind.UPDATE, "sei:b", "x").build());
    String resources = "limits.memory of seid 32Gi -> none, requests.cpu of seid 4 -> 6";

    assertThat(told(planned.withPodUpdate(both), SeiNodeStatus.empty().withPodUpdate(both)))
        .containsExactly("changed in place: image sei:a -> sei:b, " + resources);
    assertThat(told(planned.withPodUpdate(alone), SeiNodeStatus.empty().withPodUpdate(alone)))
        .containsExactly("changed in place: " + resources);
    assertThat(told(null, alone.givenUp("PodPatchRefused", "no")))
        .containsExactly("not changed in place: " + resources + ": no");
    assertThat(told(null, REPLACED.withTo("sei:a")))
        .containsExactly("not changed in place: its configuration changes");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "false | none     | none",
        "true  | none     | in place if nothing but images and resources differs",
        "true  | changed  | in place",
        "true  | replaced | in a new pod: its configuration changes",
      })
  void explanationNamesTheWayOfTheUpdate(boolean wanted, String update, String text) {
    NodePass pass = pass(wanted, update(update));
    pass.node().getMetadata().setAnnotations(Map.of(Annotations.EXPLAIN, "1"));

    assertThat(RestartExplanation.of(pass).nodes().getFirst().reason())
        .isEqualTo("image sei:a -> sei:b" + (text.equals("none") ? "" : ", " + text));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "NotPossible       | True  | InPlaceIfPossible | images and resources are changed",
        "ImagePull         | True  | InPlaceIfPossible | images and resources are changed",
        "PodPatchForbidden | False | PodPatchForbidden | words; grant the operator the right",
        "PodPatchRefused   | False | PodPatchRefused   | words; the pod was deleted instead",
        "PodPatchChanged   | False | PodPatchChanged   | words; the pod was deleted instead",
      })
  void conditionNamesWhatPreventsAnUpdateInPlace(
      String reason, String status, String conditionReason, String message) {
    NodePass pass = pass(true, RECORDED.givenUp(reason, "words"));

    updates.report(pass);

    assertThat(Conditions.find(pass.draft().conditions(), NodeConditionType.UPDATES_IN_PLACE))
        .hasValueSatisfying(
            condition -> {
              assertThat(condition.status().toString()).isEqualTo(status);
              assertThat(condition.reason()).isEqualTo(conditionReason);
              assertThat(condition.message()).startsWith(message);
            });
  }

  @ParameterizedTest
  @CsvSource({
    "false,                  , ",
    "true,                   , IN_PLACE_IF_POSSIBLE",
    "true,  RECREATE, RECREATE",
    "false, IN_PLACE_IF_POSSIBLE, IN_PLACE_IF_POSSIBLE",
  })
  void nodeWithoutAPolicyIsUpdatedByTheOperatorsDefault(
      boolean byDefault, UpdatePolicy.OfPod asked, UpdatePolicy.OfPod updated) {
    SeiNodeSpec spec =
        aNode("sei:b")
            .build()
            .getSpec()
            .withUpdatePolicy(asked == null ? null : new UpdatePolicy(asked, null));

    assertThat(
            updates(byDefault).overlay(spec, SeiNodeStatus.empty(), Optional.empty()).podUpdates())
        .isEqualTo(Optional.ofNullable(updated));
  }

  @Test
  void nodeThatDoesNotAskHasNoCondition() {
    NodePass pass = pass(false, null);

    updates.report(pass);

    assertThat(Conditions.find(pass.draft().conditions(), NodeConditionType.UPDATES_IN_PLACE))
        .isEmpty();
  }

  private static PodUpdate update(String name) {
    return switch (name) {
      case "changed" -> CHANGED;
      case "replaced" -> REPLACED;
      default -> null;
    };
  }

  private List<String> told(PodUpdate before, PodUpdate after) {
    SeiNodeStatus status = SeiNodeStatus.empty();
    return told(status.withPodUpdate(before), status.withPodUpdate(after));
  }

  private List<String> told(SeiNodeStatus before, SeiNodeStatus after) {
    return EventRule.told(NodeFeature.conditionsOf(List.of(updates)).events(), before, after)
        .stream()
        .map(ObjectEvent::message)
        .toList();
  }

  private static NodePass pass(boolean wanted, PodUpdate update) {
    NodeSample node =
        aNode("sei:a")
            .running()
            .status(status -> status.withPodUpdate(update))
            .withPod()
            .image("sei:b");
    var inPlace = new UpdatePolicy(UpdatePolicy.OfPod.IN_PLACE_IF_POSSIBLE, null);
    return (wanted ? node.spec(spec -> spec.withUpdatePolicy(inPlace)) : node).pass();
  }

  private static PodUpdates updates(boolean byDefault) {
    var backOffs =
        new RestartBackOffs(node -> Optional.empty(), new PerObjectState<>(), pod -> false);
    return new PodUpdates(null, null, null, null, null, backOffs, null, byDefault);
  }
}
