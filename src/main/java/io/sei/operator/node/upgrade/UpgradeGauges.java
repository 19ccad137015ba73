package io.sei.operator.node.upgrade;

import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.observability.GaugeRow;
import java.util.List;
import java.util.stream.Stream;

/** PURE: what is measured of the upgrades of a node. */
final class UpgradeGauges {

  static final List<GaugeRow<SeiNode>> TABLE =
      List.of(
          GaugeRow.whileFor(
              "sei_node_halted",
              "1 if seid stopped at an upgrade height and waits for its next image",
              NodeConditionType.READY,
              StallReason.HALTED_AT_UPGRADE),
          GaugeRow.reasonWhileFalse(
              "sei_node_upgrades_not_ready",
              "1 for the reason a node may not get through the upgrades ahead by itself",
              NodeConditionType.UPGRADES_READY),
          new GaugeRow<>(
              "sei_node_upgrade_height",
              "Height of an upgrade that is listed for a node; applied says whether its volume has been"
                  + " through it",
              node ->
                  Stream.ofNullable(node.getStatus().upgrades())
                      .flatMap(List::stream)
                      .filter(upgrade -> upgrade.name() != null && upgrade.height() != null)
                      .map(UpgradeGauges::height)
                      .toList()));

  private UpgradeGauges() {}

  private static GaugeRow.Series height(UpgradeStatus upgrade) {
    String applied = String.valueOf(upgrade.state() == UpgradeState.APPLIED);
    return new GaugeRow.Series(
        upgrade.height(), List.of("upgrade", upgrade.name(), "applied", applied));
  }
}
