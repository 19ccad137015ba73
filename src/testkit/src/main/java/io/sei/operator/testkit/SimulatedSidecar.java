package io.sei.operator.testkit;

import java.net.URI;
import java.util.HashMap;
import java.util.Map;

/** The simulator, as a sidecar with an empty home. */
final class SimulatedSidecar implements TestedSidecar {
  private static final String NAMESPACE = "chain";
  private static final String NODE = "node-0";
  private static final String STATE_SYNC = "configure-state-sync";
  private static final String HOST = "127.0.0.2";
  private static final String DEAD_HOST = "127.0.0.4";

  private final SidecarVersion version;
  private final SidecarSimulator simulator;

  SimulatedSidecar(SidecarVersion version) {
    this.version = version;
    simulator = new SidecarSimulator().version(version);
    simulator.podStarted(NAMESPACE, NODE, "pod-1");
  }

  @Override
  public URI url() {
    return URI.create(simulator.url(NAMESPACE, NODE));
  }

  @Override
  public SidecarVersion version() {
    return version;
  }

  @Override
  public String setting(String file, String table, String key) {
    return simulator.home(NAMESPACE, NODE).setting(file, table + "." + key).orElse("");
  }

  @Override
  public void restart() {
    simulator.restart(NAMESPACE, NODE);
  }

  @Override
  public void forgetStateSync() {
    simulator.forgetStateSync(NAMESPACE, NODE);
  }

  @Override
  public String refusal(Map<String, String> variables) {
    var environment = new HashMap<>(ENVIRONMENT);
    environment.put(SidecarEnvironment.HOME, "/sei");
    environment.putAll(variables);
    return new SidecarEnvironment(environment).refusal(version).orElseThrow();
  }

  @Override
  public String hangingPeer() {
    simulator.faultsOfAll().silence(HOST).hold(STATE_SYNC);
    return HOST;
  }

  @Override
  public void releasePeer() {
    simulator.faultsOfAll().release(STATE_SYNC);
  }

  @Override
  public String answeringPeer() {
    return HOST;
  }

  @Override
  public String deadPeer() {
    simulator.faultsOfAll().silence(DEAD_HOST);
    return DEAD_HOST;
  }

  @Override
  public void close() {
    simulator.close();
  }
}
