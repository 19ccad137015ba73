package io.sei.operator;

import static io.sei.operator.testkit.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.testkit.ApiFault;
import io.sei.operator.testkit.FaultyApiServer;
import io.sei.operator.testkit.OperatorProcess;
import io.sei.operator.testkit.RequestLog;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two replicas of which one acts, and how the other takes over. */
class ReplicasTest extends ProcessTestCase {

  @Tag("long")
  @Test
  void onlyOneActs() {
    OperatorProcess leader = startInNamespace(kubeconfig()).awaitLeading();
    FaultyApiServer door = door();
    OperatorProcess standby =
        startInNamespace(OperatorProcess.kubeconfig(door.config())).awaitReady();
    createNode("first");

    eventually(() -> assertThat(hasStatefulSet("first")).isTrue());
    eventually(() -> assertThat(standby.metrics("/metrics").body()).contains("name=\"first\""));
    assertThat(leader.isLeading()).isTrue();
    assertThat(standby.isLeading()).isFalse();
    assertThat(door.received())
        .filteredOn(RequestLog.Request::isWrite)
        .allSatisfy(request -> assertThat(request.path()).endsWith("/selfsubjectrulesreviews"));
  }

  @Test
  void aTerminatedLeaderHandsTheLeaseOver() {
    OperatorProcess leader = startInNamespace(kubeconfig()).awaitLeading();
    OperatorProcess standby = startInNamespace(kubeconfig()).awaitReady();
    var holders = new CopyOnWriteArrayList<String>();
    try (var watch = watchHolders(holders)) {
      leader.terminate();

      assertThat(leader.awaitExit()).isZero();
      standby.awaitLeading();
      createNode("first");
      eventually(() -> assertThat(hasStatefulSet("first")).isTrue());
      // Released, and not run out.
      eventually(() -> assertThat(holders).hasSize(3));
      assertThat(holders.get(1)).isEmpty();
    }
    assertThat(leader.log()).last().asString().contains("Stopped");
  }

  @Tag("long")
  @Test
  void theStandbyTakesOverFromAKilledLeader() {
    OperatorProcess leader = startInNamespace(kubeconfig()).awaitLeading();
    OperatorProcess standby = startInNamespace(kubeconfig()).awaitReady();

    leader.kill();
    leader.awaitExit();
    createNode("first");

    standby.awaitLeading();
    eventually(() -> assertThat(hasStatefulSet("first")).isTrue());
  }

  @Tag("long")
  @Test
  void aLeaderWhoseLeaseIsTakenEndsAtOnce() {
    OperatorProcess leader = startInNamespace(kubeconfig()).awaitLeading();

    // A patch says nothing of the version it changes: the leader may renew at any moment.
    client
        .leases()
        .inNamespace(namespace)
        .withName(LEASE)
        .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"holderIdentity\":\"thief\"}}");

    assertThat(leader.awaitExit()).isEqualTo(1);
    assertThat(leader.log()).last().asString().contains("Lost the Lease", "thief holds it now");
    assertThat(lease().getSpec().getHolderIdentity()).isEqualTo("thief");
  }

  @Tag("long")
  @Test
  void aLeaderThatCannotRenewGivesUp() {
    FaultyApiServer door = door();
    OperatorProcess leader =
        startInNamespace(OperatorProcess.kubeconfig(door.config())).awaitLeading();

    door.inject(ReplicasTest::isLeaseWrite, ApiFault.error(403, "Forbidden"));

    assertThat(leader.awaitExit()).isEqualTo(1);
    assertThat(leader.log()).last().asString().contains("Lost the Lease", "could not be renewed");
  }

  @Tag("long")
  @Test
  void aLeaderThatGetsNoAnswerGivesUpBeforeAnotherMayLead() {
    FaultyApiServer door = door();
    OperatorProcess leader =
        startInNamespace(OperatorProcess.kubeconfig(door.config())).awaitLeading();
    OperatorProcess standby = startInNamespace(kubeconfig()).awaitReady();

    door.inject(
        request -> request.path().contains("/leases"), ApiFault.hangUntil(new CountDownLatch(1)));
    standby.awaitLeading();

    assertThat(leader.isAlive()).isFalse();
    assertThat(leader.awaitExit()).isEqualTo(1);
  }

  /** Adds the present holder of the lease, and each later one. */
  private Watch watchHolders(List<String> holders) {
    return client
        .leases()
        .inNamespace(namespace)
        .withName(LEASE)
        .watch(
            new Watcher<>() {
              @Override
              public void eventReceived(Action action, Lease lease) {
                String holder = Objects.toString(lease.getSpec().getHolderIdentity(), "");
                if (holders.isEmpty() || !holders.get(holders.size() - 1).equals(holder)) {
                  holders.add(holder);
                }
              }

              @Override
              public void onClose(WatcherException cause) {
                holders.add("watch ended: " + cause);
              }
            });
  }

  private static boolean isLeaseWrite(RequestLog.Request request) {
    return request.path().contains("/leases") && !request.method().equals("GET");
  }
}
