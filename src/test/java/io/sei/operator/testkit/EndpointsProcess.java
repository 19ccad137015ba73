package io.sei.operator.testkit;

import io.sei.operator.observability.HealthReport;
import io.sei.operator.observability.HttpEndpoints;
import java.io.IOException;
import java.time.Clock;

/**
 * The operator's two ports in a process of their own: the JDK reads the limits of its HTTP server
 * once, and other tests have servers of their own.
 */
public final class EndpointsProcess {

  /** More than the kernel buffers of a response that the client does not read. */
  private static final String LARGE_PAGE = "x".repeat(16 * 1024 * 1024);

  private EndpointsProcess() {}

  /** Prints the ports of metrics and probes, and ends with its input. */
  public static void main(String[] args) throws IOException {
    try (var endpoints =
        HttpEndpoints.start(
            0, 0, () -> LARGE_PAGE, HealthReport::ok, HealthReport::ok, Clock.systemUTC())) {
      System.out.println(endpoints.metricsPort());
      System.out.println(endpoints.healthPort());
      while (System.in.read() >= 0) {
        // The input ends with the test.
      }
    }
  }
}
