package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.ApiFault;
import io.sei.operator.testkit.RequestLog.Request;
import io.sei.operator.testkit.controlplane.ControlPlane;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The leader is cut off in the middle of an admission, and another one finishes the rollout. What
 * the first one had asked for arrives after that.
 */
@Order(1)
class LeaderFailoverTest extends FleetTestCase {

  private final CountDownLatch cutOff = new CountDownLatch(1);

  @Override
  protected void startOperator() {
    operatorBehindADoor().start();
  }

  @AfterEach
  void answer() {
    cutOff.countDown();
  }

  @Test
  void admissionIsUsedOnce() {
    admissionIsUsedOnceAndWhatArrivesLateChangesNothing("/seinodes/fleet-1");
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(
      strings = {"/seinodedeployments/fleet/status", "/seinodes/fleet-1", "/pods/fleet-1-0"})
  void admissionIsUsedOnceAndWhatArrivesLateChangesNothing(String path) {
    createReady(2);
    Predicate<Request> asked = request -> request.isWrite() && request.path().endsWith(path);
    long before = door.received().stream().filter(asked).count();
    door.inject(asked, ApiFault.hangUntil(cutOff));
    setImage(B);
    eventually(
        () -> assertThat(door.received()).filteredOn(asked).hasSizeGreaterThan((int) before));
    door.inject(request -> true, ApiFault.hangUntil(cutOff));

    operatorAs(controlPlane.config(ControlPlane.OPERATOR)).start();
    awaitUpToDate(2, B);
    List<List<String>> pods = podUids(2);
    cutOff.countDown();

    eventually(
        () ->
            assertThat(door.answered())
                .filteredOn(answered -> asked.test(answered.request()))
                .hasSizeGreaterThan((int) before));
    stays(() -> assertThat(podUids(2)).isEqualTo(pods));
    assertThat(podImages(0)).containsExactly(A, B);
    assertThat(podImages(1)).containsExactly(A, B);
    assertThat(pods(0).get(1).createdAt()).isAfter(pods(1).get(1).createdAt());
  }
}
