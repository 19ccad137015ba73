package io.sei.operator.fleet.feature;

import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.reconcile.StatusParts;

/** Conditions, Events and gauges of the features of fleets. */
public final class FleetConditionParts
    extends StatusParts<FleetPass, SeiNodeDeploymentStatus, SeiNodeDeployment> {}
