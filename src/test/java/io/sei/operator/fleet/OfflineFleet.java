package io.sei.operator.fleet;

import io.sei.operator.FleetAssembly;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.fleet.feature.FleetConditionParts;
import io.sei.operator.fleet.feature.FleetFeature;
import io.sei.operator.fleet.feature.ReadyConfirmation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Features of fleets, assembled without a cluster. */
public final class OfflineFleet {

  /** The operator's default. */
  public static final ReadyConfirmation CONFIRMATION =
      new ReadyConfirmation(Duration.ofSeconds(10), Duration.ofSeconds(30));

  /** All features, for the hooks that only decide and report. */
  public static final List<FleetFeature> FEATURES =
      new FleetAssembly(
              false,
              CONFIRMATION,
              null,
              node -> Optional.empty(),
              machine -> Optional.empty(),
              node -> false,
              node -> true,
              node -> false,
              null,
              (namespace, chain) -> Optional.empty(),
              new PerObjectState<>(),
              null,
              null,
              null,
              null,
              null)
          .features(null, null, new FleetObjects(null, null));

  /** Conditions of these features. */
  public static final FleetConditionParts CONDITIONS = FleetFeature.conditionsOf(FEATURES);

  private OfflineFleet() {}
}
