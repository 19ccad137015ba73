package io.sei.operator.testkit;

import java.net.URI;

/** A sidecar with an empty home that {@link SidecarContractTest} talks to. */
interface TestedSidecar extends AutoCloseable {

  /** What paths such as {@code /v0/tasks} come after. */
  URI url();

  /** The version whose rules hold for it. */
  SidecarVersion version();

  /** Whether seid would start with state sync. */
  boolean stateSyncEnabled();

  /** Ends the process and starts another one on the same home. */
  void restart();

  /** Makes the RPC of a loopback host hang for whoever asks it; returns the host. */
  String hangingPeer();

  /** Has that host answer, with nothing of use. */
  void releasePeer();

  /** A host whose RPC tells of blocks; returns it. */
  String answeringPeer();

  @Override
  void close();
}
