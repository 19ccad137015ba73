package io.sei.operator.node.feature;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SidecarStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.testkit.samples.ContainerSample;
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
    NodePass pass = reconcile(aNode("a").running().status(), pod(IMAGE, ID));

    SidecarAbilities.addLack(pass, "snapshot-upload-once");
    SidecarAbilities.addLack(pass, DISCOVER);
    SidecarAbilities.addLack(pass, DISCOVER);

    assertThat(pass.draft().sidecar())
        .isEqualTo(new SidecarStatus(IMAGE, ID, List.of(DISCOVER, "snapshot-upload-once")));
    NodeView next = pass.drafted();
    assertThat(SidecarAbilities.can(next, DISCOVER)).isFalse();
    assertThat(SidecarAbilities.can(next, "mark-ready")).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "seictl:v0.0.70, seictl@sha256:1, true",
    "seictl:v0.0.70, '', true",
    "seictl:v0.0.70, seictl@sha256:2, false",
    "seictl:v0.0.50, seictl@sha256:1, false"
  })
  void areForgottenWithTheImage(String image, String id, boolean same) {
    NodePass pass = reconcile(knowing(aNode("a").running().status()), pod(image, id));
    assertThat(SidecarAbilities.can(pass.view(), DISCOVER)).isEqualTo(!same);

    SidecarAbilities.dropOtherImage(pass);

    assertThat(pass.draft().sidecar() != null).isEqualTo(same);
  }

  @Test
  void areKeptWhileThereIsNoPod() {
    NodePass pass = aNode("a").status(knowing(aNode("a").running().status())).pass();

    SidecarAbilities.dropOtherImage(pass);

    assertThat(pass.draft().sidecar()).isNotNull();
    assertThat(SidecarAbilities.can(pass.view(), DISCOVER)).isTrue();
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
    TaskPlan plan = aPlan(PlanKind.CONFIG, "a", before, DISCOVER).phase(phase).build();
    TaskPlan withParams =
        plan.withTasks(List.of(plan.tasks().get(0), plan.tasks().get(1).withParams(given)));

    NodePass pass =
        reconcile(knowing(aNode("a").running().status()).withPlan(withParams), pod(IMAGE, ID));

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
    return aNode("a").status(status).withPod(pod).pass();
  }

  private static Pod pod(String image, String imageId) {
    return aPod(aNode("a"))
        .initContainer("sei-sidecar", image)
        .initStatuses(ContainerSample.named("sei-sidecar").imageId(imageId).build())
        .build();
  }
}
