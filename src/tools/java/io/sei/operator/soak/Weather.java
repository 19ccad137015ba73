package io.sei.operator.soak;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.sei.operator.testkit.ApiFault;
import io.sei.operator.testkit.FaultyApiServer;
import io.sei.operator.testkit.KillSwitch;
import io.sei.operator.testkit.RandomActions.Action;
import io.sei.operator.testkit.RequestLog;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;

/** Faults between the operator and the API server, and of either of them. */
final class Weather {

  private static final int MOST_REQUESTS = 25;

  private final SoakWorld world;
  private final Duration longestSilence;
  private final boolean restartsApiServer;

  /**
   * @param longestSilence how long watches tell nothing, at most
   */
  Weather(SoakWorld world, Duration longestSilence, boolean restartsApiServer) {
    this.world = world;
    this.longestSilence = longestSilence;
    this.restartsApiServer = restartsApiServer;
  }

  List<Action> actions() {
    return List.of(
        new Action("slow answers", 3, this::latency),
        new Action("errors", 5, this::errors),
        new Action("overload", 2, this::overload),
        new Action("reset connections", 3, this::resets),
        new Action("lost answers", 4, this::lostAnswers),
        new Action("silent watches", 4, this::silentWatches),
        new Action("dropped watches", 3, this::droppedWatches),
        new Action("fair weather", 6, this::clear),
        new Action("death of the operator", 6, this::kill),
        new Action("restart of the operator", 2, this::restart),
        new Action("restart of the API server", restartsApiServer ? 1 : 0, this::restartApiServer));
  }

  /** Ends all faults: requests pass, watches report, the operator runs. */
  void calm() {
    door().heal();
    door().releaseWatches();
    world.operator().killSwitch().disarm();
    world.operator().stop();
    start();
  }

  private FaultyApiServer door() {
    return world.door();
  }

  private String latency(Random random) {
    var delay = Duration.ofMillis(50 + random.nextInt(1500));
    door().inject(some(random), ApiFault.latency(delay));
    return delay.toString();
  }

  private String errors(Random random) {
    int times = 1 + random.nextInt(20);
    String reason =
        List.of("500 InternalError", "503 ServiceUnavailable", "504 Timeout")
            .get(random.nextInt(3));
    String[] parts = reason.split(" ");
    door().inject(times, some(random), ApiFault.error(Integer.parseInt(parts[0]), parts[1]));
    return reason + " x" + times;
  }

  private String overload(Random random) {
    return injectSome(random, ApiFault.tooManyRequests(1));
  }

  private String resets(Random random) {
    return injectSome(random, ApiFault.reset());
  }

  private String injectSome(Random random, ApiFault fault) {
    int times = 1 + random.nextInt(20);
    door().inject(times, some(random), fault);
    return "x" + times;
  }

  private String lostAnswers(Random random) {
    int times = 1 + random.nextInt(10);
    door().inject(times, RequestLog.Request::isWrite, ApiFault.lostAnswer());
    return "x" + times;
  }

  private String silentWatches(Random random) {
    var silence = Duration.ofMillis(500 + random.nextInt((int) longestSilence.toMillis()));
    door().holdWatches();
    Thread.ofPlatform()
        .daemon()
        .name("silence")
        .start(
            () -> {
              pause(silence);
              door().releaseWatches();
            });
    return silence.toString();
  }

  private String droppedWatches(Random random) {
    door().dropWatches();
    return "";
  }

  private String clear(Random random) {
    door().heal();
    return "";
  }

  /** Waits for the request to die at no longer than it takes an operator that has work. */
  private String kill(Random random) {
    var moment = KillSwitch.Moment.values()[random.nextInt(2)];
    int survived = random.nextInt(MOST_REQUESTS);
    var killSwitch = world.operator().killSwitch();
    killSwitch.arm(survived, moment);
    for (int i = 0; i < 20 && !killSwitch.hasStruck(); i++) {
      pause(Duration.ofMillis(100));
    }
    String last = killSwitch.lastRequest();
    world.operator().stop();
    killSwitch.disarm();
    start();
    return last == null ? "at rest" : moment + " " + last;
  }

  private String restart(Random random) {
    world.operator().stop();
    start();
    return "";
  }

  /** The garbage collector of 1.20 does not always find back what it missed meanwhile. */
  private String restartApiServer(Random random) {
    world.plane().stopControllerManager();
    world.plane().restartApiServer();
    world.plane().startControllerManager();
    return "";
  }

  /** A process that cannot start is started again, as the kubelet does. */
  private void start() {
    int failures = 0;
    while (true) {
      try {
        world.operator().start();
        return;
      } catch (RuntimeException e) {
        if (++failures == 3) {
          door().heal();
        } else if (failures > 10) {
          throw e;
        }
      }
    }
  }

  /** Leases and events included, in bad weather all of the same kind is concerned. */
  private static Predicate<RequestLog.Request> some(Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> RequestLog.Request::isWrite;
      case 1 -> RequestLog.Request::isWatch;
      case 2 -> request -> !request.isWatch() && !request.isWrite();
      default -> request -> true;
    };
  }

  static void pause(Duration duration) {
    try {
      new CountDownLatch(1).await(duration.toMillis(), MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
