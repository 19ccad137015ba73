package io.sei.operator.fleet.snapshots;

import io.sei.operator.api.v1alpha1.FleetReason;

/** Why a snapshot that is due is not taken. */
record SnapshotObstacle(FleetReason reason, String why) {}
