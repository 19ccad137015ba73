/**
 * Contract between the controller of fleets and the features: the hooks, the view of a fleet and
 * its nodes, the pass with the draft of its status, and the limits of disruptions.
 *
 * <p>Uses {@code api.v1alpha1}, {@code base}, {@code kube}, {@code reconcile}, {@code render}.
 *
 * <p>Begin with {@link FleetFeature}, {@link FleetView} and {@link FleetNode}.
 */
package io.sei.operator.fleet.feature;
