package io.sei.operator.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Maintenance;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeTaskReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.api.v1alpha1.SeiNodeTaskStatus;
import io.sei.operator.api.v1alpha1.SigningElsewhere;
import io.sei.operator.api.v1alpha1.TaskPlanBuilder;
import io.sei.operator.api.v1alpha1.UnreadConfig;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.samples.Samples;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Decides when a task may end a run of seid, and when it has done so. */
class SeidRestartRequestTest {

  private static final Instant NOW = Instant.parse("2026-11-26T09:00:00Z");
  private static final UnreadConfig RUN = new UnreadConfig("c", NOW, null, null, "id");
  private static final SeidRestartRequest END = new SeidRestartRequest();

  static Stream<Arguments> refused() {
    return Stream.of(
        Arguments.of(
            spec().withMaintenance(new Maintenance(Maintenance.Hold.AFTER_EXIT)), status(), "held"),
        Arguments.of(
            spec(),
            status().withSigningElsewhere(new SigningElsewhere(null, NOW, null)),
            "something else signs"),
        Arguments.of(spec().withDataResetGeneration(1L), status(), "to be wiped"));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void whatAPersonKeepsFromStartingIsNotStarted(
      SeiNodeSpec spec, SeiNodeStatus status, String why) {
    for (NodeWork work : List.of(END, new ReadyRequest())) {
      assertThat(work.refusal(target(spec, status)))
          .hasValueSatisfying(
              ended -> {
                assertThat(ended.reason()).isEqualTo(NodeTaskReason.TASK_TERMINAL_ERROR);
                assertThat(ended.message()).contains(why, "node");
              });
    }
    assertThat(END.refusal(target(spec(), status()))).isEmpty();
  }

  static Stream<Arguments> waiting() {
    return Stream.of(
        Arguments.of(
            "at risk",
            status()
                .withConditions(
                    List.of(condition(NodeConditionType.DATA_VOLUME_AT_RISK, "claim goes")))),
        Arguments.of("restart seid already", status().withUnreadConfig(RUN)),
        Arguments.of(
            "is under way",
            status()
                .withPlan(
                    TaskPlanBuilder.builder()
                        .phase(PlanPhase.ACTIVE)
                        .kind(PlanKind.UPDATE)
                        .build())));
  }

  @ParameterizedTest
  @MethodSource("waiting")
  void aNodeThatIsBusyOrAtRiskIsWaitedFor(String why, SeiNodeStatus status) {
    Target target = target(spec(), status);

    assertThat(END.obstacle(target, "id"))
        .hasValueSatisfying(text -> assertThat(text).contains(why));
    target.node().getMetadata().setAnnotations(Map.of(Annotations.SEID_RESTART, "id"));
    assertThat(END.obstacle(target, "id")).as("it was given it").isEmpty();
  }

  @ParameterizedTest(name = "annotation {0}, acted on {1}, under way {2}: {3}")
  @CsvSource({
    "id,    ,      false, Running",
    "id,    id,    true,  Running",
    "id,    id,    false, TaskComplete",
    "other, other, true,  TaskComplete",
    "other, id,    false, TaskComplete",
    ",      ,      false, TaskFailed"
  })
  void itIsDoneOnceThatRunIsOver(String asked, String taken, boolean underWay, String progress) {
    UnreadConfig run = "other".equals(asked) ? RUN.withRequest("other") : RUN;
    Target target =
        target(
            spec(),
            status()
                .with(builder -> builder.seidRestart(taken).unreadConfig(underWay ? run : null)));
    target
        .node()
        .getMetadata()
        .setAnnotations(asked == null ? Map.of() : Map.of(Annotations.SEID_RESTART, asked));

    assertThat(describe(END.progress(target, "id"))).isEqualTo(progress);
  }

  @ParameterizedTest(name = "of a fleet {0}, requested {1}, granted {2}: {3}, patches {4}")
  @CsvSource({
    "false, ,      ,   ,                   seid-restart",
    "false, other, ,   ,                   seid-restart",
    "false, ,      id, ,                   ",
    "true,  ,      ,   ,                   seid-restart-requested",
    "true,  id,    ,   fleet fleet waits,  ",
    "true,  other, ,   another task,       ",
    "true,  ,      id, ,                   ",
  })
  void aNodeOfAFleetIsRestartedOnceItsFleetGrantsThat(
      boolean isOfFleet, String requested, String granted, String obstacle, String patched) {
    Target alone = target(spec(), status().withSeidRestart("id".equals(granted) ? "id" : null));
    var annotations = new HashMap<String, String>();
    annotations.put(Annotations.SEID_RESTART_REQUESTED, requested);
    annotations.put(Annotations.SEID_RESTART, granted);
    annotations.values().removeIf(Objects::isNull);
    alone.node().getMetadata().setAnnotations(annotations);
    Target target =
        isOfFleet
            ? new Target(
                alone.node(), alone.pod(), alone.claimUid(), Optional.of("fleet fleet waits"))
            : alone;

    if (obstacle != null) {
      assertThat(END.obstacle(target, "id"))
          .hasValueSatisfying(message -> assertThat(message).startsWith(obstacle));
      return;
    }
    assertThat(END.obstacle(target, "id")).isEmpty();
    Optional<String> patch =
        END.isGranted(target, "id")
            ? END.patch(target, "id")
            : END.request(target, "id").or(() -> END.patch(target, "id"));
    assertThat(patch.isPresent()).isEqualTo(patched != null);
    patch.ifPresent(json -> assertThat(json).contains("\"sei.io/%s\":\"id\"".formatted(patched)));
  }

  /** The node may be in another phase by then, and the time to wait for that phase be over. */
  @Test
  void aGrantedRestartIsRecordedWhateverStateTheNodeIsIn() {
    SeiNodeTask task = Tasks.restart("ns", "restart", "node");
    Target target = target(spec(), status().withPhase(NodePhase.FAILED));
    SeiNodeTaskStatus waiting = SeiNodeTaskStatus.empty().withStartedAt(NOW.minusSeconds(9_999));

    assertThat(TaskRules.next(task, waiting, Optional.of(target), NOW))
        .isInstanceOf(TaskStep.Fail.class);
    target
        .node()
        .getMetadata()
        .setAnnotations(Map.of(Annotations.SEID_RESTART, TaskRules.id(task)));
    assertThat(TaskRules.next(task, waiting, Optional.of(target), NOW))
        .isInstanceOf(TaskStep.Give.class);
  }

  @Test
  void aMarkIsDoneOnceTheSidecarLetsSeidRun() {
    UnaryOperator<SeiNodeStatus> ready =
        status -> status.withConditions(List.of(condition(NodeConditionType.SIDECAR_READY, "")));
    var mark = new ReadyRequest();

    assertThat(describe(mark.progress(target(spec(), status()), "id"))).isEqualTo("Running");
    assertThat(describe(mark.progress(target(spec(), ready.apply(status())), "id")))
        .isEqualTo("TaskComplete");
    SeiNodeSpec held = spec().withMaintenance(new Maintenance(Maintenance.Hold.IMMEDIATE));
    assertThat(describe(mark.progress(target(held, ready.apply(status())), "id")))
        .isEqualTo("TaskFailed");
  }

  private static String describe(NodeTaskOutcome.Once outcome) {
    return outcome instanceof NodeTaskOutcome.Ended ended ? ended.reason().toString() : "Running";
  }

  @ParameterizedTest(name = "{0}, {1}: {2}")
  @CsvSource({
    "well,       ,        has yet to grant it",
    "well,       it waits, has yet to grant it: it waits",
    "unreadable, it waits, cannot be read: spec is too large",
  })
  void aTaskNamesWhatItsFleetWaitsFor(String state, String obstacle, String message) {
    SeiNodeDeployment fleet =
        Samples.yaml(SeiNodeDeployment.class, "{metadata: {name: fleet}, spec: {replicas: 3}}");
    if (state.equals("unreadable")) {
      Samples.unreadable(fleet, "spec").setSpec(null);
    }

    assertThat(Targets.describe(fleet, Optional.ofNullable(obstacle)))
        .isEqualTo("fleet fleet " + message);
  }

  /** The task would never end otherwise; a conflict means that the fleet has just granted it. */
  @ParameterizedTest(name = "removal answered {0}: the task goes on {1}")
  @CsvSource({"403, false", "422, false", "409, true"})
  void aRequestThatMayNotBeRemovedDoesNotKeepItsTaskFromItsEnd(int answer, boolean goesOn)
      throws IOException {
    SeiNodeTask task = Tasks.restart("ns", "restart", "node");
    Target target = target(spec(), status());
    target
        .node()
        .getMetadata()
        .setAnnotations(Map.of(Annotations.SEID_RESTART_REQUESTED, TaskRules.id(task)));
    var asked = new AtomicInteger();
    var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          asked.incrementAndGet();
          exchange.sendResponseHeaders(answer, -1);
          exchange.close();
        });
    server.start();
    String url = "http://localhost:" + server.getAddress().getPort();
    try (KubernetesClient client =
        new KubernetesClientBuilder()
            .withConfig(new ConfigBuilder(Config.empty()).withMasterUrl(url).build())
            .build()) {
      var tasks = new TaskController(new KubeApi(client), null, null, null, null, null);
      ThrowingCallable removal = () -> tasks.withdraw(task, Optional.of(target));

      if (goesOn) {
        assertThatThrownBy(removal).isInstanceOf(KubernetesClientException.class);
      } else {
        assertThatCode(removal).doesNotThrowAnyException();
      }
    } finally {
      server.stop(0);
    }
    assertThat(asked).hasValue(1);
  }

  private static Pod ready(String name) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withNewStatus()
        .addNewCondition()
        .withType("Ready")
        .withStatus("True")
        .endCondition()
        .endStatus()
        .build();
  }

  private static Condition condition(NodeConditionType type, String message) {
    return new Condition(type.toString(), ConditionStatus.TRUE, 1L, NOW, "Reason", message);
  }

  private static SeiNodeSpec spec() {
    return Samples.fullNode("sei:a");
  }

  private static SeiNodeStatus status() {
    return SeiNodeStatus.empty().withPhase(NodePhase.RUNNING);
  }

  private static Target target(SeiNodeSpec spec, SeiNodeStatus status) {
    SeiNode node = Samples.node("ns", "node", spec);
    node.setStatus(status);
    return new Target(node, Optional.of(ready("node-0")), Optional.of("c"), Optional.empty());
  }
}
