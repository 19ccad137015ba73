package io.sei.operator.fleet.model;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a rollout may do.
 *
 * @param admit nodes to be admitted now
 * @param admitted whether every node is admitted
 * @param done whether every node has got there
 * @param stalled the node that keeps the others from being admitted
 * @param rollBack whether it is time to go back
 * @param recheck when time alone changes the verdict
 */
public record RolloutVerdict(
    List<FleetNode> admit,
    boolean admitted,
    boolean done,
    Optional<FleetNode> stalled,
    boolean rollBack,
    Optional<Duration> recheck) {}
