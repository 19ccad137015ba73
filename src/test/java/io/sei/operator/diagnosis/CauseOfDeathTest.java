package io.sei.operator.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateTerminatedBuilder;
import io.sei.operator.diagnosis.CauseOfDeath.Line;
import io.sei.operator.testkit.samples.SeidDeaths;
import io.sei.operator.testkit.samples.SeidDeaths.Death;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class CauseOfDeathTest {

  private static final String NOISE =
      "time=2026-11-25T09:00:03Z level=ERROR msg=\"dial: connection refused\" logger=p2p\n"
          + "time=2026-11-25T09:00:03Z level=INFO msg=\"no space left on device\" logger=x\n";

  /** Forms of other lines of the log, by the version and the settings of seid. */
  private static final List<String> FORMATS =
      List.of(
          NOISE,
          "{\"time\":\"2026\",\"level\":\"ERROR\",\"msg\":\"panic: address already in use\"}\n",
          "6:02AM ERR Error: no space left on device module=p2p\n",
          "\u001b[90m1:50AM\u001b[0m \u001b[1m\u001b[31mERR\u001b[0m\u001b[0m no space left\n");

  static Stream<Death> causes() {
    return SeidDeaths.causes();
  }

  @ParameterizedTest
  @MethodSource("causes")
  void realLineIsToldByName(Death death) {
    assertIsOf(death, death.log());
  }

  /** Panics and errors come through another pipe than the log, so lines of it follow them. */
  @ParameterizedTest
  @MethodSource("causes")
  void otherLinesOfTheLogChangeNothing(Death death) {
    for (String format : FORMATS) {
      assertIsOf(death, format.repeat(3) + death.log() + format);
      assertIsOf(death, format + death.line() + "\n" + format + death.after());
    }
  }

  @ParameterizedTest
  @MethodSource("causes")
  void goroutinesChangeNothing(Death death) {
    String goroutine = "goroutine %d [select]:\nmain.run()\n\tmain.go:1 +0x1d\ncreated by main\n\n";
    String all =
        IntStream.range(2, 5000).mapToObj(goroutine::formatted).collect(Collectors.joining());

    assertIsOf(death, death.log() + "\n" + all);
  }

  /** The kubelet keeps the end of the log, with or without the line. */
  @ParameterizedTest
  @MethodSource("causes")
  void cutMessageTellsTheSameOrNothing(Death death) {
    String log = death.log();
    String cut = log.substring(Math.max(0, log.length() - 2048));

    assertThat(CauseOfDeath.of(end(death.exit(), cut)).reason())
        .isEqualTo(
            cut.contains("\n" + death.line()) ? death.reason() : CauseOfDeath.CRASH_LOOP.reason());
  }

  @ParameterizedTest
  @MethodSource("causes")
  void whatIsLeftOfAPanicIsNotCertain(Death death) {
    String cut = "{\"level\":\"INFO\",\"msg\":\"" + death.line().substring(4);
    ContainerStateTerminated end = end(2, cut + "\n\ngoroutine 1 [running]:\nmain.main()\n");

    assertThat(CauseOfDeath.isCertain(end)).isFalse();
  }

  /** Every row needs a recorded death, or a source that prints it. */
  @ParameterizedTest
  @EnumSource(
      value = CauseOfDeath.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = "WAITING_OUT_OWN_SIGNATURES")
  void everyLineOfTheTableIsOfARealDeath(CauseOfDeath cause) {
    List<Death> deaths =
        SeidDeaths.all().filter(death -> death.reason() == cause.reason()).toList();

    assertThat(deaths).isNotEmpty();
    assertThat(cause.lines())
        .allSatisfy(
            line -> {
              assertThat(line.source()).isNotBlank();
              assertThat(deaths).anyMatch(death -> isIn(line, death));
            });
  }

  /** Lines that public reports quote, each with its right reason. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          DataCorrupt         | Error: pebble/table: invalid table 000042 (checksum mismatch at 0/4096)
          DataCorrupt         | Error: error creating node: genesis.json: invalid character '\\x00' looking for beginning
          DataCorrupt         | panic: DataCorruptionError[failed to read length]
          DataCorrupt         | panic: fail to load memiavl: corrupted snapshot, version file
          DataLocked          | panic: fail to lock db: file lock unavailable
          DiskFailing         | Error: read /sei/data/x.sst: input/output error
          DiskFailing         | panic: open /sei/data/LOCK: read-only file system
          MachineLimitReached | Error: open /sei/data/x.ldb: too many open files
          MachineLimitReached | fatal error: newosproc
          MachineLimitReached | runtime/cgo: pthread_create failed: Resource temporarily unavailable
          NameNotResolved     | Error: lookup n1.example on 10.0.0.10:53: no such host
          RuntimeCrash        | SIGILL: illegal instruction
          RuntimeCrash        | SIGSEGV: segmentation violation
          RuntimeCrash        | SIGBUS: bus error
          RuntimeCrash        | SIGFPE: floating-point exception
          RuntimeCrash        | SIGTRAP: trace trap
          RuntimeCrash        | SIGSYS: bad system call
          ConfigInvalid       | Error: invalid SC write mode: cosmos_only
          ConfigInvalid       | panic: error reading EVM config due to x
          ConfigInvalid       | Error: set min gas price in app.toml or flag or env variable
          ConfigInvalid       | Error: error in config file: error in [p2p] section: x
          ConfigInvalid       | Error: error creating node: invalid peer address "x"
          ConfigInvalid       | panic: Config validation failed, SeiDB SS store needs to be enabled
          PortTaken           | Error: failed to listen on 0.0.0.0:26657: bind: address already in use
          DataCorrupt         | panic: failed to open PebbleDB: pebble: malformed manifest file "x"
          DataCorrupt         | Error: initialize statestore: corrupted or incomplete CURRENT file
          FilesMissing        | Error: couldn't read GenesisDoc file: open /sei/config/genesis.json: no such file or directory
          """)
  void aLineThatWasReportedIsToldByName(String reason, String line) {
    assertThat(CauseOfDeath.of(end(1, line + "\n\ngoroutine 1 [running]:\n")).reason())
        .hasToString(reason);
    assertThat(CauseOfDeath.proofOf(line)).isPresent();
  }

  private static boolean isIn(Line line, Death death) {
    return line.words().matcher(death.line()).find();
  }

  @Test
  void nobodyIsAdvisedToRollBackWhatARollbackHarms() {
    assertThat(CauseOfDeath.values())
        .filteredOn(cause -> cause.rollback() == CauseOfDeath.Rollback.HARMFUL)
        .filteredOn(cause -> cause.advice() != null)
        .allMatch(cause -> cause.advice().matches(".*(?:whatever the image|do not roll).*"));
  }

  /** A reset of a node without a snapshot replays its chain. */
  @ParameterizedTest
  @EnumSource(names = {"APP_HASH_MISMATCH", "DATA_CORRUPT", "DISK_FAILING"})
  void adviceAboutDamagedDataNamesTheImageOfAReplay(CauseOfDeath cause) {
    assertThat(cause.advice())
        .contains("raise spec.dataResetGeneration")
        .contains("replays from genesis the image of that time");
  }

  @Test
  void adviceAboutPeersNamesWhatStateSyncAsksInTheirPlace() {
    assertThat(CauseOfDeath.PEERS_NONE.advice()).contains("spec.peers").contains("rpcServers");
  }

  /** Advice that is cut loses its end. */
  @ParameterizedTest
  @EnumSource
  void adviceIsNotCutForANodeOfAFleetWithALongName(CauseOfDeath cause) {
    var finding = Finding.of(cause.reason(), "seen", String.valueOf(cause.advice()));

    assertThat(finding.onNodeOf("f".repeat(63)).nextStep())
        .hasSizeLessThanOrEqualTo(Finding.MAX_MESSAGE / 2);
  }

  /** Words of the table in lines that are no end of a run, and any other text. */
  @RepeatedTest(200)
  @Timeout(value = 10, unit = TimeUnit.SECONDS)
  void randomTextProvesNothing(RepetitionInfo repetition) {
    var random = new Random(repetition.getCurrentRepetition());
    List<String> words =
        SeidDeaths.causes().map(Death::line).map(line -> line.substring(1)).toList();
    String text =
        IntStream.range(0, random.nextInt(400))
            .mapToObj(
                i ->
                    switch (random.nextInt(4)) {
                      case 0 -> "INF " + words.get(random.nextInt(words.size())) + "\n";
                      case 1 -> Character.toString(random.nextInt(Character.MAX_CODE_POINT));
                      case 2 -> "x".repeat(random.nextInt(5000));
                      default -> random.nextBoolean() ? "\n" : "goroutine 1 [running]:\n";
                    })
            .collect(Collectors.joining());
    ContainerStateTerminated end = end(random.nextInt(256), text);

    assertThat(CauseOfDeath.of(end)).isNotNull();
    assertThat(CauseOfDeath.isCertain(end)).isFalse();
  }

  private static void assertIsOf(Death death, String log) {
    ContainerStateTerminated end = end(death.exit(), log);

    assertThat(CauseOfDeath.of(end).reason()).isEqualTo(death.reason());
    assertThat(CauseOfDeath.isCertain(end)).isTrue();
    String line = LastWords.in(log).orElseThrow().line();
    assertThat(CauseOfDeath.of(end(death.exit(), line)).reason()).isEqualTo(death.reason());
  }

  private static ContainerStateTerminated end(int exit, String message) {
    return new ContainerStateTerminatedBuilder().withExitCode(exit).withMessage(message).build();
  }
}
