/**
 * Renders Kubernetes objects from a spec and the settings, and decides by digests what a change
 * restarts. Every class is pure. Golden files hold the results, since a changed pod template
 * restarts nodes.
 *
 * <p>Uses {@code api.v1alpha1}, {@code base}, {@code config}.
 *
 * <p>Begin with {@link StatefulSetRenderer}, {@link SpecFields} and {@link SpecHash}.
 */
package io.sei.operator.render;
