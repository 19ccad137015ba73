package io.sei.operator.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.testkit.RequestLog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

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
  private final List<Deed> deeds = new ArrayList<>();
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
    deeds.addAll(people.deeds());
    deeds.addAll(administrators.deeds());
    deeds.addAll(weather.deeds());
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
      Deed deed = any();
      String choice = deed.doing().on(random);
      log.accept("%s: %s".formatted(deed.name(), choice));
      done++;
      witness.check();
      Weather.pause(Duration.ofMillis(random.nextInt((int) LONGEST_PAUSE.toMillis())));
    }
    return done;
  }

  private Deed any() {
    int left = random.nextInt(deeds.stream().mapToInt(Deed::weight).sum());
    for (Deed deed : deeds) {
      left -= deed.weight();
      if (left < 0) {
        return deed;
      }
    }
    throw new IllegalStateException("the weights do not add up");
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
        .allSatisfy(
            node -> {
              var status = node.getStatus();
              assertThat(status.currentImage()).isEqualTo(image);
              assertThat(status.plan()).isNull();
              for (var type : List.of(NodeConditionType.READY, NodeConditionType.UP_TO_DATE)) {
                assertThat(status.isTrue(type)).as("%s of %s", type, status).isTrue();
              }
            });
    var status = world.fleet().getStatus();
    assertThat(status.phase()).as("%s", status).isEqualTo(FleetPhase.READY);
    assertThat(status.rollout()).isNull();
    assertThat(status.updated()).isEqualTo("3/3");
  }

  /** Asserts that a converged world stays so without a request that changes anything. */
  private void assertIdle() {
    await()
        .atMost(Duration.ofMinutes(2))
        .during(QUIET)
        .until(
            () -> {
              Instant before = Instant.now().minus(QUIET);
              return world.door().received().stream()
                  .filter(RequestLog.Request::isWrite)
                  .noneMatch(request -> request.at().isAfter(before));
            });
  }
}
