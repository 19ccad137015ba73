package io.sei.operator.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sei.operator.testkit.Invariants;
import io.sei.operator.testkit.RandomActions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Things happen at random for a while; then the weather is fair, and all must come right. */
final class SoakRun {

  private static final Duration LONGEST_PAUSE = Duration.ofMillis(1500);
  private static final Duration QUIET = Duration.ofSeconds(3);

  private final SoakWorld world;
  private final Random random;
  private final People people;
  private final Administrators administrators;
  private final Weather weather;
  private final Witness witness;
  private final RandomActions actions;
  private final Consumer<String> log;

  SoakRun(
      SoakWorld world,
      long seed,
      Administrators administrators,
      Weather weather,
      Consumer<String> log) {
    this.world = world;
    this.random = new Random(seed);
    this.people = new People(world);
    this.administrators = administrators;
    this.weather = weather;
    this.witness = new Witness(world);
    this.log = log;
    this.actions =
        new RandomActions(
            random,
            Stream.of(people.actions(), administrators.actions(), weather.actions())
                .flatMap(List::stream)
                .toList());
  }

  /** Runs; the same seed chooses the same things in the same order. */
  void run(Duration length) {
    world.operator().start();
    world.create(People.GOOD.get(0));
    int done = happen(Instant.now().plus(length));
    comeRight();
    log.accept(
        "%d things happened, %d deletions by the operator, all came right"
            .formatted(done, witness.deletions()));
  }

  private int happen(Instant end) {
    int done = 0;
    while (Instant.now().isBefore(end)) {
      log.accept(actions.next());
      done++;
      witness.check();
      Weather.pause(Duration.ofMillis(random.nextInt((int) LONGEST_PAUSE.toMillis())));
    }
    return done;
  }

  private void comeRight() {
    String image = People.GOOD.get(random.nextInt(People.GOOD.size()));
    log.accept("fair weather for good, everything to " + image);
    weather.calm();
    administrators.settle();
    people.settle(image);
    SoakWorld.eventually(() -> assertCameRight(image));
    witness.check();
    assertIdle();
  }

  private void assertCameRight(String image) {
    assertThat(world.nodes())
        .hasSize(SoakWorld.NODES.size() + 3)
        .allSatisfy(node -> Invariants.nodeIsAsDeclared(node, image));
    Invariants.fleetIsAsDeclared(world.fleet());
  }

  /** Asserts that a converged world stays so without a request that changes anything. */
  private void assertIdle() {
    await()
        .atMost(Duration.ofMinutes(2))
        .during(QUIET)
        .untilAsserted(
            () ->
                Invariants.nothingIsWrittenAtRest(
                    world.door().received(), Instant.now().minus(QUIET)));
  }
}
