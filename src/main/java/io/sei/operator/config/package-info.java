/**
 * Settings of the operator. {@code settings.txt} is the table of all of them, from which {@code
 * docs/configuration.md} is generated; one record per concern holds their values.
 *
 * <p>Uses {@code base}.
 *
 * <p>Begin with {@link ConfigKey} then {@link OperatorConfig}.
 */
package io.sei.operator.config;
