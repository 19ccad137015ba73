package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.ProbeBuilder;

/**
 * The two ways in which containers of a node's pod are asked how they are. None waits before it
 * asks for the first time: what has started late is found late, at every start of a pod.
 */
final class Probes {

  private Probes() {}

  static ProbeBuilder http(String path, int port, int period, int failures) {
    return timing(period, failures).withNewHttpGet().withPath(path).withNewPort(port).endHttpGet();
  }

  static ProbeBuilder tcp(int port, int period, int failures) {
    return timing(period, failures).withNewTcpSocket().withNewPort(port).endTcpSocket();
  }

  private static ProbeBuilder timing(int period, int failures) {
    return new ProbeBuilder().withPeriodSeconds(period).withFailureThreshold(failures);
  }
}
