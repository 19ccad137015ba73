package io.sei.operator.fleet;

import io.sei.operator.FleetAssembly;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.fleet.disruption.GradualConfiguration;
import io.sei.operator.fleet.disruption.RestartRequests;
import io.sei.operator.fleet.feature.FleetConditionParts;
import io.sei.operator.fleet.feature.FleetFeature;
import io.sei.operator.fleet.feature.ReadyConfirmation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Features of fleets, assembled without a cluster. */
public final class OfflineFleet {

  /** All features, for the hooks that only decide and report. */
  public static final List<FleetFeature> FEATURES =
      FleetAssembly.features(
          null,
          null,
          new FleetObjects(null, null),
          new GradualConfiguration(false),
          node -> Optional.empty(),
          new RestartRequests(null, null, node -> true, node -> false, null),
          (namespace, chain) -> Optional.empty(),
          new PerObjectState<>(),
          null);

  /** What these features report. */
  public static final FleetConditionParts CONDITIONS = FleetFeature.conditionsOf(FEATURES);

  /** The operator's default. */
  public static final ReadyConfirmation CONFIRMATION =
      new ReadyConfirmation(Duration.ofSeconds(10), Duration.ofSeconds(30));

  private OfflineFleet() {}
}
