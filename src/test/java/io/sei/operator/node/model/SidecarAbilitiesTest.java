package io.sei.operator.node.model;

import static io.sei.operator.node.Snapshots.node;
import static io.sei.operator.node.Snapshots.plan;
import static io.sei.operator.node.Snapshots.running;
import static io.sei.operator.node.Snapshots.snapshot;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SidecarStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.node.Snapshots;
import io.sei.operator.testkit.samples.ContainerSample;
import io.sei.operator.testkit.samples.PodSample;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SidecarAbilitiesTest {

  private static final String IMAGE = "seictl:v0.0.70";
  private static final String ID = "seictl@sha256:1";
  private static final String DISCOVER = "discover-peers";
  private static final String TAGS = "{\"sources\":[{\"type\":\"ec2Tags\"}]}";
  private static final String NAMED = "{\"sources\":[{\"type\":\"static\"}]}";

  @Test
  void areNotedForTheImageOfThePod() {
    NodePass pass = reconcile(running("a"), pod(IMAGE, ID));

    SidecarAbilities.addLack(pass, "snapshot-upload-once");
    SidecarAbilities.addLack(pass, DISCOVER);
    SidecarAbilities.addLack(pass, DISCOVER);

    assertThat(pass.draft().sidecar())
        .isEqualTo(new SidecarStatus(IMAGE, ID, List.of(DISCOVER, "snapshot-upload-once")));
    assertThat(SidecarAbilities.can(pass, DISCOVER)).isFalse();
    assertThat(SidecarAbilities.can(pass, "mark-ready")).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "seictl:v0.0.70, seictl@sha256:1, true",
    "seictl:v0.0.70, '', true",
    "seictl:v0.0.70, seictl@sha256:2, false",
    "seictl:v0.0.50, seictl@sha256:1, false"
  })
  void areForgottenWithTheImage(String image, String id, boolean same) {
    NodePass pass = reconcile(knowing(running("a")), pod(image, id));
    assertThat(SidecarAbilities.can(pass, DISCOVER)).isEqualTo(!same);

    SidecarAbilities.dropOtherImage(pass);

    assertThat(pass.draft().sidecar() != null).isEqualTo(same);
  }

  @Test
  void areKeptWhileThereIsNoPod() {
    NodePass pass =
        new NodePass(snapshot(node("a"), knowing(running("a")), Optional.empty(), null));

    SidecarAbilities.dropOtherImage(pass);

    assertThat(pass.draft().sidecar()).isNotNull();
    assertThat(SidecarAbilities.can(pass, DISCOVER)).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        TAGS + " | config-apply | ACTIVE | true",
        NAMED + " | config-apply | ACTIVE | false",
        "{} | config-apply | ACTIVE | false",
        TAGS + " | replace-pod | ACTIVE | false",
        TAGS + " | config-apply | FAILED | false"
      })
  void concernAPlanThatStillHasToSubmitThemToThisPod(
      String params, String before, PlanPhase phase, boolean said) throws JsonProcessingException {
    var given = new ObjectMapper().readTree(params);
    TaskPlan plan = plan(PlanKind.CONFIG, phase, "a", 0, before, DISCOVER);
    TaskPlan withParams =
        plan.withTasks(List.of(plan.tasks().get(0), plan.tasks().get(1).withParams(given)));

    NodePass pass = reconcile(knowing(running("a")).withPlan(withParams), pod(IMAGE, ID));

    assertThat(SidecarAbilities.lackedByPlan(pass))
        .isEqualTo(
            said
                ? Optional.of(
                    "sidecar image seictl:v0.0.70 does not support the task type discover-peers")
                : Optional.empty());
  }

  private static SeiNodeStatus knowing(SeiNodeStatus status) {
    return status.withSidecar(new SidecarStatus(IMAGE, ID, List.of(DISCOVER)));
  }

  private static NodePass reconcile(SeiNodeStatus status, Pod pod) {
    return new NodePass(snapshot(node("a"), status, Optional.of(pod), null));
  }

  private static Pod pod(String image, String imageId) {
    return PodSample.of(Snapshots.pod("a"))
        .initContainer("sei-sidecar", image)
        .initStatuses(ContainerSample.named("sei-sidecar").imageId(imageId).build())
        .build();
  }
}
