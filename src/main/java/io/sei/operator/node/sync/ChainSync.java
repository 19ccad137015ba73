package io.sei.operator.node.sync;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.base.Polling;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.NodeFeature;
import java.util.function.BinaryOperator;

/** Reports how far a node is on its chain, from the start of seid on. */
public final class ChainSync implements NodeFeature {

  private final CaughtUp caughtUp;
  private final Starting starting;
  private final HeightStandsStill standstill;

  /**
   * @param log reads the end of the log of seid, by namespace and pod
   */
  public ChainSync(SyncPoller poller, BinaryOperator<String> log, Polling<ResourceID> polling) {
    this.caughtUp = new CaughtUp(poller);
    this.starting = new Starting(poller, log, polling);
    this.standstill = new HeightStandsStill(poller, log, polling);
  }

  @Override
  public void conditions(ConditionParts conditions) {
    caughtUp.conditions(conditions);
    starting.conditions(conditions);
    standstill.conditions(conditions);
  }
}
