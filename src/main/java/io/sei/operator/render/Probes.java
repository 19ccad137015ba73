package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.ProbeBuilder;

/** The two ways in which containers of a node's pod are asked how they are. */
final class Probes {

  private Probes() {}

  static ProbeBuilder http(String path, int port, int delay, int period, int failures) {
    return timing(delay, period, failures)
        .withNewHttpGet()
        .withPath(path)
        .withNewPort(port)
        .endHttpGet();
  }

  static ProbeBuilder tcp(int port, int delay, int period, int failures) {
    return timing(delay, period, failures).withNewTcpSocket().withNewPort(port).endTcpSocket();
  }

  private static ProbeBuilder timing(int delay, int period, int failures) {
    var probe = new ProbeBuilder().withPeriodSeconds(period).withFailureThreshold(failures);
    // The server leaves out a delay of 0, so rendering it would look like a difference for ever.
    return delay == 0 ? probe : probe.withInitialDelaySeconds(delay);
  }
}
