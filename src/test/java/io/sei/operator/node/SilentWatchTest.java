package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.TcpProxy;
import io.sei.operator.testkit.controlplane.ControlPlane;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A proxy in front of the API server loses the connections of the operator's watches. */
class SilentWatchTest extends NodeTestCase {

  private TcpProxy proxy;

  @Override
  protected void startOperator() {
    proxy = new TcpProxy(controlPlane.config(ControlPlane.OPERATOR));
    operatorAs(proxy.config()).with("SEI_WATCH_SILENCE", "2s").start();
  }

  @AfterEach
  void closeProxy() {
    proxy.close();
  }

  @Test
  void aRolloutContinuesAfterAProxyStopsForwarding() {
    createRunning();

    proxy.stopForwarding();
    setImage(B);

    awaitUpToDate(B);
    assertThat(operator.watchMonitor().renewals()).isPositive();
    assertThat(operator.watchMonitor().deaf()).isEmpty();
  }
}
