package io.sei.operator.soak;

import io.sei.operator.testkit.controlplane.ControlPlane;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.awaitility.Awaitility;

/**
 * Runs the operator in bad weather for as long as one likes.
 *
 * <p>Arguments: minutes (10 if left out), seed (any if left out).
 */
public final class Soak {

  private static final Duration LONGEST_SILENCE = Duration.ofSeconds(30);

  private Soak() {}

  /** Runs, prints what happens, and exits with 1 if something did not hold. */
  public static void main(String[] args) {
    long minutes = args.length > 0 ? Long.parseLong(args[0]) : 10;
    long seed = args.length > 1 ? Long.parseLong(args[1]) : System.nanoTime() % 1_000_000;
    String again = "make soak SEED=%d MINUTES=%d".formatted(seed, minutes);
    print(again);
    // A timer of the framework may still fire while an operator that was stopped lets go of its
    // threads.
    Awaitility.doNotCatchUncaughtExceptionsByDefault();
    try (var plane = ControlPlane.start();
        var world = new SoakWorld(plane, "soak")) {
      var weather = new Weather(world, LONGEST_SILENCE, true);
      var administrators = new Administrators(world, true);
      new SoakRun(world, seed, administrators, weather, Soak::print)
          .run(Duration.ofMinutes(minutes));
    } catch (Throwable e) {
      e.printStackTrace(System.out);
      print("did not hold; the same again: " + again);
      System.exit(1);
    }
    System.exit(0);
  }

  private static void print(String line) {
    System.out.println(Instant.now().truncatedTo(ChronoUnit.MILLIS) + " " + line);
  }
}
