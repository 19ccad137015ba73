package io.sei.operator.diagnosis;

import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.sei.operator.testkit.samples.ContainerSample;
import io.sei.operator.testkit.samples.End;
import io.sei.operator.testkit.samples.SeidDeaths;
import io.sei.operator.testkit.samples.SeidDeaths.Death;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class CrashedRunTest {

  /** Output of seid that died in the replay of the block at which it had halted. */
  private static final Path LOG = Path.of("src/test/resources/kubelet/halt-in-replay.log");

  private static final String PANIC =
      "panic: UPGRADE \"v2\" NEEDED at height: 60: [recovered, repanicked]";

  private static final String RUN = "containerd://2";

  private static Optional<UpgradePanic> panic(Pod pod) {
    return PodFacts.status(pod, "seid").flatMap(PodFacts::upgradePanic);
  }

  @Test
  void messageOfARealHaltDoesNotTellOfIt() throws IOException {
    Pod pod = crashed(2, asTheKubeletCutsIt(Files.readString(LOG)));

    assertThat(panic(pod)).isEmpty();
    assertThat(CrashedRun.unexplained(pod)).isPresent();
  }

  @Test
  void logOfARealHaltTellsOfIt() throws IOException {
    assertThat(LastWords.in(Files.readString(LOG))).map(LastWords::line).contains(PANIC);
  }

  @Test
  void haltIsRecognisedInTheWordsOfTheLog() throws IOException {
    Pod pod = crashed(2, asTheKubeletCutsIt(Files.readString(LOG)));

    Pod told = CrashedRun.of(pod).orElseThrow().withWords(pod, PANIC);

    assertThat(panic(told)).contains(new UpgradePanic(UpgradePanic.Kind.NEEDED, "v2", 60L));
    assertThat(CrashedRun.unexplained(told)).isEmpty();
    assertThat(panic(pod)).isEmpty();
  }

  @Test
  void wordsAreThoseOfOneRun() {
    Pod pod = crashed(2, null);
    CrashedRun other = new CrashedRun("chain", "node-0", "uid", "containerd://1");

    assertThat(other.withWords(pod, PANIC)).isEqualTo(pod);
  }

  @Test
  void shortMessageIsTheWholeLog() {
    assertThat(CrashedRun.unexplained(crashed(1, "Error: unknown flag: --x"))).isEmpty();
    assertThat(CrashedRun.unexplained(crashed(1, "x\n".repeat(80)))).isPresent();
    assertThat(CrashedRun.unexplained(crashed(1, "x".repeat(2048)))).isPresent();
    assertThat(CrashedRun.unexplained(crashed(1, null))).isPresent();
  }

  @Test
  void theLogOfAnErrorThatIsNotKnownIsRead() {
    assertThat(CrashedRun.unexplained(crashed(1, "Error: something new"))).isPresent();
    assertThat(CrashedRun.unexplained(crashed(0, "something new"))).isEmpty();
  }

  /** Containers beside seid, which webhooks, kubectl debug and the operator itself add. */
  private enum Others {
    INJECTED,
    INIT,
    EPHEMERAL,
    OF_EACH_KIND
  }

  static Stream<Arguments> largePods() {
    return Stream.of(Others.values())
        .flatMap(others -> Stream.of(7, 10, 16).map(count -> Arguments.of(count, others)));
  }

  static Stream<Arguments> deathsOfLargePods() {
    return largePods()
        .flatMap(
            pod -> SeidDeaths.all().map(death -> Arguments.of(pod.get()[0], pod.get()[1], death)));
  }

  /** 1,755, 1,228 and 768 bytes are left of a message, whose end is cut off. */
  @ParameterizedTest
  @MethodSource("deathsOfLargePods")
  void aMessageThatManyContainersHaveCutIsTheDeathsOrUnexplained(
      int containers, Others others, Death death) {
    String left = asOneOf(containers, asTheKubeletCutsIt(death.log()));
    Pod pod = withContainers(containers, others, crashed(death.exit(), left));

    if (CrashedRun.unexplained(pod).isEmpty()) {
      assertThat(left).contains(death.line());
    }
    assertThat(CrashedRun.mayHaveLogged(pod, death.log())).isTrue();
  }

  @ParameterizedTest
  @MethodSource("largePods")
  void aHaltOfALargePodIsProvenByItsLogOnly(int containers, Others others) throws IOException {
    String trace = PANIC + "\n\ngoroutine 1 [running]:\n" + "main.run()\n".repeat(170);
    for (String log : List.of(trace, Files.readString(LOG))) {
      String left = asOneOf(containers, asTheKubeletCutsIt(log));
      Pod pod = withContainers(containers, others, crashed(2, left));

      assertThat(CrashedRun.halt(pod)).isEmpty();
      CrashedRun run = CrashedRun.unexplained(pod).orElseThrow();
      assertThat(CrashedRun.mayHaveLogged(pod, log)).isTrue();
      assertThat(panic(run.withWords(pod, LastWords.in(log).orElseThrow().line())))
          .map(UpgradePanic::upgrade)
          .contains("v2");
    }
  }

  private static String asOneOf(int containers, String message) {
    byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
    return new String(
        Arrays.copyOf(bytes, Math.min(bytes.length, 12 * 1024 / containers)),
        StandardCharsets.UTF_8);
  }

  private static Pod withContainers(int count, Others others, Pod pod) {
    var spec = new PodSpecBuilder().addNewContainer().withName("seid").endContainer();
    for (int i = 1; i < count; i++) {
      String name = "other-" + i;
      switch (others == Others.OF_EACH_KIND ? Others.values()[i % 3] : others) {
        case INIT -> spec.addNewInitContainer().withName(name).endInitContainer();
        case EPHEMERAL -> spec.addNewEphemeralContainer().withName(name).endEphemeralContainer();
        default -> spec.addNewContainer().withName(name).endContainer();
      }
    }
    pod.setSpec(spec.build());
    return pod;
  }

  @Test
  void endOfALogProvesNoUpgradeForItMayBeginInTheMiddleOfAPanic() {
    String trace = "\n\ngoroutine 1 [running]:\n";
    Pod whole = crashed(2, PANIC + trace);
    Pod end = crashed(2, PANIC + trace + "x".repeat(2048));

    assertThat(CrashedRun.halt(whole)).isPresent();
    assertThat(CrashedRun.unexplained(whole)).isEmpty();
    assertThat(CrashedRun.halt(end)).isEmpty();
    assertThat(CrashedRun.unexplained(end)).isPresent();
    assertThat(panic(end)).as("told").isPresent();
  }

  @Test
  void ofALogThatCannotBeReadTheMessageIsQuoted() {
    Pod halted = crashed(2, PANIC + "\n\ngoroutine 1 [running]:\n" + "x".repeat(2048));
    Pod usage = crashed(1, "      --flag\n".repeat(200));

    assertThat(message(CrashedRun.of(halted).orElseThrow().unread(halted, "forbidden")))
        .isEqualTo(PANIC + "; its log cannot be read: forbidden");
    assertThat(panic(CrashedRun.of(halted).orElseThrow().unread(halted, "forbidden"))).isPresent();
    assertThat(message(CrashedRun.of(usage).orElseThrow().unread(usage, "forbidden")))
        .isEqualTo("its log cannot be read: forbidden");
  }

  private static String message(Pod pod) {
    return PodFacts.status(pod, "seid")
        .flatMap(PodFacts::lastEnd)
        .map(ContainerStateTerminated::getMessage)
        .orElseThrow();
  }

  @Test
  void onlyARunOfSeidThatFailedProvesAnUpgrade() {
    String words = PANIC + "\n\ngoroutine 1 [running]:\n";

    assertThat(CrashedRun.halt(crashed(2, words))).isPresent();
    assertThat(CrashedRun.halt(crashed(0, words))).isEmpty();
    assertThat(CrashedRun.halt(container("sei-sidecar", crashed(2, words)))).isEmpty();
  }

  private static Pod container(String name, Pod pod) {
    pod.getStatus().getContainerStatuses().get(0).setName(name);
    return pod;
  }

  @Test
  void exitWithoutAnErrorIsExplainedUnlessThePodIsBeingDeleted() {
    Pod pod = crashed(0, null);
    Pod deleted = aPod(pod).terminating(Instant.EPOCH).build();

    assertThat(CrashedRun.unexplained(pod)).isPresent();
    assertThat(CrashedRun.of(deleted)).isEmpty();
  }

  @Test
  void containerThatIsReadyAgainIsNotAskedAbout() {
    Pod pod = seid(status -> status.ready().lastEnd(End.exit(2, null).ofRun(RUN)));

    assertThat(CrashedRun.of(pod)).isEmpty();
  }

  @Test
  void logIsThePreviousOneWhereTheContainerRunsAgain() {
    Pod running = seid(ContainerSample::running);

    assertThat(CrashedRun.runsAgain(running)).isTrue();
    assertThat(CrashedRun.runsAgain(crashed(2, null))).isFalse();
  }

  private static String asTheKubeletCutsIt(String log) {
    byte[] bytes = log.getBytes(StandardCharsets.UTF_8);
    byte[] last = Arrays.copyOfRange(bytes, Math.max(0, bytes.length - 2048), bytes.length);
    return new String(last, StandardCharsets.UTF_8);
  }

  private static Pod crashed(int exitCode, String message) {
    return seid(status -> status.ended(End.exit(exitCode, message).ofRun(RUN)));
  }

  private static Pod seid(Consumer<ContainerSample> change) {
    return aPod("node-0").namespace("chain").uid("uid").status("seid", change).build();
  }
}
