package io.sei.operator.crash;

import java.util.List;
import java.util.function.Function;

/**
 * A scenario by its name.
 *
 * @param in makes one in a world
 */
record ScenarioKind(String name, Function<World, Scenario> in) {

  static final int DISTINCT = 12;

  /** All scenarios; each of the first {@link #DISTINCT} records its progress in its own way. */
  static final List<ScenarioKind> ALL =
      List.of(
          new ScenarioKind("an init plan", InitPlan::new),
          new ScenarioKind("an upgrade that lists itself", SelfListedUpgrade::new),
          new ScenarioKind("an update in place", InPlaceUpdate::new),
          new ScenarioKind("a vote", Vote::new),
          new ScenarioKind("the start of a signer", SignersStart::new),
          new ScenarioKind("a volume that grows", VolumeGrowth::new),
          new ScenarioKind("the pull of its image", PreparedUpgrade::new),
          new ScenarioKind("a rollout of a fleet", FleetRollout::new),
          new ScenarioKind("a restart by a task in a fleet", RestartInFleet::new),
          new ScenarioKind("a snapshot", ScheduledSnapshot::new),
          new ScenarioKind("a scale-down", ScaleDown::new),
          new ScenarioKind("a genesis", GenesisMade::new),
          new ScenarioKind("a node from a snapshot", Restore::new),
          new ScenarioKind("a restart by configuration", RestartByConfiguration::new),
          new ScenarioKind("a hold and its release", HoldAndRelease::new),
          new ScenarioKind("a reset of the data", ResetOfData::new),
          new ScenarioKind("a volume that grows by itself", GrowthByItself::new),
          new ScenarioKind("the replacement of an impostor", Impostor::new),
          new ScenarioKind("a listed upgrade", ListedUpgrade::new),
          new ScenarioKind("an image by a task", ImageByTask::new),
          new ScenarioKind("a restart by a task", RestartByTask::new),
          new ScenarioKind("a mark by a task", MarkByTask::new),
          new ScenarioKind("a volume that grows ahead", GrowthAhead::new),
          new ScenarioKind("another class for a volume", OtherAttributes::new),
          new ScenarioKind("an update plan", UpdatePlan::new));

  @Override
  public String toString() {
    return name;
  }
}
