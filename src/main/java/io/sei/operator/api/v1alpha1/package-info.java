/**
 * The CRDs as records, with the enums of their conditions, reasons and phases; the CRD manifests
 * are generated from them. Annotations state limits and descriptions, and {@code Bounds}, {@code
 * Quantities}, {@code Sentences} and {@code ListTypes} turn these into a schema. {@code Lives} says
 * of a field of a status how long it holds.
 *
 * <p>Uses {@code base}.
 *
 * <p>Begin with {@link SeiNodeSpec}, {@link SeiNodeStatus} and {@link SeiNodeDeploymentSpec}.
 */
package io.sei.operator.api.v1alpha1;
