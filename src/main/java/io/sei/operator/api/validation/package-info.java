/**
 * Validates specs beyond their schema: the rules that CEL cannot state, and those whose breach in a
 * stored object would do harm. A spec that breaks one is not acted on.
 *
 * <p>Uses {@code api.v1alpha1}, {@code base}.
 *
 * <p>Begin with {@link NodeValidation} then {@link FleetValidation}.
 */
package io.sei.operator.api.validation;
