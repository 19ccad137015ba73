package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.testkit.Invariants;
import io.sei.operator.testkit.OperatorTestCase;
import io.sei.operator.testkit.PodRecord;
import io.sei.operator.testkit.RequestLog.Request;
import io.sei.operator.testkit.samples.Samples;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Fleets that are all edited at the same moment: one's rollout costs the others nothing. */
class ManyFleetsTest extends OperatorTestCase {

  private static final int NODES = 2;

  /**
   * Most requests for each node: those of a node that runs alone, and twice as many for its fleet.
   */
  private static final int REQUESTS_PER_NODE = 27;

  private static final Duration PATIENCE = Duration.ofMinutes(10);

  @Tag("long")
  @Test
  void someRollAtOnce() {
    roll(3);
  }

  @Tag("long")
  @Test
  void fiftyRollAtOnce() {
    roll(50);
  }

  private void roll(int count) {
    List<SeiNodeDeployment> fleets = IntStream.range(0, count).mapToObj(this::create).toList();
    fleets.forEach(fleet -> awaitUpToDate(fleet, A));
    List<FleetWatch> watches = fleets.stream().map(fleet -> new FleetWatch(client, fleet)).toList();
    operator.requests().clear();

    fleets.forEach(
        fleet -> patch(fleet, "{'spec':{'template':{'spec':{'image':'%s'}}}}".formatted(B)));
    fleets.forEach(fleet -> awaitUpToDate(fleet, B));

    for (FleetWatch watch : watches) {
      Invariants.limitOfUnavailableNodesHolds(watch.mostUnready(), 1, () -> "one fleet of many");
    }
    watches.forEach(FleetWatch::close);
    assertThat(nodes(fleets)).allMatch(node -> images(node).equals(List.of(A, B)));
    assertCosts(nodes(fleets));
  }

  private void assertCosts(List<String> nodes) {
    assertThat(operator.requests().deleted()).hasSize(nodes.size());
    for (String node : nodes) {
      assertThat(
              asked(request -> request.path().endsWith("/seinodes/" + node) && request.isWrite()))
          .hasSize(1);
      assertThat(
              asked(
                  request -> request.path().endsWith("/statefulsets/" + node) && request.isWrite()))
          .hasSize(1);
    }
    assertThat(operator.requests().all()).hasSizeLessThan(REQUESTS_PER_NODE * nodes.size());
  }

  private List<Request> asked(Predicate<Request> wanted) {
    return operator.requests().matching(wanted);
  }

  private SeiNodeDeployment create(int number) {
    return client
        .resource(Samples.fleet(namespace, "fleet-" + number, FleetTestCase.fleetSpec(NODES, A)))
        .create();
  }

  private void awaitUpToDate(SeiNodeDeployment fleet, String image) {
    String name = fleet.getMetadata().getName();
    eventually(
        PATIENCE,
        () -> {
          SeiNodeDeploymentStatus status = read(SeiNodeDeployment.class, name).getStatus();
          assertThat(status.readyReplicas()).isEqualTo(NODES);
          assertThat(status.updatedReplicas()).isEqualTo(NODES);
          assertThat(status.rollout()).isNull();
          for (String node : nodes(List.of(fleet))) {
            assertThat(read(SeiNode.class, node).getStatus().currentImage()).isEqualTo(image);
          }
        });
  }

  private static List<String> nodes(List<SeiNodeDeployment> fleets) {
    return fleets.stream()
        .map(fleet -> fleet.getMetadata().getName())
        .flatMap(name -> IntStream.range(0, NODES).mapToObj(ordinal -> name + "-" + ordinal))
        .toList();
  }

  private List<String> images(String node) {
    return kubelet.history(namespace, node + "-0").stream().map(PodRecord::image).toList();
  }
}
